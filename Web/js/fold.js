// On a phone one card of commands is open at a time: the one that was drawn or tapped last, else the newest. Of the others their
// words stand, and a tap opens them.
import { h, glyph } from './dom.js';
import { w } from './words.js';

const narrow = matchMedia('(max-width: 600px)');
narrow.addEventListener('change', () => fold());
let opened = null;

/** Opens or folds what stands there; `card` is the one that is to be open. */
export function fold(card) {
  if (card) opened = card;
  const cards = [...document.querySelectorAll('#main .card.command')];
  const open = cards.includes(opened) ? opened : cards.at(-1);
  for (const one of cards) {
    const folds = narrow.matches && one !== open;
    one.classList.toggle('folded', folds);
    one.querySelector(':scope > .unfold')?.remove();
    if (folds) one.append(way(one));
  }
  if (!card?.classList.contains('folded')) card?.scrollIntoView({ block: 'nearest' });
}

function way(card) {
  const label = w.openCard(card.querySelector('.command-words')?.textContent ?? '');
  return h('button.icon.unfold', { type: 'button', 'aria-label': label, title: label, 'aria-expanded': 'false', onclick: () => {
    card.tabIndex = -1;
    fold(card);
    card.focus();
  } }, glyph('down-hit'));
}
