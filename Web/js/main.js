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
import { trouble } from './dialog.js';
import { talkKey, cancelTalk } from './voice.js';

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
    document.title = 'Libera';
    await chat.open(place === 'c' ? id : null);
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

function locked(why) {
  document.body.append(h('div.locked', { role: 'main' }, h('div.card', {}, h('h1', {}, w.locked), h('p', {}, why ?? w.lockedWhy), h('p.quiet', {}, w.lockedDo))));
  $('house').remove();
}

async function enter() {
  const code = new URLSearchParams(location.hash.slice(1)).get('key');
  if (!code) return undefined;
  history.replaceState(null, '', location.pathname);
  try { await api.signIn(code); } catch (failure) { return failure; }
  return undefined;
}

async function begin() {
  theme(localStorage.getItem('theme'));
  const refused = await enter();
  try { await api.learn(); } catch (failure) {
    if (failure.status === 401) locked(refused?.code === 'code_spent' ? w.lockedSpent : undefined);
    else fill($('main'), trouble(failure, begin));
    return;
  }
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
  addEventListener('keydown', keys);
  addEventListener('keyup', (event) => { if (['KeyV', 'KeyC'].includes(event.code) || event.key === 'Alt') talkKey(false); });
  addEventListener('hashchange', show);
  document.querySelector('.skip').addEventListener('click', (event) => { event.preventDefault(); ($('question') ?? $('main')).focus(); });
  $('scrim').addEventListener('click', () => { closeRail() || evidence.hide(); });
  watchPaste();
  watchDrops((place) => (place.closest?.('.composer') ? chat.attachFiles : null));
  api.listen((state) => (state === 'shut' ? locked() : strip.link(state)));
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

begin();
