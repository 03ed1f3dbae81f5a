// Where a conversation is read: it follows what is written where one is at its end, and leads back there.
import { h } from './dom.js';
import { w } from './words.js';

/** Puts `scroll`, `column`, `toEnd` and `follows` into `screen`. `state` tells what is there: `isEmpty`, `hasTurns`. */
export function transcript(screen, state) {
  screen.column = h('div.column', { id: 'transcript' });
  const scroll = screen.scroll = h('div.scroll', { tabIndex: 0, role: 'log', 'aria-label': w.talks, 'aria-live': 'off' }, screen.column);
  const toEnd = screen.toEnd = h('button.to-end', { type: 'button', hidden: true, onclick: () => scroll.scrollTo({ top: scroll.scrollHeight }) }, w.toEnd);
  const atEnd = () => state().isEmpty || scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 48;
  scroll.addEventListener('scroll', () => { toEnd.hidden = atEnd(); });
  screen.column.addEventListener('grown', () => {
    if (screen.follows) scroll.scrollTop = scroll.scrollHeight;
    toEnd.hidden = atEnd();
  });
  scroll.addEventListener('wheel', () => { screen.follows = atEnd(); }, { passive: true });
  scroll.addEventListener('scrollend', () => { screen.follows = atEnd(); });
  screen.follows = true;
  new ResizeObserver(() => {
    if (screen.follows && state().hasTurns) scroll.scrollTop = scroll.scrollHeight;
    toEnd.hidden = atEnd();
  }).observe(scroll);
}
