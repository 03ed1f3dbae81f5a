// Data management: each kind goes on its own, after it was said exactly what and how much goes, and what stays.
import { h, fill, save, size } from './dom.js';
import { backupFile, can, call, one, start, upload } from './api.js';
import { number, w } from './words.js';
import { reason } from './reasons.js';
import { refresh } from './home.js';
import { restoreForm } from './restore.js';
import { confirmLoss, note, trouble, troubleNote } from './dialog.js';

const kinds = ['conversations', 'documents', 'logs', 'settings', 'actions', 'everything'];

/** A part of what is here, as people say it. */
const words = (part) => (part.what.startsWith('byte') ? reason(part.what).replace(/^\S+/, size(part.count)) : `${number(part.count)} ${reason(part.what)}`);

export function data(main) {
  const list = h('div.items.two');
  const files = h('input', { type: 'file', hidden: true, accept: '.json,.md', onchange: takeIn });
  fill(main, h('div.screen', { tabIndex: -1 }, h('div.inside', {}, h('h1', {}, w.data), h('p.quiet', {}, w.dataIntro), list, can('backup') && backup(), can('restore') && restoreForm(words),
    h('div.row', {}, can('conversations-export') && h('button.bordered', { type: 'button', onclick: keepAll }, w.exportAll),
      can('conversations-import') && h('button.bordered', { type: 'button', onclick: () => files.click() }, w.importTalks), files), can('conversations-import') && h('p.small.quiet', {}, w.importTalksWhat))));

  async function destroy(measure) {
    const [title] = w.kinds[measure.kind];
    const what = h('dl.facts-list', {}, h('dt', {}, w.goes), h('dd', {}, measure.goes.map(words).join(', ')),
      measure.stays.length > 0 && [h('dt', {}, w.stays), h('dd', {}, measure.stays.map(reason).join(', '))]);
    const many = measure.goes[0]?.count;
    if (!await confirmLoss(w.deeds.named(w.destroy, title), what, many ? `${w.destroy} ${number(many)}` : w.destroy)) return;
    try {
      await call('data-destroy', { kind: measure.kind });
      note(w.destroyed(title));
    } catch (failure) { troubleNote(failure); }
    await refresh();
    document.dispatchEvent(new CustomEvent('forgotten', { detail: measure.kind }));
    draw();
  }

  async function takeIn() {
    try {
      const taken = await call('conversations-import', { uploads: [await upload(files.files[0])] });
      note(w.imported(taken.length));
    } catch (failure) { troubleNote(failure); }
    // Some may have come in although not all could be read.
    document.dispatchEvent(new CustomEvent('talks'));
    draw();
    files.value = '';
  }

  async function keepAll() {
    try { save('conversations.json', 'application/json', (await one('conversations-export', { format: 'json' })).text); } catch (failure) { troubleNote(failure); }
  }

  async function draw() {
    if (!can('data-measure')) return;
    let measures;
    try { measures = await Promise.all(kinds.map((kind) => one('data-measure', { kind }))); } catch (failure) { fill(list, trouble(failure, draw)); return; }
    fill(list, measures.map((measure) => {
      const [title, what] = w.kinds[measure.kind];
      // An empty log still has a few bytes.
      const there = measure.goes.filter((part) => !part.what.startsWith('bytes')).reduce((sum, part) => sum + part.count, 0);
      return h('article.card', {}, h('div.row', {}, h('h2.grow', {}, title), measure.kind !== 'everything' && h('span.badge', {}, w.counts(measure.goes[0]?.count || there))), h('p.small.quiet', {}, what),
        h('div.row', {}, h('button.danger', { type: 'button', 'aria-label': w.deeds.named(w.destroy, title), disabled: there === 0, onclick: () => destroy(measure) }, w.destroy)));
    }));
  }

  /** One file with everything in it, written into the data folder; the browser takes a copy of it to where the person likes. */
  function backup() {
    const password = h('input', { type: 'password', id: 'backup-password', autocomplete: 'new-password' });
    const go = h('button.bordered', { type: 'submit' }, w.backUp);
    const copy = h('button.bordered', { type: 'button', hidden: true, onclick: take }, w.backupCopy);
    const share = h('progress', { max: 1, value: 0, hidden: true, 'aria-label': w.backup });
    let written = '';
    let run = null;
    const shown = (on) => { fill(go, on ? w.cancel : w.backUp); share.hidden = !on; };
    const keep = (event) => {
      event.preventDefault();
      if (run) { run.cancel(); return; }
      let done = null;
      shown(true);
      run = start('backup', { password: password.value || undefined }, {
        event(one) {
          if (one.progress !== undefined) share.value = one.progress;
          if (one.done) done = one.done;
        },
        ended(how, failure) {
          run = null;
          shown(false);
          password.value = '';
          if (failure) troubleNote(failure);
          else if (how === 'done') {
            note(w.backedUp(done));
            written = done?.path.split('/').pop() ?? '';
            copy.hidden = !written;
          }
        },
      });
    };
    async function take() {
      copy.disabled = true;
      try { save(written, 'application/octet-stream', await backupFile(written)); } catch (failure) { troubleNote(failure); }
      copy.disabled = false;
    }
    return h('form.card', { onsubmit: keep }, h('h2', {}, w.backup), h('p.small.quiet', {}, w.backupWhat),
      h('label', { htmlFor: password.id }, w.backupPassword), password, h('p.small.quiet', {}, w.backupPasswordWhat), share, h('div.row', {}, go, copy));
  }

  draw();
}
