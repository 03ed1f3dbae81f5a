// A look at a passage without opening it, or at what a mark means: for the pointer that rests there, and for the keyboard.
import { h, $, fill } from './dom.js';
import { w } from './words.js';

const patience = 250; // milliseconds a pointer rests before it is shown, and may take on its way into it
let [due, shown] = [null, null];
const card = h('div.card.preview', { id: 'preview', role: 'tooltip', hidden: true });
const passages = new WeakMap();

/** Has the passage be seen at `element`. */
export function previews(element, citation) {
  passages.set(element, citation);
  return element;
}

function hide() {
  clearTimeout(due);
  shown?.removeAttribute('aria-describedby');
  shown = null;
  card.hidden = true;
}

function show(element) {
  clearTimeout(due);
  const citation = passages.get(element);
  if (!citation || !element.isConnected || !$('evidence').hidden) return;
  hide();
  shown = element;
  const text = citation.text.length > 420 ? `${citation.text.slice(0, 420)} …` : citation.text;
  const place = [citation.title || citation.document, citation.page && w.page(citation.page)].filter(Boolean).join(' · ');
  fill(card, place && h('p.small.quiet', {}, place), h('p.bidi', {}, text));
  card.hidden = false;
  element.setAttribute('aria-describedby', 'preview');
  const [at, own] = [element.getBoundingClientRect(), card.getBoundingClientRect()];
  const above = at.top - own.height - 8;
  card.style.left = `${Math.max(8, Math.min(at.left, innerWidth - own.width - 8))}px`;
  card.style.top = `${above >= 8 ? above : Math.min(at.bottom + 8, innerHeight - own.height - 8)}px`;
}

const subject = (event) => { const element = event.target.closest?.('button'); return element && passages.has(element) ? element : null; };

/** Listens on the whole page, once. */
export function watchPreviews() {
  $('strip').append(card);
  document.addEventListener('pointerover', (event) => {
    if (event.pointerType !== 'mouse') return;
    const element = subject(event);
    clearTimeout(due);
    if (element && element !== shown) due = setTimeout(() => show(element), patience);
    else if (shown && !element && !card.contains(event.target)) due = setTimeout(hide, patience);
  });
  document.addEventListener('focusin', (event) => {
    const element = subject(event);
    if (element?.matches(':focus-visible')) show(element);
    else if (shown) hide();
  });
  document.addEventListener('click', hide);
  addEventListener('keydown', (event) => { if (event.key === 'Escape') hide(); });
  addEventListener('scroll', hide, { capture: true, passive: true });
}
