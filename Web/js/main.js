// The beginning: let the browser in, learn what this build can do, show the place the address names.
import { h, $, fill } from './dom.js';
import * as api from './api.js';
import { w } from './words.js';
import * as chat from './chat.js';
import { strip } from './strip.js';
import { rail, openRail, closeRail } from './rail.js';
import { library } from './library.js';
import { packs } from './packs.js';
import { settingsScreen, theme } from './settings.js';
import { diagnostics } from './diagnostics.js';
import { data } from './data.js';
import { actionsScreen, reminders } from './command.js';
import { watchDrops, watchPaste } from './import.js';
import { palette, shortcuts } from './palette.js';
import * as evidence from './evidence.js';
import { refresh, sense, tellPresence } from './home.js';
import { trouble, troubleNote } from './dialog.js';
import { talkKey, cancelTalk } from './voice.js';
import { keepFocus } from './focus.js';

const screens = { library, packs, settings: settingsScreen, diagnostics, data, actions: actionsScreen };
let leave = null;

async function show() {
  leave?.();
  leave = null;
  const [, place, id] = location.hash.split('/');
  closeRail();
  // It belongs to the answer that was left.
  if (evidence.isOpen()) evidence.hide();
  if (screens[place]) {
    leave = screens[place]($('main'));
    document.title = `${w[place]} – Libera`;
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
    else chat.halt();
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

let gate = null;
/** Whether this page has shown what is behind the gate. */
let isOpen = false;

/** Stands before the page while this browser is not let in. What is behind it stays as it is. */
function shut(title, why) {
  // What was open asks for what cannot be done now.
  for (const open of document.querySelectorAll('dialog[open]')) open.close();
  gate?.remove();
  gate = h('dialog.shut', { 'aria-labelledby': 'shut-title', oncancel: (event) => event.preventDefault() },
    h('div.stack', { role: 'status' }, h('h2', { id: 'shut-title', tabIndex: -1 }, title), h('p', {}, why), h('p.quiet', {}, w.lockedDo)));
  document.body.append(gate);
  gate.showModal();
  gate.querySelector('h2').focus();
}

function unlock() {
  gate?.remove();
  gate = null;
  for (const card of document.querySelectorAll('#toasts [data-code=unreachable]')) card.remove();
}

/** The code in the page's address, if there is one, lets this browser in. `before` is the place the page was at. */
async function admit(before) {
  const code = new URLSearchParams(location.hash.slice(1)).get('key');
  if (!code) return undefined;
  history.replaceState(null, '', location.pathname + before);
  try { await api.enter(code); } catch (failure) { return failure; }
  return undefined;
}

/** A link that lets in was opened where the page stands already. */
async function moved(event) {
  if (!location.hash.startsWith('#key=')) {
    if (isOpen) await show();
    return;
  }
  const refused = await admit(new URL(event.oldURL).hash);
  if (refused && gate) shut(isOpen ? w.over : w.locked, refused.status === 401 ? w.lockedSpent : refused.message);
  else if (refused) troubleNote(refused);
}

async function begin() {
  theme(localStorage.getItem('theme'));
  addEventListener('hashchange', moved);
  const refused = await admit('');
  for (;;) {
    const arrival = new Promise((done) => api.onArrival(done));
    try { await api.learn(); break; } catch (failure) {
      if (failure.status !== 401) { fill($('main'), trouble(failure, () => location.reload())); return; }
      if (!gate) shut(w.locked, refused?.status === 401 ? w.lockedSpent : w.lockedWhy);
      await arrival;
    }
  }
  isOpen = true;
  unlock();
  strip.build(openRail);
  document.addEventListener('home', () => strip.draw());
  document.addEventListener('sensed', () => strip.draw());
  document.addEventListener('talks', () => rail());
  document.addEventListener('forgotten', (event) => {
    if (event.detail === 'conversations' || event.detail === 'everything') chat.forget();
    rail();
  });
  document.addEventListener('palette', palette);
  document.addEventListener('evidence', (event) => {
    for (const chip of document.querySelectorAll('[data-citation]')) chip.setAttribute('aria-pressed', String(chip.dataset.citation === event.detail?.id));
  });
  keepFocus();
  addEventListener('keydown', keys);
  addEventListener('keyup', (event) => { if (['KeyV', 'KeyC'].includes(event.code) || event.key === 'Alt') talkKey(false); });
  document.querySelector('.skip').addEventListener('click', (event) => { event.preventDefault(); ($('question') ?? $('main')).focus(); });
  $('scrim').addEventListener('click', () => { closeRail() || evidence.hide(); });
  watchPaste();
  watchDrops((place) => (place.closest?.('.composer') ? chat.attachFiles : null));
  api.listen((state, failure) => {
    strip.link(state === 'open' ? 'open' : 'lost');
    chat.link(state !== 'open');
    if (state === 'shut' && !gate) shut(w.over, failure.code === 'stranger' ? w.stranger : w.overWhy);
    if (state === 'open' && gate) { unlock(); again(); }
  });
  tellPresence();
  await show();
  await refresh();
  chat.draw();
  sense().catch(() => {});
  reminders();
  setInterval(reminders, 5000);
  document.addEventListener('visibilitychange', reminders);
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

begin();
