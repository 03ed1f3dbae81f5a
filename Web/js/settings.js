// Settings: each holds at once; each says what it does. The list follows what the program knows.
import { h, fill } from './dom.js';
import { can, call, one } from './api.js';
import { w } from './words.js';
import { home, settings, change } from './home.js';
import { strip } from './strip.js';
import { canSpeak, programVoice, speaks } from './speak.js';
import { trouble, troubleNote } from './dialog.js';

const choices = { mode: ['fast', 'deep'], compute: ['automatic', 'cpu', 'gpu'], tier: ['free', 'pro', 'lifetime'], speechLanguage: ['en', 'auto', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'pl', 'ru', 'tr', 'zh', 'ja', 'ar', 'hi'] };
const optional = { provider: ['platform', 'local', 'extractive', 'templates'], kvType: ['f16', 'q8_0'] };
const flags = new Set(['offline', 'sendsUnasked']);
const texts = new Set(['calendarFolder', 'tasksFolder', 'notesFolder', 'mailFolder', 'mailFrom', 'sendmail']);
// What only a terminal names or allows; the page may forbid.
const terminal = new Set(['sendmail', 'offline', 'calendarFolder', 'tasksFolder', 'notesFolder', 'mailFolder']);

export function theme(value) {
  if (value) document.documentElement.dataset.theme = value;
  else delete document.documentElement.dataset.theme;
}

export function settingsScreen(main) {
  const list = h('div.stack.groups');
  const providers = h('div.items.two');
  fill(main, h('div.screen', { tabIndex: -1 }, h('div.inside', {}, h('h1', {}, w.settings), h('p.quiet', {}, w.settingsIntro), list, can('providers') && h('section', {}, h('h2', {}, w.providers), providers))));

  function row(name, [title, hint], control) {
    control.id = `set-${name}`;
    control.setAttribute('aria-describedby', `hint-${name}`);
    const label = control.matches('fieldset') ? h('span', { 'aria-hidden': 'true' }, title) : h('label', { htmlFor: control.id }, title);
    return h('div.setting', {}, label, h('p.small.quiet', { id: `hint-${name}` }, hint), h('div.control', {}, control));
  }

  function choice(options, value, onchange) {
    const select = h('select', { onchange: () => onchange(select.value) }, options.map(([key, words]) => h('option', { value: key }, words)));
    select.value = value ?? '';
    return select;
  }

  async function put(name, value) {
    try { await change(name, value); strip.draw(); drawProviders(); } catch (failure) { troubleNote(failure); draw(); }
  }

  function control(name) {
    const value = settings[name];
    if (choices[name]) return choice(choices[name].map((key) => [key, w.choices[key]]), value, (to) => put(name, to));
    if (optional[name]) return choice(['', ...optional[name]].map((key) => [key, w.choices[key]]), value, (to) => put(name, to || null));
    if (name === 'flashAttention') return choice(['', 'true', 'false'].map((key) => [key, w.choices[key]]), value === undefined || value === null ? '' : String(value), (to) => put(name, to ? to === 'true' : null));
    if (name === 'pack' || name === 'deepPack') return choice([['', w.automatic], ...home.packs.filter((pack) => pack.kind === 'chat' && pack.installed).map((pack) => [pack.id, pack.name])], value, (to) => put(name, to || null));
    if (name === 'vocabulary') {
      const field = h('textarea', { rows: 4, value: (value ?? []).join('\n'), onchange: () => put(name, field.value.split('\n').map((line) => line.trim()).filter(Boolean)) });
      return field;
    }
    if (name === 'connectors') {
      const boxes = Object.entries(w.connectors).map(([key, words]) => {
        const box = h('input', { type: 'checkbox', value: key, checked: (value ?? []).includes(key), onchange: () => put(name, boxes.map((label) => label.firstChild).filter((one) => one.checked).map((one) => one.value)) });
        return h('label.row', {}, box, words);
      });
      return h('fieldset.plain', {}, h('legend.quiet-voice', {}, w.settingNames.connectors[0]), boxes);
    }
    if (texts.has(name)) {
      const field = h('input', { type: 'text', value: value ?? '', autocomplete: 'off', readOnly: terminal.has(name), onchange: () => put(name, field.value.trim() || null) });
      return field;
    }
    if (flags.has(name)) {
      const box = h('input', { type: 'checkbox', checked: Boolean(value), disabled: terminal.has(name) && Boolean(value), onchange: () => put(name, box.checked) });
      return box;
    }
    const field = h('input', { type: 'number', step: 'any', min: 0, value: value ?? '', placeholder: w.automatic, onchange: () => put(name, field.value === '' ? null : Number(field.value)) });
    return field;
  }

  function draw() {
    const vibrates = h('input', { type: 'checkbox', checked: localStorage.getItem('vibrate') === 'on', onchange: () => localStorage.setItem('vibrate', vibrates.checked ? 'on' : 'off') });
    const reads = h('input', { type: 'checkbox', checked: speaks(), disabled: !canSpeak(), onchange: () => localStorage.setItem('speak', reads.checked ? 'on' : 'off') });
    const group = (title, ...rows) => h('section.card', {}, h('h2', {}, title), rows);
    fill(list, can('settings-set') && w.settingGroups.map(([title, names]) => group(title, names.map((name) => row(name, w.settingNames[name], control(name))))), group(w.thisPage,
      row('theme', [w.appearance, w.appearanceHint], choice(Object.entries(w.themes), localStorage.getItem('theme') ?? '', (value) => { localStorage.setItem('theme', value); theme(value); })),
      row('speak', [w.speakAnswers, canSpeak() ? w.speakAnswersHint : (voice?.remedy ?? w.noVoices)], reads),
      'vibrate' in navigator && matchMedia('(hover: none)').matches && row('vibrate', [w.vibrate, w.vibrateHint], vibrates)));
  }

  async function drawProviders() {
    if (!can('providers')) return;
    try {
      fill(providers, (await call('providers')).filter((one) => one.provider).map((one) => {
        const state = one.answers ? 'answers' : one.available ? 'can' : 'cannot';
        return h('article.card', {}, h('div.row', {}, h('h3.grow', {}, w.providerNames[one.provider]), h(`span.badge.${{ answers: 'good', can: 'good', cannot: 'warn' }[state]}`, {}, w.providerStates[state])), h('p.small', {}, one.reason), one.remedy && h('p.small.quiet', {}, one.remedy));
      }));
    } catch (failure) { fill(providers, trouble(failure, drawProviders)); }
  }

  let voice = null;
  draw();
  drawProviders();
  programVoice().then((found) => { voice = found; draw(); }, () => {});
  const looking = setInterval(drawProviders, 5000);
  // Browsers learn of their voices late.
  globalThis.speechSynthesis?.addEventListener('voiceschanged', draw, { once: true });
  if (can('settings')) one('settings').then((found) => { Object.assign(settings, found); draw(); }, (failure) => fill(list, trouble(failure)));
  return () => clearInterval(looking);
}
