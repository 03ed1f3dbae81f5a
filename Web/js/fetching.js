// What is being done with packs. It goes on in the program when the screen is left or the page is closed; a page that is opened
// meanwhile takes it up by its number, which says what it is about.
import { h, size } from './dom.js';
import { attach, cancel, known, onStranger, running, start } from './api.js';
import { w } from './words.js';
import { reason } from './reasons.js';
import { refresh, refreshDoctor } from './home.js';
import { note, troubleNote } from './dialog.js';

/** By the pack's id, or `bundle`. */
export const work = new Map();
export const bundle = 'bundle';
const watchers = new Set();

/** `hear(again)` is called at every step as long as it returns something true; `again`: something has ended. */
export function onWork(hear) { watchers.add(hear); }
const changed = (again) => { for (const hear of watchers) if (!hear(again)) watchers.delete(hear); };

/** A few letters that stand for an id: numbers of operations hold no dots. */
function mark(id) {
  let sum = 2166136261;
  for (const letter of id) sum = Math.imul(sum ^ letter.codePointAt(0), 16777619) >>> 0;
  return `pack-${sum.toString(16).padStart(8, '0')}-`;
}

/** Bytes a second that came over this line the last time, if anything did. */
export const line = () => Number(localStorage.getItem('line')) || null;

function tell(entry, event) {
  const { progress } = event;
  if (progress) {
    const detail = [progress.total && `${size(progress.done)} / ${size(progress.total)}`, progress.speed && `${size(progress.speed)}/s`, progress.seconds_left != null && w.secondsLeft(progress.seconds_left)];
    Object.assign(entry, { words: reason(progress.step), share: progress.share, detail: detail.filter(Boolean).join(' · ') });
    if (progress.speed && progress.done > 4e6) localStorage.setItem('line', Math.round(progress.speed));
  }
  if (event.note) entry.detail = reason(event.note);
  if (event.tokens_per_s) note(w.smoked(event));
  changed();
}

function handler(id, name, entry) {
  return {
    event(event) {
      if (event.done && name === 'packs-verify') note(w.verifiedNow);
      tell(entry, event);
    },
    async ended(how, failure) {
      work.delete(id);
      if (failure) troubleNote(failure);
      await refresh();
      refreshDoctor().catch(() => {});
      changed(true);
      document.dispatchEvent(new CustomEvent('packs', { detail: how }));
    },
  };
}

/** Begins an operation on a pack, or on a bundle of them. */
export function begin(name, id, input, words) {
  if (work.has(id)) return;
  const entry = { words, share: null, detail: '' };
  work.set(id, entry);
  entry.run = start(name, input, handler(id, name, entry), mark(id) + crypto.randomUUID().slice(0, 8));
  changed();
}

/** What was begun by a page that has gone, or by another one. `packs`: those that are known. Gives all that runs. */
export async function takeUp(packs) {
  const ids = [bundle, ...packs.map((pack) => pack.id)];
  const take = (operation, name) => {
    const id = ids.find((one) => operation.startsWith(mark(one)));
    if (!id || work.has(id)) return;
    const entry = { words: w.pull, share: null, detail: '', run: { cancel: () => cancel(operation) } };
    work.set(id, entry);
    attach(operation, handler(id, name, entry));
    changed();
  };
  onStranger((message) => take(message.operation, message.name));
  if (!await known) return [];
  const runs = await running();
  for (const run of runs) if (run.state === 'running') take(run.operation, run.name);
  // What has ended between the question for packs and this one has changed them.
  if (runs.some((run) => run.state !== 'running' && ids.some((id) => run.operation.startsWith(mark(id))))) await refresh();
  return runs;
}

const bar = (entry, name) => h('progress', { 'aria-label': name, max: 1, ...(entry.share === null ? {} : { value: entry.share }) });
export const underWay = (entry, name) => h('div.items', {}, h('div.row', {}, h('span.grow.small', {}, [name, entry.words, entry.detail].filter(Boolean).join(' · ')), h('button.bordered', { type: 'button', 'aria-label': `${w.cancel}: ${name}`, onclick: () => entry.run?.cancel() }, w.cancel)), bar(entry, name));
