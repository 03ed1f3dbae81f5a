// What is known of an error beyond its remedy (docs/troubles.md), folded away below it. It is asked for once, with the first error.
import { h } from './dom.js';
import { language, w } from './words.js';
import { can, one } from './api.js';

let asked = null;

function known() {
  // Where it cannot be had the error stands as it is; the next one asks again.
  return asked ??= one('troubles', { language }).then(({ troubles }) => troubles, () => { asked = null; return []; });
}

/** Text with `code` in it. */
const words = (text) => text.split('`').map((piece, place) => (place % 2 ? h('code', {}, piece) : piece));

export async function tellMore(card, { code, status }) {
  if (!code || status === 401 || !can('troubles')) return;
  const entry = (await known()).find(({ codes }) => codes.includes(code));
  if (!entry) return;
  const paragraphs = entry.text.split('\n\n').map((text) => h('p', {}, words(text)));
  card.insertBefore(h('details.quiet', {}, h('summary', {}, w.moreAbout), h('div', { lang: entry.language, dir: 'ltr' }, paragraphs)), card.querySelector('.row'));
}
