// The sound of alarms and timers, made here: nothing is fetched for it. It goes on until it is answered, ten minutes at most.
const longest = 10 * 60 * 1000;
let player = null;
let beat = null;
let since = 0;

/** Two short tones, one above the other. */
function tones() {
  if (Date.now() - since > longest) { quiet(); return; }
  for (const [place, pitch] of [880, 1175].entries()) {
    const start = player.currentTime + place * 0.18;
    const tone = player.createOscillator();
    const volume = player.createGain();
    tone.frequency.value = pitch;
    volume.gain.setValueAtTime(0, start);
    volume.gain.linearRampToValueAtTime(0.3, start + 0.02);
    volume.gain.linearRampToValueAtTime(0, start + 0.16);
    tone.connect(volume).connect(player.destination);
    tone.start(start);
    tone.stop(start + 0.17);
  }
}

/** Resolves false where the browser plays no sound before somebody has touched the page; from then on it sounds. */
export async function sound() {
  if (beat) return player.state === 'running';
  player ??= new AudioContext();
  since = Date.now();
  beat = setInterval(tones, 1200);
  tones();
  const wake = () => player.resume();
  for (const touch of ['pointerdown', 'keydown']) addEventListener(touch, wake, { once: true });
  await Promise.race([player.resume(), new Promise((end) => { setTimeout(end, 500); })]);
  return player.state === 'running';
}

export function quiet() {
  clearInterval(beat);
  beat = null;
}

// What is expected, by its id: the page looks at that very moment, also where it is not visible.
const expected = new Map();

/** Looks again when the next alarms are due; further away than a day, another look will have found them. */
export function expect(rings, look) {
  for (const timer of expected.values()) clearTimeout(timer);
  expected.clear();
  for (const ring of rings) {
    const wait = new Date(ring.again ?? ring.due) - Date.now();
    if (ring.alarm && wait > 0 && wait < 86400000) expected.set(ring.id, setTimeout(look, wait + 100));
  }
}

/** "4 min 10 s", counted in whole units; seconds only within the last hour. */
export function left(ring, units, now = Date.now()) {
  const exact = Math.max(0, Math.round((new Date(ring.again ?? ring.due) - now) / 1000));
  const seconds = exact < 3600 ? exact : exact - exact % 60;
  return [[Math.floor(seconds / 3600), units.h], [Math.floor(seconds / 60) % 60, units.min], [seconds % 60, units.s]].filter(([count]) => count > 0).map(([count, unit]) => `${count} ${unit}`).join(' ');
}
