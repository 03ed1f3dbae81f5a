// The page of who is let in: the place that the address names, what the keys do, what is heard of the program.
import { $, fill, h } from './dom.js';
import * as api from './api.js';
import { w } from './words.js';
import * as chat from './chat.js';
import * as talks from './talks.js';
import { strip } from './strip.js';
import { rail, railAgain, openRail, closeRail } from './rail.js';
import { reminders, awaitAlarms } from './command.js';
import { takeUp as takeUpImports, watchDrops, watchPaste } from './import.js';
import * as evidence from './evidence.js';
import { home, refresh, sense, tellPresence } from './home.js';
import { takeUp } from './fetching.js';
import { trouble, troubleNote, watchHeights } from './dialog.js';
import { talkKey, cancelTalk } from './voice.js';
import { keepFocus } from './focus.js';
import { watchPreviews } from './preview.js';

/** Screens are fetched when one goes there. */
const screens = {
  library: async () => (await import('./library.js')).library,
  packs: async () => (await import('./packs.js')).packs,
  settings: async () => (await import('./settings.js')).settingsScreen,
  diagnostics: async () => (await import('./diagnostics.js')).diagnostics,
  data: async () => (await import('./data.js')).data,
  actions: async () => (await import('./actions.js')).actionsScreen,
  d: async () => (await import('./viewer.js')).viewer,
};
const palette = async () => (await import('./palette.js')).palette();
const shortcuts = async () => (await import('./palette.js')).shortcuts();
let leave = null;

let going = 0;

export async function show() {
  const mine = going += 1;
  leave?.();
  leave = null;
  const [, place, id] = location.hash.split('/');
  closeRail();
  // It belongs to the answer that was left.
  if (evidence.isOpen()) evidence.hide();
  if (Object.hasOwn(screens, place)) {
    let screen;
    // The program may be gone, and with it what has not been fetched yet.
    try { screen = await screens[place](); } catch {
      if (mine === going) fill($('main'), h('div.screen', {}, h('div.inside', {}, h('h1', {}, w[place] ?? w.document), trouble({ code: 'unreachable', message: w.unreachable, remedy: w.unreachableDo }, show))));
      return;
    }
    // Somewhere else by now.
    if (mine !== going) return;
    leave = screen($('main'), id && decodeURIComponent(id));
    strip.supports(0);
    if (w[place]) document.title = `${w[place]} – Libera`;
  } else {
    await chat.open(place === 'c' ? id : null);
    document.title = chat.title();
    if (place === 'c') chat.resume(await api.running().catch(() => []));
  }
  rail();
}

function keys(event) {
  const typing = event.target.closest?.('input, textarea, select');
  const inDialog = document.querySelector('dialog[open]');
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') { event.preventDefault(); palette(); return; }
  if (inDialog) return;
  if (event.key === 'Escape') {
    if (cancelTalk() || closeRail() || chat.leaveEditing()) return;
    if (evidence.isOpen()) evidence.hide();
    // What is not seen is not stopped.
    else if ($('question')) chat.halt();
    return;
  }
  if (event.altKey && !event.ctrlKey) {
    const act = { Digit1: () => strip.mode('fast'), Digit2: () => strip.mode('deep'), KeyV: () => event.repeat || talkKey(true), KeyC: () => event.repeat || talkKey(true, true), KeyN: () => { location.hash = '#/new'; }, KeyE: () => (evidence.isOpen() ? evidence.hide() : evidence.show(chat.evidenceOfLast(), 0)) }[event.code];
    if (act) { event.preventDefault(); act(); }
    return;
  }
  if (typing || event.ctrlKey || event.metaKey) return;
  if (event.key === '?') { event.preventDefault(); shortcuts(); }
  if (event.key === '/') {
    event.preventDefault();
    if (!$('question')) location.hash = '#/new';
    setTimeout(() => $('question')?.focus());
  }
}


/** Let in: the house is shown and listened to. `door` can be shut again. */
export async function enter(door) {
  strip.build(openRail, chat.evidenceOfLast);
  document.addEventListener('home', () => strip.draw());
  document.addEventListener('sensed', () => strip.draw());
  document.addEventListener('talks', () => rail());
  document.addEventListener('anew', show);
  document.addEventListener('forgotten', (event) => {
    if (event.detail === 'conversations' || event.detail === 'everything') talks.forget();
    rail();
  });
  document.addEventListener('palette', palette);
  document.addEventListener('evidence', (event) => {
    for (const chip of document.querySelectorAll('[data-citation]')) chip.setAttribute('aria-pressed', String(chip.dataset.citation === event.detail?.id));
  });
  keepFocus();
  watchHeights();
  watchPreviews();
  addEventListener('keydown', keys);
  addEventListener('keyup', (event) => { if (['KeyV', 'KeyC'].includes(event.code) || event.key === 'Alt') talkKey(false); });
  document.querySelector('.skip').addEventListener('click', (event) => { event.preventDefault(); ($('question') ?? $('main')).focus(); });
  $('scrim').addEventListener('click', () => { closeRail() || evidence.hide(); });
  watchPaste();
  watchDrops((place) => (place.closest?.('.composer') ? chat.attachFiles : null));
  api.listen((state, failure) => {
    strip.link(state === 'open' ? 'open' : 'lost');
    chat.link(state !== 'open');
    if (state === 'shut' && !door.isShut()) door.shut(w.over, failure.code === 'stranger' ? w.stranger : w.overWhy);
    if (state === 'open') { if (door.isShut()) { door.unlock(); again(); } else railAgain(); }
  });
  tellPresence();
  // Whoever comes back to the start page may have added documents elsewhere. What cannot be asked stays as it was.
  for (const back of ['focus', 'hashchange']) addEventListener(back, () => { if (['', '#/new'].includes(location.hash)) refresh(); });
  await show();
  await refresh();
  takeUp(home.packs).then(takeUpImports).catch(() => {});
  chat.draw();
  sense().catch(() => {});
  const look = () => { if (!document.hidden) reminders(); };
  reminders();
  setTimeout(awaitAlarms, 5000);
  setInterval(look, 5000);
  document.addEventListener('visibilitychange', look);
  setInterval(() => { if (!document.hidden) sense().catch(() => {}); }, 10000);
}

/** Let in again: what the page knows of the house may be old, what stands on it is the person's. */
async function again() {
  try {
    await api.learn();
    await refresh();
    rail();
    if (!screens[location.hash.split('/')[1]]) chat.resume(await api.running());
  } catch (failure) { troubleNote(failure); }
}
