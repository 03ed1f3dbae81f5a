// An answer while it is made, in its place: what is done now and for how long, with a way to stop and a way to what is there already.
import { h, fill, announce } from './dom.js';
import { w } from './words.js';

const clock = (ms) => `${Math.floor(ms / 60000)}:${String(Math.floor(ms / 1000) % 60).padStart(2, '0')}`;

/** The step that follows when an event comes: looking, loading, found, reading, pondering, writing; null where it stays. */
export function step(now, event) {
  if (event.piece !== undefined && event.piece !== null) return 'writing';
  if (now === 'writing') return null;
  if (event.thought) return 'pondering';
  if (event.loading !== undefined && event.loading !== null && event.loading < 1) return 'loading';
  if (event.reading) return 'reading';
  if (event.evidence?.length) return 'found';
  if (now === 'loading' && event.loading === 1) return 'found';
  return null;
}

/** `stop` ends the answer; `quote` shows what was found instead of waiting, where that can be had. */
export function made({ stop, quote }) {
  let now = 'looking';
  let found = 0;
  let tokens = 0;
  let share = 0;
  let speed = 0;
  let lost = false;
  const began = performance.now();
  const state = h('span');
  const shape = h('i.shape.work', { 'aria-hidden': 'true' });
  const time = h('span.clock', { 'aria-hidden': 'true' });
  const quotes = h('button.link', { type: 'button', hidden: true, onclick: () => { quotes.disabled = true; quote(); } }, w.quotesNow);
  const stops = h('button.link', { type: 'button', onclick: stop }, w.stop);
  const element = h('div.made', { role: 'group', 'aria-label': w.makingOf }, shape, state, time,
    quote && quotes, stops);
  const words = () => {
    if (lost) return w.lostMeanwhile;
    if (now === 'loading') return w.loading(share);
    if (now === 'found') return found ? w.passagesFound(found) : w.thinkingOver;
    if (now === 'reading') return [found && w.passagesFound(found), w.readingTokens(tokens)].filter(Boolean).join(', ');
    if (now === 'pondering') return w.pondering;
    if (now === 'writing') return speed ? w.writingAt(speed) : w.writing;
    return w.thinking;
  };
  const draw = () => {
    const text = words();
    if (state.textContent !== text) fill(state, text);
    fill(time, clock(performance.now() - began));
    // Nothing goes on that this page would know of.
    time.hidden = lost;
    shape.className = `shape ${lost ? 'off' : 'work'}`;
    state.className = lost ? 'grow' : '';
    quotes.hidden = !found || now === 'writing' || lost;
    stops.hidden = lost;
  };
  const ticking = setInterval(draw, 500);
  draw();
  announce(w.thinking);
  return {
    element,
    take(event, tokensPerSecond) {
      if (event.evidence) found = event.evidence.length;
      if (event.loading !== undefined && event.loading !== null) share = event.loading;
      if (event.reading) tokens = event.reading;
      speed = tokensPerSecond || speed;
      const next = step(now, event);
      if (next && next !== now) {
        now = next;
        announce(words());
      }
      draw();
    },
    /** Whether the program can be heard. */
    link(isLost) {
      if (lost === isLost) return;
      lost = isLost;
      draw();
      announce(words());
    },
    end() {
      clearInterval(ticking);
      element.remove();
    },
  };
}
