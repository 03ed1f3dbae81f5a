// The library: what is there, what is being added, a search over all of it.
import { h, fill, icon, glyph } from './dom.js';
import { can, call, one } from './api.js';
import { w } from './words.js';
import { add, aim, underway, stop } from './import.js';
import { home } from './home.js';
import { trouble, troubleNote } from './dialog.js';
import { marked, shelf } from './shelf.js';
import { show, shortScore } from './evidence.js';

/** So many files are shown while they come. */
const few = 8;

export function library(main) {
  const files = h('input', { type: 'file', multiple: true, hidden: true, onchange: () => { add([...files.files]); files.value = ''; } });
  const coming = h('section', { 'aria-live': 'polite', hidden: true });
  const list = h('div.items');
  const count = h('span.small.quiet', {});
  const rows = shelf(() => drawList());
  const hits = h('div.passages', { 'aria-live': 'polite' });
  const words = h('input', { type: 'search', placeholder: w.searchLibrary, 'aria-label': w.searchLibrary });
  const find = h('form.row', { role: 'search', onsubmit: search }, h('div.grow', {}, words), h('button.bordered', { type: 'submit' }, w.searchLibrary.split(' ')[0]));
  const known = h('datalist', { id: 'collections' });
  const into = h('input', { type: 'text', id: 'collection', value: aim.collection, placeholder: w.collectionHint, autocomplete: 'off', maxLength: 80, oninput: () => { aim.collection = into.value.trim(); } });
  into.setAttribute('list', known.id);
  fill(main, h('div.screen', { tabIndex: -1 }, h('div.inside', {},
    h('div.row', {}, h('h1.grow', {}, w.library, ' ', count), can('import') && h('button.main-action', { type: 'button', onclick: () => files.click() }, w.add), files),
    can('import') && h('div.row.into', {}, h('p.small.quiet.grow', {}, w.howToAdd), h('div.row.line.field', {}, h('label.small', { htmlFor: into.id }, w.collection), into), known),
    can('search') && h('section', {}, find, hits), coming, h('section', {}, list), rows.element, can('watched') && watched())));

  async function search(event) {
    event.preventDefault();
    if (!words.value.trim()) { fill(hits); return; }
    try {
      const found = (await one('search', { query: words.value.trim(), limit: 8, stage: 'fused' })).results ?? [];
      // What is found only just is left out beside what is found well.
      const best = Math.max(...found.map((hit) => hit.score ?? 0));
      const cites = found.filter((hit) => !(hit.score < best * 0.4)).map((hit) => ({ ...hit, title: hit.title ?? hit.document, start: hit.start ?? 0, end: hit.end ?? 0 }));
      fill(hits, found.length ? cites.map((hit, place) => h('button', { type: 'button', onclick: () => show(cites, place) },
        h('span.small.quiet', {}, [hit.title, hit.page && w.page(hit.page), shortScore(hit.score)].filter(Boolean).join(' · ')), h('q.bidi', {}, marked(hit.text, words.value)))) : h('p.quiet', {}, w.noHits));
    } catch (failure) { fill(hits, trouble(failure)); }
  }

  function drawComing() {
    coming.hidden = underway.size === 0;
    const active = [...underway.values()].some((entry) => entry.state !== 'failed');
    // Those at hand, not hundreds that wait.
    const rank = ([, entry]) => ['failed', 'reading', 'sending'].indexOf(entry.state);
    const seen = [...underway].sort((a, b) => rank(a) - rank(b)).filter(([, entry], place) => entry.state === 'failed' || place < few);
    fill(coming, h('div.row', {}, h('h2.grow', {}, active ? w.importing : w.notAdded), active ? h('button.bordered', { type: 'button', onclick: stop }, w.stop)
      : underway.size > 1 && h('button.bordered', { type: 'button', onclick: () => { underway.clear(); drawComing(); } }, w.close)),
      h('div.items', {}, seen.map(([name, entry]) => h('div.card', {}, h('div.row', {}, h('span.grow.ellipsis.bidi', {}, name), h('span.small.quiet', {}, entry.state === 'failed' ? w.failed : entry.of ? w.reading(entry.done, entry.of) : w.importing)),
        entry.state === 'failed' ? h('div.row', {}, h('p.small.grow', {}, entry.reason ?? ''), h('button.link', { type: 'button', onclick: () => { underway.delete(name); drawComing(); } }, w.close))
          : h('progress', { 'aria-label': name, max: 1, ...(entry.of ? { value: entry.done / entry.of } : {}) }))),
      underway.size > seen.length && h('p.small.quiet', {}, `… ${w.documentsMany(underway.size - seen.length)}`)));
  }

  async function drawList() {
    if (!can('documents')) { fill(list, h('div.empty', {}, w.emptyLibrary)); return; }
    let documents;
    try { documents = (await call('documents')).filter((one) => one.document); } catch (failure) { fill(list, trouble(failure, drawList)); return; }
    if (!documents.length) {
      rows.put([]);
      fill(count);
      fill(list, h('div.empty', {}, h('p', {}, w.emptyLibrary), can('import') && h('button.bordered', { type: 'button', onclick: () => files.click() }, w.add)));
      return;
    }
    fill(known, home.collections.map((value) => h('option', { value })));
    fill(list);
    rows.put(documents);
    fill(count, w.documentsMany(documents.length));
  }

  /** Folders that are kept in step with while the program serves. */
  function watched() {
    const known = h('ul.items.plain');
    const field = h('input', { type: 'text', placeholder: w.folderPath, 'aria-label': w.folderPath });
    const redraw = async () => {
      const folders = (await call('watched')).filter((one) => one.folder);
      fill(known, folders.map((one) => h('li.item', {}, glyph('book'), h('span.grow.ellipsis', {}, one.folder), icon('bin', w.unwatch(one.folder), () => act('unwatch', one.folder)))));
    };
    const act = async (name, folder) => {
      try {
        await call(name, { folder });
        field.value = '';
        await redraw();
      } catch (failure) { troubleNote(failure); }
    };
    redraw().catch(troubleNote);
    return h('section', {}, h('h2', {}, w.watched), h('p.small.quiet', {}, w.watchedWhat), known, can('watch') && h('form.row', { onsubmit: (event) => { event.preventDefault(); if (field.value.trim()) act('watch', field.value.trim()); } },
      h('div.grow', {}, field), h('button.bordered', { type: 'submit' }, w.watch)));
  }

  const heard = () => { drawComing(); if (![...underway.values()].some((entry) => entry.state !== 'failed')) drawList(); };
  document.addEventListener('import', heard);
  drawComing();
  drawList();
  return () => document.removeEventListener('import', heard);
}
