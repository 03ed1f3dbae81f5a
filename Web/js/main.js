// The beginning: lets the browser in and learns what this build can do; then the house is shown.
import { h, $, fill } from './dom.js';
import * as api from './api.js';
import * as house from './house.js';
import { onArrival } from './session.js';
import { w } from './words.js';
import { trouble, troubleNote } from './dialog.js';

/** Whether the house stands on the page. */
let isIn = false;
let gate = null;
/** Stands before the page while this browser is not let in. What is behind it stays as it is. */
function shut(title, why) {
  // What was open asks for what cannot be done now.
  for (const open of document.querySelectorAll('dialog[open]')) open.close();
  gate?.remove();
  gate = h('dialog.shut', { 'aria-labelledby': 'shut-title', oncancel: (event) => event.preventDefault() },
    h('div.stack', { role: 'status' }, h('h2', { id: 'shut-title', tabIndex: -1 }, title), h('p', {}, why), h('p.quiet', {}, w.lockedDo)));
  document.body.append(gate);
  gate.showModal();
  gate.querySelector('h2').focus();
}

function unlock() {
  gate?.remove();
  gate = null;
  for (const card of document.querySelectorAll('#toasts [data-code=unreachable]')) card.remove();
}

/** The code in the page's address, if there is one, lets this browser in. `before` is the place the page was at. */
async function admit(before) {
  const code = new URLSearchParams(location.hash.slice(1)).get('key');
  if (!code) return undefined;
  try { await api.enter(code); } catch (failure) { return failure; } finally {
    // Not before: a page that is loaded again meanwhile still has it. Who has gone elsewhere meanwhile stays there.
    if (location.hash.startsWith('#key=')) history.replaceState(null, '', location.pathname + before);
  }
  return undefined;
}

/** A link that lets in was opened where the page stands already. */
async function moved(event) {
  if (!location.hash.startsWith('#key=')) {
    if (isIn) await house.show();
    return;
  }
  const refused = await admit(new URL(event.oldURL).hash);
  if (refused && gate) shut(isIn ? w.over : w.locked, refused.status === 401 ? w.lockedSpent : refused.message);
  else if (refused) troubleNote(refused);
}

async function begin() {
  // What stands in the page before its words are known.
  fill(document.querySelector('.skip'), w.skip);
  $('evidence').setAttribute('aria-label', w.evidence);
  addEventListener('hashchange', moved);
  const refused = await admit('');
  for (;;) {
    const arrival = new Promise((done) => onArrival(done));
    try { await api.learn(); break; } catch (failure) {
      if (failure.status !== 401) { fill($('main'), trouble(failure, () => location.reload())); return; }
      if (!gate) shut(w.locked, refused?.status === 401 ? w.lockedSpent : w.lockedWhy);
      await arrival;
    }
  }
  isIn = true;
  unlock();
  await house.enter({ shut, unlock, isShut: () => Boolean(gate) });
}

begin();
