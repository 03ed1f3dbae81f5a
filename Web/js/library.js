// The library: what is there, what is being added, a search over all of it.
import { h, fill, icon, size, glyph } from './dom.js';
import { can, call, one } from './api.js';
import { w } from './words.js';
import { add, aim, underway, stop } from './import.js';
import { home, refresh } from './home.js';
import { confirmLoss, trouble, troubleNote } from './dialog.js';
import { show, shortScore, wholeText } from './evidence.js';

export function library(main) {
  const files = h('input', { type: 'file', multiple: true, hidden: true, onchange: () => { add([...files.files]); files.value = ''; } });
  const coming = h('section', { 'aria-live': 'polite', hidden: true });
  const list = h('div.items');
  const hits = h('div.passages', { 'aria-live': 'polite' });
  const words = h('input', { type: 'search', placeholder: w.searchLibrary, 'aria-label': w.searchLibrary });
  const find = h('form.row', { role: 'search', onsubmit: search }, h('div.grow', {}, words), h('button.bordered', { type: 'submit' }, w.searchLibrary.split(' ')[0]));
  const known = h('datalist', { id: 'collections' });
  const into = h('input', { type: 'text', id: 'collection', value: aim.collection, placeholder: w.collectionHint, autocomplete: 'off', maxLength: 80, oninput: () => { aim.collection = into.value.trim(); } });
  into.setAttribute('list', known.id);
  fill(main, h('div.screen', { tabIndex: -1 }, h('div.inside', {},
    h('div.row', {}, h('h1.grow', {}, w.library), can('import') && h('button.main-action', { type: 'button', onclick: () => files.click() }, w.add), files),
    can('import') && h('div.row.into', {}, h('p.small.quiet.grow', {}, w.howToAdd), h('label.small', { htmlFor: into.id }, w.collection), h('div.field', {}, into), known),
    can('search') && h('section', {}, find, hits), coming, h('section', {}, list), can('watched') && watched())));

  async function search(event) {
    event.preventDefault();
    if (!words.value.trim()) { fill(hits); return; }
    try {
      const found = (await one('search', { query: words.value.trim(), limit: 8, stage: 'fused' })).results ?? [];
      const cites = found.map((hit) => ({ ...hit, title: hit.title ?? hit.document, start: hit.start ?? 0, end: hit.end ?? 0 }));
      fill(hits, found.length ? cites.map((hit, place) => h('button', { type: 'button', onclick: () => show(cites, place) },
        h('span.small.quiet', {}, [hit.title, hit.page && w.page(hit.page), shortScore(hit.score)].filter(Boolean).join(' · ')), h('q.bidi', {}, hit.text))) : h('p.quiet', {}, w.noHits));
    } catch (failure) { fill(hits, trouble(failure)); }
  }

  function drawComing() {
    coming.hidden = underway.size === 0;
    const active = [...underway.values()].some((entry) => entry.state !== 'failed');
    fill(coming, h('div.row', {}, h('h2.grow', {}, active ? w.importing : w.notAdded), active && h('button.bordered', { type: 'button', onclick: stop }, w.stop)),
      h('div.items', {}, [...underway].map(([name, entry]) => h('div.card', {}, h('div.row', {}, h('span.grow.ellipsis.bidi', {}, name), h('span.small.quiet', {}, entry.state === 'failed' ? w.failed : entry.of ? w.reading(entry.done, entry.of) : w.importing)),
        entry.state === 'failed' ? h('div.row', {}, h('p.small.grow', {}, entry.reason ?? ''), h('button.link', { type: 'button', onclick: () => { underway.delete(name); drawComing(); } }, w.close))
          : h('progress', { 'aria-label': name, max: 1, ...(entry.of ? { value: entry.done / entry.of } : {}) })))));
  }

  async function drawList() {
    if (!can('documents')) { fill(list, h('div.empty', {}, w.emptyLibrary)); return; }
    let documents;
    try { documents = (await call('documents')).filter((one) => one.document); } catch (failure) { fill(list, trouble(failure, drawList)); return; }
    if (!documents.length) {
      fill(list, h('div.empty', {}, h('p', {}, w.emptyLibrary), can('import') && h('button.bordered', { type: 'button', onclick: () => files.click() }, w.add)));
      return;
    }
    const groups = Map.groupBy ? Map.groupBy(documents, (one) => one.collection ?? '') : new Map([['', documents]]);
    fill(known, home.collections.map((value) => h('option', { value })));
    fill(list, [...groups].map(([collection, inside]) => [groups.size > 1 && h('div.row', {}, h('h2.grow', {}, collection || w.library),
      can('collections-remove') && h('button.link', { type: 'button', 'aria-label': w.removeCollection(collection), onclick: () => removeGroup(collection, inside.length) }, w.removeAll)), h('ul.items.plain', {}, inside.map(row))]));
  }

  async function removeGroup(collection, count) {
    if (!await confirmLoss(w.removeCollection(collection), w.removeCollectionWhat(count), w.remove)) return;
    try { await call('collections-remove', { collection }); } catch (failure) { troubleNote(failure); }
    await refresh();
    drawList();
  }

  function row(item) {
    const facts = [item.pages && w.pagesOf(item.pages), item.bytes && size(item.bytes), item.state && item.state !== 'ready' && (w.documentStates[item.state] ?? item.state), item.missing && w.fileGone, item.error].filter(Boolean).join(' · ');
    const title = item.title || item.document;
    const name = h('span.ellipsis.bidi', {}, title);
    return h('li.item', {}, glyph('book'), h('div.grow', {}, can('documents-text') ? h('button.plain', { type: 'button', title: w.read(title), onclick: () => wholeText({ id: item.id, title }) }, name) : h('p', {}, name), h('p.small.quiet', {}, facts)),
      can('documents-remove') && icon('bin', `${w.remove}: ${title}`, async () => {
        if (!await confirmLoss(w.removeDocument(title), w.removeDocumentWhat, w.remove)) return;
        try { await call('documents-remove', { documents: [], ids: [item.id] }); } catch (failure) { troubleNote(failure); }
        await refresh();
        drawList();
      }));
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
