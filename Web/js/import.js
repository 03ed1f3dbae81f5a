// Taking documents in: from the button, a drop or the clipboard. Each file says how far it is and what went wrong.
import { h, announce } from './dom.js';
import { attach, can, cancel, start, upload } from './api.js';
import { inOwnWords } from './troubles.js';
import { number, w } from './words.js';
import { strip } from './strip.js';
import { refresh } from './home.js';
import { note, troubleNote } from './dialog.js';

/** name -> {done, of, state, reason}; the library shows it. */
export const underway = new Map();
/** So many files go at a time: the program keeps no more than 256 that wait. */
const most = 20;
/** `before`: files of the lots that have ended; `read`: those that were read, of which small ones end a lot at a time. */
const going = { adds: 0, all: 0, ended: 0, before: 0, read: 0, imported: 0, skipped: [], began: 0, isStopped: false };
let run = null;

function told() { document.dispatchEvent(new CustomEvent('import')); }

export function stop() {
  going.isStopped = true;
  run?.cancel();
}

/** The collection that files go to; empty: the usual one. */
export const aim = { collection: '' };

export async function add(files) {
  if (!files.length) return;
  if (!can('import')) { troubleNote({ message: w.noImports }); return; }
  enter(files.length);
  for (const file of files) underway.set(file.name, { state: 'sending' });
  told();
  const waiting = [...files];
  while (waiting.length && !going.isStopped) {
    const uploads = [];
    for (const file of waiting.splice(0, most)) {
      if (going.isStopped) break;
      try { uploads.push(await upload(file)); } catch (failure) {
        underway.set(file.name, { state: 'failed', reason: failure.message });
        going.ended += 1;
        troubleNote(failure);
        told();
      }
    }
    if (uploads.length && !going.isStopped) await take(uploads);
    going.before = going.ended;
  }
  await leave();
}

function enter(count) {
  if (!going.adds) Object.assign(going, { all: 0, ended: 0, before: 0, read: 0, imported: 0, skipped: [], began: performance.now(), isStopped: false });
  going.adds += 1;
  going.all += count;
  show();
}

async function leave() {
  going.adds -= 1;
  if (!going.adds) {
    for (const [name, entry] of underway) if (entry.state !== 'failed') underway.delete(name);
    strip.coming(null);
    // Hundreds of notes would cover the page.
    if (going.skipped.length > 3) note(w.skippedMany(going.skipped.length));
    else for (const line of going.skipped) note(line);
    if (going.imported) { note(w.added(going.imported)); announce(w.added(going.imported)); }
    await refresh();
  }
  told();
}

const doing = ({ pages_done: done, pages, chunks, chunks_done: found }) => (done !== undefined ? w.reading(done, pages) : chunks ? `${w.documentStates.indexed} ${number(Math.round(found / chunks * 100))} %` : w.importing);

/** What is done now, of how many, and for how long still: of one lot the program knows better than what has gone by tells. */
function show(event = {}, name = '') {
  going.read = Math.max(going.read, going.ended, going.before + (event.files_read ?? 0));
  const rest = going.all > most ? going.read && (performance.now() - going.began) / 1000 / going.read * (going.all - going.read) : event.eta_s;
  strip.coming([going.all > 1 && w.of(Math.min(going.read + 1, going.all), going.all), rest > 1 && w.secondsLeft(rest), doing(event)].filter(Boolean).join(' · '), name);
}

function handler(resolve) {
  return {
    event(event) {
      const name = event.document?.split('/').pop();
      if (event.event === 'progress') {
        if (event.pages) underway.set(name, { done: event.pages_done, of: event.pages, state: 'reading' });
        show(event, name);
      } else if (event.event === 'summary') going.imported += event.imported;
      else if (event.event) {
        going.ended += 1;
        underway.delete(name);
        if (event.event === 'failed') underway.set(name, { state: 'failed', reason: inOwnWords({ code: event.code, message: event.reason }).message });
        show();
        if (event.event === 'skipped') going.skipped.push(`${name}: ${event.reason ?? w.skipped}`);
      }
      told();
    },
    ended(how, failure) {
      run = null;
      if (failure) troubleNote(failure);
      resolve();
    },
  };
}

const take = (uploads) => new Promise((resolve) => {
  run = start('import', { uploads, ...(aim.collection ? { collection: aim.collection } : {}) }, handler(resolve), mark + crypto.randomUUID());
});

/** The runs of this kind; those for a conversation are its own. */
const mark = 'library-';

/** What a page has begun that has gone since. */
export async function takeUp(runs) {
  for (const { operation, state } of runs) {
    if (state !== 'running' || !operation.startsWith(mark)) continue;
    enter(0);
    new Promise((resolve) => {
      run = { cancel: () => cancel(operation) };
      attach(operation, handler(resolve));
    }).then(leave);
  }
}

/** A small document to try things with, written here. */
export function sample() {
  const text = `# Boiler manual (sample)

## Care
The filter must be changed every six months, or sooner when the red lamp is lit. Switch the boiler off and let it cool for thirty minutes before opening the cover.

## Pressure
The pressure gauge should read between 1.2 and 1.8 bar when the system is cold. Below 1.0 bar the boiler switches itself off; open the filling valve slowly until the gauge reads 1.5 bar.

## Noise
A humming sound in the first minutes after starting is normal. A banging sound means that air is in the pipes: open the bleed valves on the highest radiator first.

## Guarantee
The guarantee lasts five years from the day of installation and requires one inspection each year by a certified engineer.
`;
  return add([new File([text], w.sampleName, { type: 'text/markdown' })]);
}

/** Files that are pasted anywhere but into a field go to the library; so does a text that is pasted on its page. */
export function watchPaste() {
  addEventListener('paste', (event) => {
    if (event.defaultPrevented || event.target.closest?.('input, textarea, dialog')) return;
    const files = [...event.clipboardData?.files ?? []];
    const text = event.clipboardData?.getData('text/plain').trim();
    if (files.length) add(files);
    else if (text && location.hash.startsWith('#/library')) add([new File([text], w.pasted(text.split(/\s+/).slice(0, 6).join(' ').replace(/[^\p{L}\p{N} _-]/gu, '').slice(0, 60)), { type: 'text/plain' })]);
    else return;
    event.preventDefault();
  });
}

/** `target` gives for a place on the page what takes files there, or nothing: then they go to the library. */
export function watchDrops(target) {
  const veil = h('div.drop', { hidden: true, 'aria-hidden': 'true' }, w.dropHere);
  document.body.append(veil);
  let depth = 0;
  const carries = (event) => [...(event.dataTransfer?.types ?? [])].includes('Files');
  addEventListener('dragenter', (event) => { if (carries(event)) { depth += 1; veil.hidden = false; } });
  addEventListener('dragleave', (event) => { if (carries(event) && --depth <= 0) veil.hidden = true; });
  addEventListener('dragover', (event) => {
    if (!carries(event)) return;
    event.preventDefault();
    veil.textContent = target(event.target) ? w.dropAttach : w.dropHere;
  });
  addEventListener('drop', (event) => {
    depth = 0;
    veil.hidden = true;
    if (!carries(event)) return;
    event.preventDefault();
    (target(event.target) ?? add)([...event.dataTransfer.files]);
  });
}
