// Answers read aloud by a voice of this device, if asked for; a voice that lives elsewhere is never used.
const voices = () => globalThis.speechSynthesis?.getVoices().filter((voice) => voice.localService) ?? [];

export const canSpeak = () => voices().length > 0;
export const speaks = () => localStorage.getItem('speak') === 'on';

export function speak(text) {
  if (!speaks() || !canSpeak()) return;
  const language = document.documentElement.lang;
  const words = new SpeechSynthesisUtterance(text.replace(/[*_`#>|[\]]/g, ' '));
  words.voice = voices().find((voice) => voice.lang.startsWith(language)) ?? voices()[0];
  speechSynthesis.speak(words);
}

/** At once, in the middle of a word. */
export function hush() { globalThis.speechSynthesis?.cancel(); }
