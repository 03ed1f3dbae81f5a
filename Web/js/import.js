// Taking documents in: from the button, a drop or the clipboard. Each file says how far it is and what went wrong.
import { h, announce } from './dom.js';
import { can, start, upload } from './api.js';
import { inOwnWords } from './troubles.js';
import { w } from './words.js';
import { strip } from './strip.js';
import { refresh } from './home.js';
import { note, troubleNote } from './dialog.js';

/** name -> {done, of, state, reason}; the library shows it. */
export const underway = new Map();
let run = null;

function told() { document.dispatchEvent(new CustomEvent('import')); }

export const stop = () => run?.cancel();

/** The collection that files go to; empty: the usual one. */
export const aim = { collection: '' };

export async function add(files) {
  if (!files.length) return;
  if (!can('import')) { troubleNote({ message: w.noImports }); return; }
  const uploads = [];
  for (const file of files) {
    underway.set(file.name, { done: 0, of: null, state: 'sending' });
    told();
    try { uploads.push(await upload(file)); } catch (failure) {
      underway.set(file.name, { state: 'failed', reason: failure.message });
      troubleNote(failure);
    }
  }
  if (uploads.length) {
    strip.task(w.importing, 'work', 'import');
    await take(uploads);
  }
  told();
}

function take(uploads) {
  let imported = 0;
  return new Promise((resolve) => {
    run = start('import', { uploads, ...(aim.collection ? { collection: aim.collection } : {}) }, {
      event(event) {
        const name = event.document?.split('/').pop();
        if (event.event === 'progress') {
          underway.set(name, { done: event.pages_done, of: event.pages, state: 'reading' });
          strip.task([w.reading(event.pages_done, event.pages), event.eta_s > 1 && w.secondsLeft(event.eta_s), name].filter(Boolean).join(' · '), 'work', 'import');
        } else if (event.event === 'summary') imported = event.imported;
        else if (event.event === 'failed') underway.set(name, { state: 'failed', reason: inOwnWords({ code: event.code, message: event.reason }).message });
        else if (event.event) {
          underway.delete(name);
          if (event.event === 'skipped') note(`${name}: ${event.reason ?? w.skipped}`);
        }
        told();
      },
      async ended(how, failure) {
        run = null;
        for (const [name, entry] of underway) if (entry.state !== 'failed') underway.delete(name);
        strip.task(null, null, 'import');
        if (failure) troubleNote(failure);
        else if (imported) { note(w.added(imported)); announce(w.added(imported)); }
        await refresh();
        told();
        resolve();
      },
    });
  });
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
