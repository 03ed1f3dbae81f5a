// Speaking instead of typing: tap the microphone or hold it; words stand in the composer in a lighter tone until they settle.
import { h, fill, glyph, icon, announce } from './dom.js';
import { w } from './words.js';
import { reason } from './reasons.js';
import { settings } from './home.js';
import { troubleNote } from './dialog.js';
import * as microphone from './microphone.js';
import { hush } from './speak.js';
import { hears } from './beginning.js';

const held = 400; // milliseconds that tell holding from tapping
const calm = matchMedia('(prefers-reduced-motion: reduce)');
let now = null;

/**
 * The parts of the composer that belong to the voice: `buttons`, `live` above the field; words go into `field`. One button
 * dictates, the other sends what was said when it has settled, for commands above all. `answer` listens for what is said to a
 * question, and says nothing where nobody speaks.
 */
export function voice(field, said, send) {
  // Two signs that look alike to who does not know them: a word tells them apart.
  const face = (name, word) => [glyph(name), h('span.word', { 'aria-hidden': 'true' }, word)];
  const make = (name, label, hint, word) => ({ name, label, word, node: h('button.icon.mic', { type: 'button', 'aria-pressed': 'false', 'aria-label': label, title: hint }, face(name, word)) });
  const [dictating, commanding] = [make('mic', w.speak, w.speakHint, w.speakWord), make('bolt', w.speakCommand, w.speakCommandHint, w.commandWord)];
  const wave = h('canvas.wave', { width: 192, height: 32, 'aria-hidden': 'true' });
  const clock = h('span.small', { role: 'timer' });
  const state = h('span.small.quiet.grow', { role: 'status' });
  const bar = h('div.row.listening', { hidden: true }, wave, clock, state, icon('close', w.cancelSpeech, () => now?.cancel()));
  const heard = h('p.heard', { hidden: true, 'aria-hidden': 'true' });

  function show() {
    const on = Boolean(now);
    bar.hidden = !on;
    heard.hidden = !on;
    field.hidden = on && !field.value;
    for (const button of [dictating, commanding]) {
      const mine = now?.button === button;
      button.node.disabled = on && !mine;
      button.node.setAttribute('aria-pressed', String(mine));
      button.node.setAttribute('aria-label', mine ? w.stopSpeaking : button.label);
      fill(button.node, mine ? face('stop', w.stop) : face(button.name, button.word));
    }
  }

  async function begin(button, isAnswer = false) {
    if (!hears()) return;
    hush();
    const me = { button, peaks: [], loudest: 0, wait: null, open: null, words: 0, began: 0, hears: false, away: false, limit: '' };
    now = me;
    fill(heard);
    fill(clock, '0:00');
    // One line says what the person may do now; the gravest comes first.
    const tell = () => {
      const words = me.away ? w.listenAway : me.closed ? w.listenSettles : !me.open ? w.listenAsks : !me.hears ? w.listenWait : `${w.listens} ${me.limit}`.trim();
      if (state.textContent !== words) fill(state, words);
    };
    tell();
    show();
    me.talk = microphone.dictation({
      away(is) { me.away = is; tell(); },
      event(event) {
        if (event.opened) me.hears = true;
        if (event.limits) {
          const limit = reason(event.limits[0]?.reason);
          me.limit = limit && `${limit[0].toUpperCase()}${limit.slice(1)}.`;
        }
        tell();
        if (event.speech !== undefined && event.speech !== null) { me.began = event.speech; clearTimeout(me.wait); hush(); }
        if (event.partial) fill(heard, h('span', {}, event.partial.confirmed), ' ', h('i', {}, event.partial.tail));
        if (event.final) settle(event.final);
      },
      ended(how, failure) {
        stop();
        if (now === me) { now = null; show(); }
        if (failure) troubleNote(failure);
        if (how === 'done' && me.words) {
          said(me.right);
          if (button === commanding) send(true);
        }
        if (how === 'done' && !me.words && !isAnswer) troubleNote({ code: 'nothing_heard', ...(me.loudest > 0.01 ? w.nothingHeard : w.onlySilence) });
        field.focus();
      },
    });
    const settle = (final) => {
      fill(heard);
      if (final.text) {
        field.value = [field.value.trimEnd(), final.text].filter(Boolean).join(' ');
        field.dispatchEvent(new Event('input'));
        announce(final.text);
        me.words += final.words.length;
        me.right = (me.right ?? 1) * final.all_right;
      }
      show();
      // Words can settle when the next ones are being said already; then there is no silence to wait out.
      if (me.began < final.end) patience(settings.automaticStopMs || (isAnswer ? 1500 : 0));
    };
    const patience = (ms) => {
      clearTimeout(me.wait);
      if (ms) me.wait = setTimeout(() => (me.holding ? patience(ms) : me.finish()), ms);
    };
    const stop = () => {
      clearTimeout(me.wait);
      clearInterval(me.tick);
      me.open?.close();
      me.open = null;
      me.closed = true;
    };
    me.finish = () => { stop(); tell(); me.talk.finish(); };
    me.cancel = () => { stop(); me.talk.cancel(); now = null; show(); field.focus(); announce(w.stopped); };
    me.tick = setInterval(() => draw(me), calm.matches ? 500 : 60);
    try {
      const open = await microphone.open((sound, peak) => {
        me.talk.put(sound);
        me.loudest = Math.max(me.loudest, peak);
        if (me.peaks.push(peak) > 48) me.peaks.shift();
      });
      if (me.closed) { open.close(); return; }
      me.open = open;
      tell();
      me.talk.rate(open.rate);
      open.lost(() => { me.finish(); troubleNote({ code: 'microphone_lost', ...w.microphone.lost }); });
      patience(isAnswer ? 6000 : settings.automaticStopMs && 8000);
    } catch (failure) {
      me.cancel();
      troubleNote(failure);
    }
  }

  function draw(me) {
    const seconds = Math.floor(me.talk.seconds());
    const text = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
    if (clock.textContent !== text) clock.textContent = text;
    const pen = wave.getContext('2d');
    pen.clearRect(0, 0, wave.width, wave.height);
    pen.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('--accent');
    const height = (peak) => Math.max(2, Math.min(1, Math.sqrt(peak)) * wave.height);
    // Nothing runs past where motion is not wanted: one bar tells how loud it is.
    if (calm.matches) { pen.fillRect(0, 12, Math.max(2, Math.sqrt(Math.max(0, ...me.peaks.slice(-15))) * wave.width), 8); return; }
    me.peaks.forEach((peak, place) => pen.fillRect(place * 4, (wave.height - height(peak)) / 2, 2, height(peak)));
  }

  // One gesture for pointer, keys and the shortcut: a short press toggles, a long one talks while it lasts.
  let press = null;
  const down = (button) => {
    if (press !== null) return;
    press = performance.now();
    if (now) { press = -1; now.finish?.(); } else { begin(button); if (now) now.holding = true; }
  };
  const up = () => {
    const long = press > 0 && performance.now() - press > held;
    press = null;
    if (!now) return;
    now.holding = false;
    if (long) now.finish?.();
  };
  const key = (event) => event.key === ' ' || event.key === 'Enter';
  for (const button of [dictating, commanding]) {
    const { node } = button;
    let isPointer = false;
    node.addEventListener('pointerdown', (event) => { if (event.button) return; isPointer = true; node.setPointerCapture(event.pointerId); down(button); });
    node.addEventListener('pointerup', up);
    node.addEventListener('pointercancel', up);
    node.addEventListener('click', () => { if (!isPointer) { down(button); up(); } isPointer = false; });
    node.addEventListener('keydown', (event) => { if (key(event)) { event.preventDefault(); down(button); } });
    node.addEventListener('keyup', (event) => { if (key(event)) { event.preventDefault(); up(); } });
    node.addEventListener('contextmenu', (event) => event.preventDefault());
  }
  shortcut = { down: (isCommand) => down(isCommand ? commanding : dictating), up };
  if (now) now.cancel();
  return { buttons: [dictating.node, commanding.node], live: [bar, heard], answer() { if (!now) begin(commanding, true); }, press(isCommand) { if (!now) begin(isCommand ? commanding : dictating); } };
}

let shortcut = null;
/** Alt V and Alt C, from anywhere: as the buttons. */
export function talkKey(isDown, isCommand) { isDown ? shortcut?.down(isCommand) : shortcut?.up(); }
/** Esc: true if something was being said. */
export function cancelTalk() { const was = now; was?.cancel(); return Boolean(was); }
