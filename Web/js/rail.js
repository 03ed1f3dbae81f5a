// The rail: conversations and places. On a narrow window it is a drawer.
import { h, $, fill, glyph, icon, save } from './dom.js';
import { can, call, one } from './api.js';
import { w } from './words.js';
import * as chat from './chat.js';
import * as talks from './talks.js';
import { hold, release, rove } from './focus.js';
import { askText, confirmLoss, dialog, troubleNote } from './dialog.js';

const places = [['library', 'book'], ['actions', 'pen'], ['packs', 'box'], ['settings', 'gear'], ['diagnostics', 'pulse'], ['data', 'shield']];

export function openRail() {
  $('rail').classList.add('open');
  hold('rail');
  $('menu').setAttribute('aria-expanded', 'true');
  $('rail').querySelector('a, button').focus();
}

export function closeRail() {
  if (!$('rail').classList.contains('open')) return false;
  $('rail').classList.remove('open');
  release('rail');
  $('menu').setAttribute('aria-expanded', 'false');
  $('menu').focus();
  return true;
}

/** The conversations could not be had when they were last asked for. */
let isMissing = false;

/** Once the program is there again. What is on its way then may still fail. */
export function railAgain() {
  const look = () => { if (isMissing) rail(); };
  look();
  setTimeout(look, 1000);
}

export async function rail() {
  const list = h('div.list', { id: 'talks', role: 'group', 'aria-label': w.listOfTalks });
  // The place that is shown already is a place to go to as well.
  $('rail').onclick = (event) => { if (event.target.closest('a')) closeRail(); };
  const here = (target) => (location.hash.startsWith(target) ? 'page' : null);
  fill($('rail'), $('rail').querySelector('.brand'),
    h('a.place', { href: '#/new', onclick: () => { if (['', '#/new'].includes(location.hash)) document.dispatchEvent(new CustomEvent('anew')); } }, glyph('plus'), w.newTalk), list,
    h('div.foot', {}, places.filter(([name]) => !['packs', 'actions'].includes(name) || can(name)).map(([name, picture]) => h('a.place', { href: `#/${name}`, 'aria-current': here(`#/${name}`) }, glyph(picture), w[name]))));
  try {
    const known = await talks.list();
    isMissing = false;
    const found = can('conversations-search') && known.length > 0 && h('button', { type: 'button', onclick: () => document.dispatchEvent(new CustomEvent('palette')) }, glyph('search'), w.findTalks);
    const folders = talks.folders(known);
    const chosen = folders.includes(talks.chosenFolder()) ? talks.chosenFolder() : '';
    // The one that is open is seen, wherever it is kept.
    const listed = chosen ? known.filter((talk) => talk.folder === chosen || isOpen(talk)) : known;
    fill(list, found, folders.length > 0 && filter(folders, chosen), listed.length ? groups(listed).map(([title, inside]) => [h('h2', {}, title), h('ul.plain', {}, inside.map(row))]) : h('p.small.quiet', {}, ''));
    rove(list, 'li.talk');
  } catch (failure) {
    isMissing = true;
    fill(list, h('p.small.quiet', {}, failure.message));
  }
}

const isOpen = (talk) => location.hash === `#/c/${talk.id}`;

function filter(folders, chosen) {
  const choice = h('select.folders.bidi', { id: 'folders', 'aria-label': w.folder, onchange: () => { talks.chooseFolder(choice.value); rail(); } },
    h('option', { value: '' }, w.allFolders), folders.map((name) => h('option', { value: name, selected: name === chosen }, name)));
  return choice;
}

/** What is pinned, then today, this week, earlier: by the day of the last word. */
export function groups(known) {
  const today = new Date().setHours(0, 0, 0, 0);
  const kept = talks.pinned();
  // In this order, whatever came in last: an import brings old ones.
  const named = new Map([[w.pinned, known.filter((talk) => kept.has(talk.id))], ...w.ages.map((name) => [name, []])]);
  for (const talk of known.filter((one) => !kept.has(one.id))) {
    const at = talk.updated ? new Date(talk.updated).getTime() : Date.now();
    const name = w.ages[at >= today ? 0 : at >= today - 6 * 864e5 ? 1 : 2];
    named.get(name).push(talk);
  }
  return [...named].filter(([, inside]) => inside.length);
}

function row(talk) {
  const title = talk.title || w.untitled;
  return h('li.talk', {}, h('a.place', { href: `#/c/${talk.id}`, 'aria-current': isOpen(talk) ? 'page' : null }, h('span.ellipsis.bidi', {}, title)),
    can('conversations-delete') && icon('more', w.more(title), () => more(talk, title)));
}

function more(talk, title) {
  dialog(title, (close) => {
    const act = (words, name, work) => can(name) && h('button.bordered', { type: 'button', onclick: async () => { close(); try { await work(); } catch (failure) { troubleNote(failure); } rail(); } }, words);
    const isPinned = talks.pinned().has(talk.id);
    return [h('button.bordered', { type: 'button', onclick: () => { close(); talks.pin(talk.id, !isPinned); rail(); } }, isPinned ? w.unpin : w.pin), act(w.rename, 'conversations-rename', async () => {
      const renamed = await askText(w.renameTalk, title);
      if (renamed) { await call('conversations-rename', { id: talk.id, title: renamed }); talks.retitle(talk.id, renamed); }
    }), act(w.intoFolder, 'conversations-move', async () => {
      const folder = await askText(w.folderOf, talk.folder ?? '', talks.folders(await talks.list()));
      if (folder !== undefined) await call('conversations-move', { ids: [talk.id], folder: folder || undefined });
    }), act(w.exportMarkdown, 'conversations-show', async () => save(fileName(title, 'md'), 'text/markdown', (await import('./export.js')).readable(await one('conversations-show', { id: talk.id })))),
    act(w.print, 'conversations-show', () => print(talk.id)),
    act(w.exportJSON, 'conversations-export', async () => save(fileName(title, 'json'), 'application/json', (await one('conversations-export', { ids: [talk.id], format: 'json' })).text)),
    h('button.danger', { type: 'button', onclick: async () => {
      close();
      if (!await confirmLoss(w.deleteTalk(title), w.deleteTalkWhat, w.remove)) return;
      talks.forget(talk.id);
      try { await call('conversations-delete', { ids: [talk.id] }); } catch (failure) { troubleNote(failure); }
      if (location.hash === `#/c/${talk.id}`) location.hash = '#/new';
      rail();
    } }, w.remove), h('div.ends', {}, h('button.bordered', { type: 'button', onclick: () => close() }, w.cancel))];
  });
}

/** Once all of its answers stand there. */
async function print(id) {
  if (location.hash !== `#/c/${id}`) location.hash = `#/c/${id}`;
  const isThere = () => location.hash === `#/c/${id}` && document.querySelector('.turn.answer') && ![...document.querySelectorAll('.turn.answer .words')].some((words) => words.matches(':empty'));
  for (let tries = 0; tries < 100 && !isThere(); tries += 1) await new Promise((done) => setTimeout(done, 100));
  window.print();
}

const fileName = (title, ending) => `${title.replace(/[^\p{L}\p{N} _-]/gu, '').slice(0, 60) || w.fileOfTalk}.${ending}`;
