// Answers read aloud by a voice of this device, if asked for: the browser's own where one is local, else the program's. A voice
// that lives elsewhere is never used.
import { can, one } from './api.js';

const voices = () => globalThis.speechSynthesis?.getVoices().filter((voice) => voice.localService) ?? [];

let ours = null;
let asked = null;
/** Whether the program has a voice, asked once; `reason` and `remedy` say why not. */
export async function programVoice() {
  asked ??= can('voice') ? one('voice') : Promise.resolve(null);
  try { ours = await asked; } catch (failure) { asked = null; throw failure; }
  return ours;
}

export const canSpeak = () => voices().length > 0 || Boolean(ours?.available);
export const speaks = () => localStorage.getItem('speak') === 'on';

/** What is said by itself, where that is set. Resolves true once all of it was said. */
export const speak = (text) => (speaks() ? read(text) : Promise.resolve(false));

/** What a person wants to hear now. */
export async function read(text) {
  const words = text.replace(/[*_`#>|[\]]/g, ' ').trim();
  if (!words) return false;
  const mine = turn;
  if (!voices().length) {
    if (!(await programVoice().catch(() => null))?.available || mine !== turn) return false;
    for (const part of words.match(/.{1,1000}(?:\s|$)/gs) ?? []) aloud(part);
    await before;
    return mine === turn;
  }
  const said = new SpeechSynthesisUtterance(words);
  said.voice = voices().find((voice) => voice.lang.startsWith(document.documentElement.lang)) ?? voices()[0];
  const ended = new Promise((end) => { said.onend = end; said.onerror = end; });
  speechSynthesis.speak(said);
  await ended;
  return mine === turn;
}

// What is said before the person interrupts belongs to one turn.
let turn = 0;
let before = Promise.resolve();
let player = null;
let sounding = null;

/** The program's voice: made while the text before it still sounds. */
function aloud(words) {
  const mine = turn;
  const made = one('say', { text: words }).catch(() => null);
  before = before.then(async () => {
    const sound = (await made)?.sound;
    if (!sound || mine !== turn) return;
    player ??= new AudioContext();
    player.resume();
    const buffer = await player.decodeAudioData(Uint8Array.from(atob(sound), (letter) => letter.charCodeAt(0)).buffer);
    if (mine !== turn) return;
    await new Promise((end) => {
      sounding = player.createBufferSource();
      sounding.buffer = buffer;
      sounding.connect(player.destination);
      sounding.onended = end;
      sounding.start();
    });
    sounding = null;
  }).catch(() => { sounding = null; });
}

/** Whether something is being read aloud now. */
export const isSpeaking = () => Boolean(sounding || globalThis.speechSynthesis?.speaking);

/** At once, in the middle of a word. */
export function hush() {
  turn += 1;
  before = Promise.resolve();
  sounding?.stop();
  sounding = null;
  globalThis.speechSynthesis?.cancel();
}
