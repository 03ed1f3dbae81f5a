// The side sheet: the page a passage stands on, with the passage marked; next and previous.
import { h, $, fill, icon } from './dom.js';
import { can, one } from './api.js';
import { w } from './words.js';
import { inform, trouble } from './dialog.js';
import { hold, release } from './focus.js';

let citations = [];
let place = 0;
let before = null;
let address;

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

export function shortScore(score) { return Number.isFinite(score) ? score.toFixed(2) : ''; }

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
      can('documents-text') && citation && h('button.bordered', { type: 'button', onclick: () => wholeText(citation) }, w.wholeText)));
  if (citation && can('open')) picture(citation);
}

/** The mark comes into sight, a little above the middle; boxes are in points, the picture has two pixels to each. */
function toMark(image, boxes) {
  const body = image.closest('.body');
  const tops = (boxes ?? []).map((box) => Math.min(box[1], box[3]));
  if (!body || !tops.length || !image.naturalHeight) return;
  const at = image.getBoundingClientRect().top - body.getBoundingClientRect().top + body.scrollTop + (Math.min(...tops) * 2 / image.naturalHeight) * image.height;
  body.scrollTop = Math.max(0, at - body.clientHeight / 3);
}

/** The page itself, drawn on this device. */
async function picture(citation) {
  const box = $('page-image');
  try {
    const page = await one('open', { id: citation.id, scale: 2 });
    const { score, ...found } = page.citation ?? {};
    Object.assign(citation, found);
    if (!box.isConnected) return;
    if (!page.picture) {
      const quote = box.parentElement.querySelector('blockquote');
      fill(quote, page.before, h('mark', {}, citation.text), page.after);
      return;
    }
    const bytes = Uint8Array.from(atob(page.picture), (letter) => letter.charCodeAt(0));
    if (address) URL.revokeObjectURL(address);
    address = URL.createObjectURL(new Blob([bytes], { type: 'image/png' }));
    const image = h('img', { src: address, alt: w.pageImage(citation.title, citation.page), onload: () => toMark(image, citation.boxes) });
    fill(box, h('figure', {}, image));
  } catch (failure) { if (box.isConnected) fill(box, trouble(failure)); }
}

/** A document as text, opened at the passage if one is given. Offsets count UTF-8 bytes; an id is its own or a citation's. */
export async function wholeText({ id, title, start, end }) {
  let text;
  try { text = (await one('documents-text', { id })).text; } catch (failure) {
    inform(title, trouble(failure));
    return;
  }
  const bytes = new TextEncoder().encode(text);
  const cut = (from, to) => new TextDecoder().decode(bytes.subarray(from, to));
  const mark = end > start && h('mark', { tabIndex: -1 }, cut(start, end));
  if (mark) setTimeout(() => { mark.scrollIntoView({ block: 'center' }); mark.focus(); });
  inform(title, h('div.passage.bidi', { tabIndex: 0, role: 'group', 'aria-label': title }, mark ? [cut(0, start), mark, cut(end)] : text));
}

