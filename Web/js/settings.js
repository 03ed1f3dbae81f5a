// Settings: each holds at once; each says what it does. What people need stands first, the rest behind “For the curious”; all of it
// is found by its name.
import { h, fill, theme } from './dom.js';
import { can, call, one } from './api.js';
import { language, languages, w } from './words.js';
import { reason } from './reasons.js';
import { home, settings, change } from './home.js';
import { strip } from './strip.js';
import { canSpeak, programVoice, speaks } from './speak.js';
import { trouble, troubleNote } from './dialog.js';

// The languages that are offered; a terminal may set any that hearing knows.
const spoken = ['en', 'auto', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'pl', 'ru', 'tr', 'zh', 'ja', 'ar', 'hi'];

export function settingsScreen(main) {
  const list = h('div.stack.groups');
  const search = h('input', { type: 'search', 'aria-label': w.findSetting, placeholder: w.findSetting, oninput: () => narrow() });
  const none = h('p.quiet', { role: 'status', hidden: true }, w.noSetting);
  let isOpen = false;
  const providers = h('div.items.two');
  fill(main, h('div.screen', { tabIndex: -1 }, h('div.inside', {}, h('h1', {}, w.settings), h('p.quiet', {}, w.settingsIntro), h('div', {}, search), none, list, can('providers') && h('section', {}, h('h2', {}, w.providers), providers))));

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

  /** What was refused gives way to what holds, but a text that somebody has written stays to be mended. */
  async function put(name, value, written = false) {
    try { await change(name, value); strip.draw(); drawProviders(); } catch (failure) { troubleNote(failure); if (!written) draw(); }
  }

  /** The control for what the program says that the setting may be. */
  function control(about) {
    const { name, form, nullable } = about;
    const value = settings[name];
    const locked = about.setBy === 'terminal';
    // Nothing chosen is null, which the program takes for its own choice.
    const nothing = (to) => (nullable && to === '' ? null : to);
    const named = (keys) => (nullable ? ['', ...keys] : keys).map((key) => [key, w.choices[key] ?? key]);
    const lines = (rows, apart, pattern, placeholder) => {
      const field = h('textarea', { rows, placeholder, readOnly: locked, value: (value ?? []).join(apart), onchange: () => put(name, field.value.split(pattern).map((one) => one.trim()).filter(Boolean), true) });
      return field;
    };
    const controls = {
      choice: () => choice(named(about.choices), value, (to) => put(name, nothing(to))),
      pack: () => choice([['', w.automatic], ...home.packs.filter((pack) => pack.kind === 'chat' && pack.installed).map((pack) => [pack.id, pack.name])], value, (to) => put(name, nothing(to))),
      language: () => choice([...new Set([...spoken, value ?? 'en'])].map((key) => [key, w.choices[key] ?? key]), value, (to) => put(name, to)),
      lines: () => lines(4, '\n', '\n'),
      paragraphs: () => lines(6, '\n\n', /\n\s*\n/, w.templatesExample),
      prose: () => {
        const field = h('textarea', { rows: 4, value: value ?? '', onchange: () => {
          const text = field.value.trim();
          const isTooLong = [...text].length > about.most;
          field.setCustomValidity(isTooLong ? w.textTooLong([...text].length, about.most) : '');
          if (isTooLong) field.reportValidity();
          else put(name, nothing(text), true);
        } });
        return field;
      },
      some: () => {
        const boxes = about.choices.map((key) => {
          const box = h('input', { type: 'checkbox', value: key, checked: (value ?? []).includes(key), onchange: () => put(name, boxes.map((label) => label.firstChild).filter((one) => one.checked).map((one) => one.value)) });
          return h('label.row', {}, box, w.connectors[key] ?? key);
        });
        return h('fieldset.plain', {}, h('legend.quiet-voice', {}, w.settingNames[name][0]), boxes);
      },
      text: () => {
        const field = h('input', { type: 'text', value: value ?? '', autocomplete: 'off', readOnly: locked, onchange: () => put(name, field.value.trim() || null, true) });
        return field;
      },
      flag: () => {
        if (nullable) return choice(named(['true', 'false']), value === undefined || value === null ? '' : String(value), (to) => put(name, to ? to === 'true' : null));
        // The page may forbid the network; only a terminal allows it again.
        const box = h('input', { type: 'checkbox', checked: Boolean(value), disabled: name === 'offline' && Boolean(value), onchange: () => put(name, box.checked) });
        return box;
      },
      number: () => {
        const field = h('input', { type: 'number', step: about.whole ? 1 : 'any', min: about.least, max: about.most, value: value ?? '', placeholder: nullable ? w.automatic : '', onchange: () => put(name, field.value === '' ? null : Number(field.value)) });
        return field;
      },
    };
    return controls[form]();
  }

  function speakRow() {
    const reads = h('input', { type: 'checkbox', checked: speaks(), disabled: !canSpeak(), onchange: () => localStorage.setItem('speak', reads.checked ? 'on' : 'off') });
    return row('speak', [w.speakAnswers, canSpeak() ? w.speakAnswersHint : (voice?.remedy ? reason(voice.remedy) : w.noVoices)], reads);
  }

  /** That alone: whoever is choosing something else loses nothing. */
  function drawSpeakRow() {
    list.querySelector('#set-speak')?.closest('.setting').replaceWith(speakRow());
    narrow();
  }

  function draw() {
    const vibrates = h('input', { type: 'checkbox', checked: localStorage.getItem('vibrate') === 'on', onchange: () => localStorage.setItem('vibrate', vibrates.checked ? 'on' : 'off') });
    const group = (title, ...rows) => h('section.card', {}, h('h2', {}, title), rows);
    const groups = (all) => Object.entries(w.settingGroups).map(([key, title]) => [title, all.filter((about) => about.group === key)])
      .filter(([, some]) => some.length).map(([title, some]) => group(title, some.map((about) => row(about.name, w.settingNames[about.name], control(about)))));
    const curious = h('details.curious', { open: isOpen, ontoggle: () => { if (!search.value.trim()) isOpen = curious.open; } }, h('summary', {}, h('h2', {}, w.curious), h('p.small.quiet', {}, w.curiousHint)), h('div.stack.groups', {}, groups(described.filter((about) => about.isForTheCurious))));
    fill(list, group(w.thisPage,
      row('theme', [w.appearance, w.appearanceHint], choice(Object.entries(w.themes), localStorage.getItem('theme') ?? '', (value) => { localStorage.setItem('theme', value); theme(value); })),
      row('language', [w.language, w.languageHint], choice([['', w.asBrowser], ...Object.entries(languages)], localStorage.getItem('language') ?? '', speakAs)),
      speakRow(),
      'vibrate' in navigator && matchMedia('(hover: none)').matches && row('vibrate', [w.vibrate, w.vibrateHint], vibrates)),
    described.length > 0 && [groups(described.filter((about) => !about.isForTheCurious)), curious]);
    narrow();
  }

  /** The page is built anew in another language. */
  function speakAs(chosen) {
    if (chosen) localStorage.setItem('language', chosen);
    else localStorage.removeItem('language');
    location.reload();
  }

  /** Only what has the words that are searched for in its name or effect. */
  function narrow() {
    const words = search.value.trim().toLocaleLowerCase(language);
    let shown = 0;
    for (const card of list.querySelectorAll('section')) {
      const rows = [...card.querySelectorAll('.setting')];
      for (const one of rows) one.hidden = !one.textContent.toLocaleLowerCase(language).includes(words);
      card.hidden = rows.every((one) => one.hidden);
      shown += rows.filter((one) => !one.hidden).length;
    }
    const curious = list.querySelector('.curious');
    if (curious) {
      curious.open = words ? true : isOpen;
      curious.hidden = [...curious.querySelectorAll('section')].every((card) => card.hidden);
    }
    none.hidden = shown > 0;
  }

  async function drawProviders() {
    if (!can('providers')) return;
    try {
      fill(providers, (await call('providers')).filter((one) => one.provider).map((one) => {
        const state = one.answers ? 'answers' : one.available ? 'can' : 'cannot';
        return h('article.card', {}, h('div.row', {}, h('h3.grow', {}, w.providerNames[one.provider]), h(`span.badge.${{ answers: 'good', can: 'good', cannot: 'warn' }[state]}`, {}, w.providerStates[state])), h('p.small', {}, reason(one.reason)), one.remedy && h('p.small.quiet', {}, reason(one.remedy)));
      }));
    } catch (failure) { fill(providers, trouble(failure, drawProviders)); }
  }

  let voice = null, described = [];
  draw();
  drawProviders();
  programVoice().then((found) => { voice = found; drawSpeakRow(); }, () => {});
  const looking = setInterval(drawProviders, 5000);
  // Browsers learn of their voices late.
  globalThis.speechSynthesis?.addEventListener('voiceschanged', drawSpeakRow, { once: true });
  if (can('settings-set')) Promise.all([one('settings'), call('settings-describe')]).then(([found, all]) => {
    Object.assign(settings, found);
    described = all.filter((about) => about.name);
    draw();
  }, (failure) => fill(list, trouble(failure)));
  return () => clearInterval(looking);
}
