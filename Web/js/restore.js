// A backup in the place of everything that is here: chosen, said what goes, checked whole by the program, and only then put in place.
import { h, fill, size } from './dom.js';
import { one, start, upload } from './api.js';
import { w } from './words.js';
import { onArrival } from './session.js';
import { reason } from './reasons.js';
import { confirmLoss, inform, trouble } from './dialog.js';

/** `words` says a part of what is here. */
export function restoreForm(words) {
  const file = h('input', { type: 'file', id: 'restore-file', accept: '.backup', required: true });
  const password = h('input', { type: 'password', id: 'restore-password', autocomplete: 'off' });
  const go = h('button.danger', { type: 'submit' }, w.restore);
  const share = h('progress', { max: 1, hidden: true, 'aria-label': w.restore });
  const step = h('p.small.quiet', { role: 'status' });
  const problem = h('div');
  let run = null;
  let isOver = false;

  function shown(on, text = '') {
    fill(go, on ? w.cancel : w.restore);
    file.disabled = password.disabled = on;
    share.hidden = !on;
    if (!on) share.removeAttribute('value');
    fill(step, text);
  }

  function failed(failure) {
    run = null;
    shown(false);
    if (failure) fill(problem, trouble(failure));
  }

  async function agreed(chosen) {
    const { goes } = await one('data-measure', { kind: 'everything' });
    return confirmLoss(w.restoreNamed(chosen.name), [h('p', {}, w.restoreReplaces),
      h('dl.facts-list', {}, h('dt', {}, w.goes), h('dd', {}, goes.map(words).join(', ')), h('dt', {}, w.stays), h('dd', {}, w.restoreStays),
        h('dt', {}, w.restoreComes), h('dd', {}, `${chosen.name}, ${size(chosen.size)}`))], w.restore);
  }

  function done(made) {
    isOver = true;
    shown(false, w.restoredWhat);
    go.disabled = true;
    document.dispatchEvent(new CustomEvent('forgotten', { detail: 'everything' }));
    // The program that lets this browser in again has other things.
    onArrival(() => location.reload());
    inform(w.restored(made.files, size(made.bytes)), h('p', {}, w.restoredWhat),
      made.remarks.length > 0 && [h('p', {}, w.restoredRemarks), h('ul', {}, made.remarks.map((line) => h('li', {}, reason(line))))]);
  }

  async function put(event) {
    event.preventDefault();
    if (run) { run.cancel(); return; }
    const [chosen] = file.files;
    fill(problem);
    try {
      if (!await agreed(chosen)) return;
      shown(true, w.restoreSending);
      go.disabled = true;
      const handed = await upload(chosen);
      go.disabled = false;
      shown(true, w.restoreChecking);
      run = start('restore', { upload: handed, password: password.value || undefined, replacing: true }, {
        event(told) {
          if (told.progress !== undefined) share.value = told.progress;
          if (told.done) done(told.done);
        },
        // Once it is restored the program ends, and with it what is heard of it.
        ended(how, failure) { if (!isOver) failed(failure); },
      });
    } catch (failure) {
      go.disabled = false;
      failed(failure);
    }
  }

  return h('form.card', { onsubmit: put }, h('h2', {}, w.restoreTitle), h('p.small.quiet', {}, w.restoreWhat),
    h('label', { htmlFor: file.id }, w.restoreFile), file, h('label', { htmlFor: password.id }, w.restorePassword), password, step, share, problem, h('div.row', {}, go));
}
