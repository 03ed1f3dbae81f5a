// The documents of the library, also thousands: in the order one wants, narrowed by name, kind and collection, several at once.
import { h, fill, icon, size } from './dom.js';
import { can, call, one } from './api.js';
import { day, language, w } from './words.js';
import { home, refresh } from './home.js';
import { confirmLoss, note, troubleNote } from './dialog.js';

/** So many rows are drawn before one asks for more. */
const step = 100;
const alphabet = new Intl.Collator(language, { numeric: true, sensitivity: 'base' });
const titleOf = (item) => item.title || item.document;
export const kindOf = (item) => w.kindsOfDocument[item.kind] ?? item.kind ?? '';

/** Documents that fit what is asked for, in the order that is. `words` are looked for in title and file name. */
export function chosenOf(documents, { words = '', kind = '', collection = '', order = 'added' }) {
  const wanted = words.toLocaleLowerCase(language).split(/\s+/).filter(Boolean);
  const fits = (item) => {
    const name = `${item.title} ${item.document}`.toLocaleLowerCase(language);
    return wanted.every((word) => name.includes(word)) && (!kind || kindOf(item) === kind) && (!collection || item.collection === collection);
  };
  const byTitle = (a, b) => alphabet.compare(titleOf(a), titleOf(b));
  const orders = { added: (a, b) => String(b.created ?? '').localeCompare(String(a.created ?? '')), title: byTitle, bytes: (a, b) => (b.bytes ?? 0) - (a.bytes ?? 0), kind: (a, b) => alphabet.compare(kindOf(a), kindOf(b)) };
  return documents.filter(fits).sort((a, b) => orders[order](a, b) || byTitle(a, b));
}

/** The ids of documents that were handed over and of whose name a newer one has been handed over since. */
export function outdatedOf(documents) {
  const same = Map.groupBy(documents.filter((item) => !item.source), (item) => `${item.collection}/${item.document}`);
  return new Set([...same.values()].flatMap((group) => group.map((item) => item.id).sort((a, b) => b - a).slice(1)));
}

/** A text with the words that were looked for marked. */
export function marked(text, words) {
  const wanted = words.trim().split(/\s+/).filter((word) => word.length > 1).map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  if (!wanted.length) return text;
  return text.split(new RegExp(`(${wanted.join('|')})`, 'giu')).map((part, place) => (place % 2 ? h('mark', {}, part) : part));
}

/** `reload` has the library ask anew which documents there are. */
export function shelf(reload) {
  let documents = [];
  let outdated = new Set();
  let shown = step;
  const chosen = new Set();
  const state = { words: '', kind: '', collection: '', order: localStorage.getItem('order') ?? 'added' };
  if (!w.sorts[state.order]) state.order = 'added';
  const list = h('div.items');
  const bar = h('div.row.shelf-bar', { hidden: true });
  const many = h('div.card.row.choosing', { hidden: true });
  const words = h('input', { type: 'search', 'aria-label': w.filter, placeholder: w.filter, oninput: () => narrow({ words: words.value }) });
  const pick = (name, label) => h('select', { 'aria-label': label, title: label, onchange: (event) => narrow({ [name]: event.target.value }) });
  const [kinds, collections, orders] = [pick('kind', w.kind), pick('collection', w.inCollection), pick('order', w.sortBy)];
  const element = h('section', {}, bar, many, list);
  fill(bar, h('div.grow', {}, words), kinds, collections, orders);
  fill(orders, Object.entries(w.sorts).map(([value, name]) => h('option', { value }, name)));
  orders.value = state.order;

  function narrow(what) {
    Object.assign(state, what);
    if (what.order) localStorage.setItem('order', what.order);
    shown = step;
    draw();
  }

  function offer(select, first, values, value) {
    fill(select, h('option', { value: '' }, first), values.map((name) => h('option', { value: name }, name)));
    select.value = values.includes(value) ? value : '';
    select.hidden = values.length < 2;
  }

  function draw() {
    for (const id of chosen) if (!documents.some((item) => item.id === id)) chosen.delete(id);
    outdated = outdatedOf(documents);
    bar.hidden = documents.length < 2;
    offer(kinds, w.allKinds, [...new Set(documents.map(kindOf))].filter(Boolean).sort(alphabet.compare), state.kind);
    offer(collections, w.allCollections, [...new Set(documents.map((item) => item.collection).filter(Boolean))].sort(alphabet.compare), state.collection);
    [state.kind, state.collection] = [kinds.value, collections.value];
    const fitting = chosenOf(documents, state);
    const groups = [...Map.groupBy(fitting.slice(0, shown), (item) => item.collection ?? '')];
    const several = !collections.hidden || state.collection;
    fill(list, groups.map(([collection, inside]) => [several && h('div.row', {}, h('h2.grow.bidi', {}, collection || w.library),
      can('collections-remove') && h('button.link', { type: 'button', 'aria-label': w.removeCollection(collection), onclick: () => removeGroup(collection) }, w.removeAll)),
    h('ul.items.plain', {}, inside.map(row))]),
    fitting.length > shown && h('button.bordered', { type: 'button', onclick: () => { shown += step; draw(); } }, w.showMore(fitting.length - shown)),
    documents.length > 0 && !fitting.length && h('p.quiet', { role: 'status' }, w.noneFits));
    drawChosen(fitting);
  }

  function drawChosen(fitting) {
    const within = many.contains(document.activeElement);
    many.hidden = chosen.size === 0;
    if (many.hidden) return;
    const into = h('input', { type: 'text', 'aria-label': w.moveWhere, placeholder: w.moveWhere, maxLength: 80, autocomplete: 'off' });
    into.setAttribute('list', 'collections');
    const whole = fitting.every((item) => chosen.has(item.id));
    fill(many, h('b.grow', { role: 'status' }, w.chosen(chosen.size)), !whole && h('button.bordered', { type: 'button', onclick: () => { for (const item of fitting) chosen.add(item.id); draw(); } }, w.chooseAll),
      can('documents-move') && h('form.row', { onsubmit: (event) => { event.preventDefault(); move(into.value.trim()); } }, h('div.field', {}, into), h('button.bordered', { type: 'submit' }, w.moveTo)),
      can('documents-remove') && h('button.danger', { type: 'button', onclick: removeChosen }, w.remove), icon('close', w.cancel, () => { chosen.clear(); draw(); }));
    if (within) many.querySelector('button')?.focus();
  }

  async function act(work) {
    try { await work(); } catch (failure) { troubleNote(failure); return; }
    await refresh();
    await reload();
  }

  const move = (collection) => collection && act(async () => {
    const { moved } = await one('documents-move', { ids: [...chosen], collection });
    chosen.clear();
    note(w.moved(moved));
  });

  async function removeChosen() {
    const ids = [...chosen];
    if (await confirmLoss(w.removeChosen(ids.length), w.removeDocumentWhat, w.remove)) await act(() => call('documents-remove', { documents: [], ids }));
  }

  async function removeGroup(collection) {
    const count = documents.filter((item) => (item.collection ?? '') === collection).length;
    if (await confirmLoss(w.removeCollection(collection), w.removeCollectionWhat(count), w.remove)) await act(() => call('collections-remove', { collection }));
  }

  function row(item) {
    const title = titleOf(item);
    const file = item.document !== title && item.document;
    const facts = [kindOf(item), item.pages && w.pagesOf(item.pages), item.bytes && size(item.bytes), item.created && w.addedOn(day(item.created)), item.state && item.state !== 'ready' && (w.documentStates[item.state] ?? item.state), item.missing && w.fileGone, outdated.has(item.id) && w.outdated, item.error].filter(Boolean).join(' · ');
    const name = h('span.ellipsis.bidi', {}, marked(title, state.words));
    const box = h('input', { type: 'checkbox', checked: chosen.has(item.id), 'aria-label': w.choose(title), onchange: () => { chosen[box.checked ? 'add' : 'delete'](item.id); drawChosen(chosenOf(documents, state)); } });
    return h('li.item', {}, h('label.pick', {}, box), h('div.grow', {}, can('documents-outline') ? h('a.plain', { href: `#/d/${item.id}`, title: w.read(title) }, name) : h('p', {}, name),
      file && h('p.small.ellipsis.bidi', {}, marked(file, state.words)), h('p.small.quiet', {}, facts)),
    can('documents-remove') && icon('bin', `${w.remove}: ${title}`, async () => {
      if (await confirmLoss(w.removeDocument(title), w.removeDocumentWhat, w.remove)) await act(() => call('documents-remove', { documents: [], ids: [item.id] }));
    }));
  }

  return {
    element,
    /** What there is now. */
    put(all) {
      documents = all;
      element.hidden = !all.length;
      draw();
    },
  };
}
