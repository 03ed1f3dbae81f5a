// Where the keyboard is. Nothing that is drawn anew may drop it, a drawer or a sheet over the page holds it, and a long list is
// one stop on its way.
import { $ } from './dom.js';

const narrow = matchMedia('(max-width: 899px)');
const parts = ['rail', 'strip', 'main', 'evidence'];
let above = null;

/** On a narrow window everything but this part of the page rests until `release`. */
export function hold(id) {
  above = id;
  if (!narrow.matches) return;
  for (const other of parts) $(other).inert = other !== id;
  document.querySelector('.skip').inert = true;
  $('scrim').hidden = false;
}

export function release(id) {
  if (above !== id) return;
  above = null;
  for (const other of parts) $(other).inert = false;
  document.querySelector('.skip').inert = false;
  $('scrim').hidden = true;
}

// A window that is made wider has room for both.
narrow.addEventListener('change', () => {
  const id = above;
  if (!id) return;
  release(id);
  hold(id);
});

const name = (element) => element.getAttribute('aria-label') || element.textContent;
const reachable = (element) => element.isConnected && !element.disabled && element.checkVisibility();

/** The nearest place to one that went: what has its name now, else what it stood in. */
function successor(lost, way) {
  const holder = way.find((element) => element.isConnected && element.checkVisibility() && element !== document.body && element !== document.documentElement);
  if (!holder || holder.matches('.scroll, #transcript, #main, #house')) return $('question') ?? $('main');
  const same = [...holder.querySelectorAll(lost.localName)].filter(reachable);
  const next = same.find((element) => name(element) === lost.name) ?? (way.indexOf(holder) < 2 ? same[0] : undefined);
  if (next) return next;
  if (!holder.hasAttribute('tabindex')) holder.tabIndex = -1;
  return holder;
}

/** Sees to it that focus never falls to the body because what had it was drawn anew or put out of use. */
export function keepFocus() {
  let last = null;
  document.addEventListener('focusin', ({ target }) => {
    const way = [];
    for (let element = target.parentElement; element; element = element.parentElement) way.push(element);
    last = { element: target, way, localName: target.localName, name: name(target) };
  });
  const look = () => {
    if (document.activeElement !== document.body || !last || document.querySelector('dialog[open]')) return;
    if (reachable(last.element)) return;
    successor(last, last.way).focus({ preventScroll: true });
  };
  new MutationObserver(() => setTimeout(look)).observe(document.body, { subtree: true, childList: true, attributes: true, attributeFilter: ['disabled', 'hidden'] });
}

/** One Tab stop for a list of rows: up and down between them, left and right within one. */
export function rove(list, rows) {
  const stops = () => [...list.querySelectorAll(rows)].map((row) => [...row.querySelectorAll('a, button')]);
  const settle = (chosen) => { for (const row of stops()) for (const stop of row) stop.tabIndex = stop === chosen ? 0 : -1; };
  const all = stops();
  settle((all.find((row) => row[0]?.getAttribute('aria-current') === 'page') ?? all[0])?.[0]);
  list.onfocusin = (event) => { if (stops().some((row) => row.includes(event.target))) settle(event.target); };
  list.onkeydown = (event) => {
    const grid = stops();
    const at = grid.findIndex((row) => row.includes(event.target));
    if (at < 0) return;
    const along = grid[at].indexOf(event.target);
    const go = { ArrowDown: [at + 1, along], ArrowUp: [at - 1, along], Home: [0, along], End: [grid.length - 1, along], ArrowRight: [at, along + 1], ArrowLeft: [at, along - 1] }[event.key];
    const next = go && grid[go[0]]?.[go[1]];
    if (!go) return;
    event.preventDefault();
    next?.focus();
  };
}
