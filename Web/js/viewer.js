// A document to be read: its pages as they come into view, or its text; opened at a passage, searched, turned, made larger.
import { h, $, fill, icon, glyph } from './dom.js';
import { can, one } from './api.js';
import { w, when } from './words.js';
import { ask } from './chat.js';
import { trouble } from './dialog.js';
import { letterPlaces } from './sheet.js';
import { Pages } from './pages.js';
import { part } from './reading.js';
import { finder } from './finder.js';

export function viewer(main, id) {
  const scroll = h('div.pages', { tabIndex: 0, role: 'region', 'aria-label': w.document });
  const head = h('h1.ellipsis.bidi', {}, '');
  const bar = h('div.viewer-bar', { role: 'toolbar', 'aria-label': w.document });
  const aside = h('nav.contents', { 'aria-label': w.contents, hidden: true });
  const found = h('div.row.tight.finder', { role: 'search' });
  const about = h('div.row.asking');
  const thread = h('details.thread', { hidden: true });
  fill(main, h('div.viewer', {}, h('div.row.viewer-head', {}, icon('back', w.back, back), head, about), bar, thread, found, h('div.viewer-body', {}, aside, scroll)));
  let closed = false;
  let end = () => {};
  open().catch((failure) => { if (!closed) fill(scroll, trouble(failure)); });
  return () => { closed = true; end(); };

  async function open() {
    const outline = await one('documents-outline', { id });
    if (closed) return;
    const title = outline.document.title || outline.document.document;
    fill(head, title);
    head.title = outline.document.document;
    document.title = `${title} – Libera`;
    together(outline);
    if (!outline.sheets.length) { fill(scroll, h('p.quiet.nothing', {}, w.nothingToRead)); return; }
    // Slides and sheets of a workbook have numbers and no picture.
    const shown = outline.sheets.some((sheet) => sheet.width > 0) ? new Pages(scroll, outline, { id, title }) : await text(outline);
    if (closed) { shown.end(); return; }
    const find = finder(found, { texts: () => texts(outline), show: (all, now) => shown.find(all, now) });
    const selecting = () => { quote.hidden = !selected(); };
    const quote = h('button.main-action', { type: 'button', hidden: true, onclick: () => askHere(outline, shown) }, w.askAboutPassage);
    fill(about, can('ask') && [quote, h('button.bordered', { type: 'button', 'aria-label': w.askAboutDocument, title: w.askAboutDocument, onclick: () => ask(w.aboutDocument(title)) }, glyph('pen'), h('span', {}, w.askAboutDocument))]);
    document.addEventListener('selectionchange', selecting);
    const keys = (event) => key(event, shown, find);
    addEventListener('keydown', keys);
    contents(outline, shown);
    fill(bar, outline.headings.length > 0 && contentsButton(), shown.tools, h('span.grow'), icon('search', w.findInDocument, () => find.open()));
    end = () => { document.removeEventListener('selectionchange', selecting); removeEventListener('keydown', keys); shown.end(); };
    shown.begin(outline.citation);
  }

  /** The words that are selected in the document, if any. */
  function selected() {
    const selection = document.getSelection();
    if (!selection?.rangeCount || !scroll.contains(selection.anchorNode)) return '';
    return selection.toString().replace(/\s+/g, ' ').trim();
  }

  function askHere(outline, shown) {
    const words = selected().slice(0, 1500);
    ask(w.aboutPassage(words, outline.document.title || outline.document.document, shown.page?.()));
  }

  function key(event, shown, find) {
    if (document.querySelector('dialog[open]') || event.altKey) return;
    const typing = event.target.closest?.('input, textarea, select');
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'f' && !found.contains(event.target)) { event.preventDefault(); find.open(); return; }
    if (event.key === 'Escape' && find.close()) { event.stopImmediatePropagation(); scroll.focus(); return; }
    if (typing || event.ctrlKey || event.metaKey) return;
    const act = { '+': () => shown.zoom?.(1.25), '=': () => shown.zoom?.(1.25), '-': () => shown.zoom?.(0.8), 0: () => shown.zoom?.(0), r: () => shown.turn?.(90), f: () => find.open() }[event.key];
    if (act) { event.preventDefault(); event.stopImmediatePropagation(); act(); }
  }

  /** The other messages of a thread of mail. */
  function together(outline) {
    const all = outline.thread ?? [];
    thread.hidden = all.length < 2;
    if (thread.hidden) return;
    fill(thread, h('summary', {}, w.moreOfThread(all.length - 1)), h('ol.plain', {}, all.map((one) => h('li', {},
      h('a.row.line', { href: `#/d/${encodeURIComponent(one.id)}`, 'aria-current': one.id === outline.document.id && 'page' },
        one.sent && h('span.small.quiet', {}, when(one.sent)), h('span.bidi', {}, one.sender || one.document), h('span.grow.ellipsis.bidi', {}, one.title))))));
  }

  // Contents

  function contentsButton() {
    const button = h('button.icon', { type: 'button', id: 'contents', 'aria-label': w.contents, title: w.contents, 'aria-expanded': 'false', onclick: () => {
      aside.hidden = !aside.hidden;
      button.setAttribute('aria-expanded', String(!aside.hidden));
      dispatchEvent(new Event('resize'));
      if (!aside.hidden) aside.querySelector('button')?.focus();
    } }, glyph('list'));
    return button;
  }

  function contents(outline, shown) {
    fill(aside, h('h2.quiet-voice', {}, w.contents), h('ul.plain', {}, outline.headings.map((heading) => h('li', { className: `level-${Math.min(4, heading.level)}` },
      h('button.plain.row.line', { type: 'button', onclick: () => { if (innerWidth < 900) { aside.hidden = true; $('contents').setAttribute('aria-expanded', 'false'); } shown.go(heading); scroll.focus(); } },
        h('span.grow.bidi', {}, heading.title), heading.page && h('span.small.quiet', {}, heading.page))))));
  }

  // Text

  async function text(outline) {
    const all = await texts(outline);
    const parts = all.map((words) => part(words));
    const cited = [];
    const { citation } = outline;
    if (citation) {
      const index = Math.max(0, outline.sheets.findLastIndex((one) => one.start <= citation.start));
      const place = letterPlaces(all[index]);
      const start = outline.sheets[index].start;
      cited.push({ sheet: index, from: place(citation.start - start), to: place(citation.end - start), kind: 'passage' });
      parts[index].draw(cited);
    }
    scroll.classList.add('as-text');
    fill(scroll, h('div.text', {}, parts.map((one, index) => [outline.document.pages != null && h('h2.small.quiet', {}, w.pageLong(outline.sheets[index].number)), one.element])));
    let touched = new Set();
    const see = (mark) => {
      // What was never in sight has a guessed height until its place is asked for, and nobody scrolls beyond that.
      mark?.getBoundingClientRect();
      mark?.scrollIntoView({ block: 'center' });
    };
    return {
      tools: null,
      go(heading) {
        const index = Math.max(0, outline.sheets.findLastIndex((one) => one.start <= heading.start));
        const from = letterPlaces(all[index])(heading.start - outline.sheets[index].start);
        parts[index].draw([{ from, to: from + 1, kind: 'place', hit: 'place' }]);
        see(parts[index].element.querySelector('[data-hit=place]'));
        parts[index].draw(cited.filter((one) => one.sheet === index));
      },
      begin() { see(scroll.querySelector('mark.passage')); },
      find(hits, now) {
        const changed = new Set(hits.map((hit) => hit.sheet));
        for (const index of new Set([...changed, ...touched])) {
          const ranges = hits.flatMap((hit, number) => (hit.sheet === index ? [{ ...hit, kind: number === now ? 'hit.now' : 'hit', hit: number }] : []));
          parts[index].draw(ranges.length ? ranges : cited.filter((one) => one.sheet === index));
        }
        touched = changed;
        see(scroll.querySelector(`[data-hit="${now}"]`));
      },
      end() {},
    };
  }
}

/** The text of each sheet, in letters. */
const known = new WeakMap();
async function texts(outline) {
  if (!known.has(outline)) {
    const bytes = new TextEncoder().encode((await one('documents-text', { id: outline.document.id })).text);
    const decoder = new TextDecoder();
    known.set(outline, outline.sheets.map((one, index) => decoder.decode(bytes.subarray(one.start, outline.sheets[index + 1]?.start ?? bytes.length))));
  }
  return known.get(outline);
}

function back() {
  if (history.length > 1) history.back();
  else location.hash = '#/library';
}
