// What the page knows of the house: settings, packs, how many documents, the governor's last readings.
import { can, call, first, leaveWord, one } from './api.js';
import { language } from './words.js';

export const settings = { mode: 'fast' };
export const home = { isKnown: false, packs: [], documents: null, collections: [], wanted: [], doctor: null, governor: null, readings: [], speeds: [], answering: {} };

/** What answers need and what is not there: one that writes, one that finds, and one that finds in the person's language. */
function wanted(packs) {
  const firsts = ['chat', 'embed'].map((kind) => packs.find((pack) => pack.kind === kind && pack.default));
  return packs.filter((pack) => pack.default && !pack.installed && pack.fit?.fits !== false && ['chat', 'embed'].includes(pack.kind)
    && !packs.some((other) => other.kind === pack.kind && other.installed && (firsts.includes(pack) || other.languages?.includes(language))));
}

export async function refresh() {
  const tries = [
    (can('settings') ? one('settings').then((found) => Object.assign(settings, found)) : Promise.resolve()).then(() => answering()),
    can('packs') && call('packs', { language }).then((packs) => {
      home.packs = packs.filter((pack) => pack.id);
      home.wanted = wanted(home.packs);
    }),
    can('documents') && call('documents').then((documents) => {
      const real = documents.filter((one) => one.document);
      home.documents = real.length;
      home.recent = [...real].sort((a, b) => String(b.created ?? '').localeCompare(String(a.created ?? ''))).slice(0, 3);
      home.collections = [...new Set(real.map((one) => one.collection).filter(Boolean))];
    }),
  ];
  // It starts a worker to try it: once is enough for the strip; who wants to know now asks anew. Nothing waits for it.
  if (!home.doctor) refreshDoctor().catch(() => {});
  await Promise.allSettled(tries.filter(Boolean));
  home.isKnown = true;
  document.dispatchEvent(new CustomEvent('home'));
}

/** The state of the house as it is now. */
export async function refreshDoctor() {
  if (!can('doctor')) return;
  home.doctor = await one('doctor');
  document.dispatchEvent(new CustomEvent('home'));
}

/** One reading of the governor, kept for the charts. */
export async function sense() {
  if (!can('governor')) return;
  home.governor = (await first('governor')).state;
  home.readings.push({ at: Date.now(), ...home.governor });
  if (home.readings.length > 120) home.readings.shift();
  document.dispatchEvent(new CustomEvent('sensed'));
}

/** Tells the program whether anyone looks: out of sight, packs leave memory. */
export function tellPresence() {
  if (!can('presence')) return;
  const page = sessionStorage.getItem('page') ?? crypto.randomUUID();
  sessionStorage.setItem('page', page);
  const say = (body) => leaveWord('presence', { page, ...body });
  const now = () => say({ visible: !document.hidden });
  document.addEventListener('visibilitychange', now);
  addEventListener('pagehide', () => say({}));
  addEventListener('pageshow', now);
  setInterval(() => { if (!document.hidden) now(); }, 15000);
  now();
}

export async function change(name, value) {
  const found = await one('settings-set', { name, value: JSON.stringify(value) });
  // What is unset is absent.
  if (!(name in found)) delete settings[name];
  Object.assign(settings, found);
  if (['pack', 'deepPack', 'provider', 'mode'].includes(name)) await answering();
  document.dispatchEvent(new CustomEvent('home'));
}

/** How fast packs write here, from the answers this browser has seen. */
export function spoke(record) {
  const speed = record.provider === 'local' && record.timings?.tokens_per_s;
  if (!speed) return;
  home.speeds.push(speed);
  if (record.pack) localStorage.setItem('speeds', JSON.stringify({ ...speeds(), [record.pack]: Math.round(speed) }));
}

export function speeds() {
  // What is no list of ours is none.
  try { return JSON.parse(localStorage.getItem('speeds')) ?? {}; } catch { return {}; }
}

/** Who answers now: in the mode that is set, and in those that were asked for before. Nobody is known where the program does not
    tell. */
export async function answering(mode = settings.mode) {
  if (!can('providers')) return;
  for (const each of new Set([mode, settings.mode, ...Object.keys(home.answering)])) {
    const chain = (await call('providers', { mode: each })).filter((one) => one.provider);
    home.answering[each] = chain.find((one) => one.answers) ?? null;
  }
}
