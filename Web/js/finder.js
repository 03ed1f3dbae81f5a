// Finding words in one document: every hit in its order, the one that is looked at, and how many there are.
import { h, fill, icon, announce } from './dom.js';
import { w } from './words.js';

/** More than anybody steps through. */
const most = 2000;

/** Where words stand in texts, whatever the case and however they are broken into lines: [{sheet, from, to}]. */
export function hitsOf(texts, words) {
  const wanted = words.trim();
  if (!wanted) return [];
  const pattern = new RegExp(wanted.split(/\s+/).map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('\\s+'), 'giu');
  const hits = [];
  for (let sheet = 0; sheet < texts.length && hits.length < most; sheet += 1) {
    for (const match of texts[sheet].matchAll(pattern)) hits.push({ sheet, from: match.index, to: match.index + match[0].length });
  }
  return hits.slice(0, most);
}

/** A field with its count and two arrows, in `place`; `show(hits, now)` marks them. */
export function finder(place, { texts, show }) {
  let [hits, now, due] = [[], -1, null];
  place.hidden = true;
  const field = h('input', { type: 'search', 'aria-label': w.findInDocument, placeholder: w.findInDocument });
  const count = h('span.small.quiet', { role: 'status' });
  const step = (by) => {
    if (!hits.length) return;
    now = (now + by + hits.length) % hits.length;
    tell();
    show(hits, now);
  };
  const [before, after] = [icon('up', w.hitBefore, () => step(-1)), icon('down-hit', w.hitAfter, () => step(1))];
  const tell = () => {
    fill(count, field.value.trim() ? (hits.length ? w.hitOf(now + 1, hits.length) : w.noHit) : '');
    before.disabled = after.disabled = hits.length < 2;
  };
  async function look() {
    const wanted = field.value;
    const all = hitsOf(await texts(), wanted);
    if (wanted !== field.value) return;
    [hits, now] = [all, all.length ? 0 : -1];
    tell();
    show(hits, now);
  }
  field.addEventListener('input', () => { clearTimeout(due); due = setTimeout(look, 200); });
  field.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    step(event.shiftKey ? -1 : 1);
  });
  const close = () => {
    if (place.hidden) return false;
    place.hidden = true;
    [hits, now] = [[], -1];
    field.value = '';
    show(hits, now);
    return true;
  };
  fill(place, h('div.grow', {}, field), count, before, after, icon('close', w.close, close));
  tell();
  return { open() { place.hidden = false; field.focus(); field.select(); announce(w.findInDocument); }, close };
}
