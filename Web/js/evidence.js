// The side sheet: the page a passage stands on, with the passage marked; next and previous.
import { h, $, fill, icon } from './dom.js';
import { can, one } from './api.js';
import { number, w } from './words.js';
import { trouble } from './dialog.js';
import { hold, release } from './focus.js';

let citations = [];
let place = 0;
let before = null;

export const isOpen = () => !$('evidence').hidden;

export function show(list, at) {
  if (!isOpen()) before = document.activeElement;
  citations = list;
  place = at;
  draw();
  $('evidence').hidden = false;
  hold('evidence');
  $('evidence').querySelector('h2').focus();
}

export function hide() {
  $('evidence').hidden = true;
  release('evidence');
  (before?.isConnected ? before : $('question') ?? $('main')).focus();
  document.dispatchEvent(new CustomEvent('evidence', { detail: null }));
}

export function shortScore(score) { return Number.isFinite(score) ? number(score, 2) : ''; }

function move(step) {
  place = (place + step + citations.length) % citations.length;
  draw();
  $('evidence').querySelector('h2').focus();
}

function draw() {
  const citation = citations[place];
  document.dispatchEvent(new CustomEvent('evidence', { detail: citation }));
  const body = h('div.body', { tabIndex: 0, role: 'group', 'aria-label': w.evidence });
  if (citation) {
    const facts = [citation.page && w.page(citation.page), Number.isFinite(citation.score) && w.relevance(shortScore(citation.score))].filter(Boolean).join(' · ');
    fill(body, h('div', {}, h('h3.bidi', {}, citation.title || citation.document), h('p.small.quiet', {}, facts)), h('div', { id: 'page-image' }), h('blockquote.bidi', {}, citation.text));
  } else fill(body, h('p.quiet', {}, w.noPassage));
  fill($('evidence'), h('header', {}, h('h2', { tabIndex: -1 }, w.evidence), icon('close', w.close, hide)), body,
    citations.length > 0 && h('footer', {}, icon('back', w.previous, () => move(-1), { disabled: citations.length < 2 }),
      h('span.grow.small', {}, w.of(place + 1, citations.length)), icon('next', w.next, () => move(1), { disabled: citations.length < 2 }),
      can('documents-outline') && citation && h('a.button', { href: `#/d/${citation.id}` }, w.openDocument)));
  if (citation && can('documents-page')) surroundings(citation);
}

/** The page itself, drawn on this device, with the passage marked and in sight; of what has no pages the text around it. */
async function surroundings(citation) {
  const box = $('page-image');
  const body = box.closest('.body');
  try {
    const { letterPlaces, sheet } = await import('./sheet.js');
    if (citation.page) {
      const page = sheet({ id: citation.id, number: citation.page, title: citation.title, marks: citation.boxes, drawn: () => {
        // A little above the middle.
        body.scrollTop = box.offsetTop - body.offsetTop + page.spot().y * box.offsetHeight - body.clientHeight / 3;
      } });
      try {
        await page.draw(2);
        if (box.isConnected) fill(box, h('figure', {}, page.element));
        return;
      } catch (failure) { if (failure.code !== 'document_no_picture') throw failure; }
    }
    // The words themselves; the citation's text holds what stands around them as well.
    const { sheets, citation: words } = await one('documents-outline', { id: citation.id });
    const place = sheets.findLastIndex((part) => part.start <= words.start);
    const { text, start } = await one('documents-page', { id: citation.id, page: sheets[Math.max(0, place)].number });
    if (!box.isConnected) return;
    const letter = letterPlaces(text);
    const [from, to] = [letter(words.start - start), letter(words.end - start)];
    const before = text.slice(0, from);
    const [first, last] = [Math.min(from, letter(citation.start - start)), Math.max(to, letter(citation.end - start))];
    // Neither begins nor ends within a word.
    const begin = first < 600 ? 0 : first - 600 + before.slice(first - 600).search(/\s|$/);
    const end = last + 600 + Math.max(0, text.slice(last + 600).search(/\s|$/));
    const mark = h('mark', {}, text.slice(from, to));
    fill(box.parentElement.querySelector('blockquote'), text.slice(begin, from).trimStart(), mark, text.slice(to, end).trimEnd());
    body.scrollTop = mark.offsetTop - body.offsetTop - body.clientHeight / 3;
  } catch (failure) { if (box.isConnected) fill(box, trouble(failure)); }
}
