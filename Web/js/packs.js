// Packs: what there is, how each fits this device, fetching with progress.
import { h, fill, size } from './dom.js';
import { can, call, start, upload } from './api.js';
import { w } from './words.js';
import { refresh } from './home.js';
import { confirmLoss, note, trouble, troubleNote } from './dialog.js';

/** What is being done with a pack, by id; it goes on when the screen is left. */
const work = new Map();

function begin(name, pack, words) {
  const entry = { words, share: null, detail: '' };
  entry.run = start(name, { id: pack.id }, {
    event(event) {
      if (event.progress) Object.assign(entry, { words: event.progress.step, share: event.progress.share, detail: [event.progress.total && `${size(event.progress.done)} / ${size(event.progress.total)}`, event.progress.speed && `${size(event.progress.speed)}/s`, event.progress.seconds_left != null && w.secondsLeft(event.progress.seconds_left)].filter(Boolean).join(' · ') });
      if (event.note) entry.detail = event.note;
      if (event.tokens_per_s) note(w.smoked(event));
      if (event.done && name === 'packs-verify') note(w.verifiedNow);
      changed();
    },
    async ended(how, failure) {
      work.delete(pack.id);
      if (failure) troubleNote(failure);
      await refresh();
      changed(true);
    },
  });
  work.set(pack.id, entry);
  changed();
}

let changed = () => {};

export function packs(main) {
  const list = h('div.items.two');
  const bar = h('div', { 'aria-live': 'polite' });
  const own = h('input', { type: 'file', hidden: true, accept: '.gguf', onchange: () => takeOwn(own.files[0]) });
  let known = [];
  fill(main, h('div.screen', { tabIndex: -1 }, h('div.inside', {}, h('div.row', {}, h('h1.grow', {}, w.packs), can('packs-import') && h('button.bordered', { type: 'button', onclick: () => own.click() }, w.ownPack), own), bar, list)));

  function card(pack) {
    const busy = work.get(pack.id);
    const fit = pack.fit ?? {};
    const fitWords = fit.fits === false ? w.fitsNot : fit.context && pack.context && fit.context < pack.context ? w.fitsSmaller(fit.context) : w.fits;
    const act = (label, name, kind = 'bordered') => can(name) && h(`button.${kind}`, { type: 'button', 'aria-label': `${label}: ${pack.name}`, onclick: () => begin(name, pack, label) }, label);
    return h('article.card', { 'aria-label': pack.name }, h('div.row', {}, h('h2.grow', {}, pack.name), pack.installed ? h('span.badge.good', {}, pack.verified ? w.verified : w.installed) : pack.default && h('span.badge', {}, w.recommended)),
      h('p.small.quiet', {}, [w.packKinds[pack.kind] ?? pack.kind, pack.parameters && w.parameters(pack.parameters), pack.quantization, size(pack.bytes), pack.licence].filter(Boolean).join(' · ')),
      h('div.row.small', {}, h(`span.badge${fit.fits === false ? '.stop' : ''}`, {}, fitWords), h('span', {}, fit.reason ?? '')),
      busy ? h('div.items', {}, h('div.row', {}, h('span.grow.small', {}, [busy.words, busy.detail].filter(Boolean).join(' · ')), h('button.bordered', { type: 'button', onclick: () => busy.run.cancel() }, w.cancel)), h('progress', { 'aria-label': pack.name, max: 1, ...(busy.share === null ? {} : { value: busy.share }) }))
        : h('div.row', {}, pack.installed ? [act(w.verify, 'packs-verify'), pack.kind === 'chat' && act(w.smoke, 'packs-smoke'), pack.upgradable && act(w.upgrade, 'packs-pull', 'main-action'),
          can('packs-remove') && h('button.danger', { type: 'button', 'aria-label': `${w.remove}: ${pack.name}`, onclick: () => remove(pack) }, w.remove)]
          : act(w.pull, 'packs-pull', fit.fits === false ? 'bordered' : 'main-action')));
  }

  /** The person's own GGUF file: sent to the program on this device, then checked and installed like any other. */
  async function takeOwn(file) {
    own.value = '';
    const progress = h('progress', { 'aria-label': file.name });
    fill(bar, h('div.card', {}, h('p.ellipsis', {}, file.name), progress));
    try {
      start('packs-import', { upload: await upload(file) }, {
        event(event) { if (event.progress) Object.assign(progress, { max: 1, value: event.progress.share }); },
        async ended(how, failure) {
          fill(bar, failure && trouble(failure));
          await refresh();
          changed(true);
        },
      });
    } catch (failure) { fill(bar, trouble(failure)); }
  }

  async function remove(pack) {
    if (!await confirmLoss(w.removePack(pack.name), w.removePackWhat(size(pack.bytes)), w.remove)) return;
    try { await call('packs-remove', { id: pack.id }); } catch (failure) { troubleNote(failure); }
    await refresh();
    changed(true);
  }

  function draw() {
    const order = ['chat', 'embed', 'rerank', 'speech', 'vad'];
    const rank = (pack) => (order.includes(pack.kind) ? order.indexOf(pack.kind) : order.length);
    fill(list, known.length ? [...known].sort((a, b) => rank(a) - rank(b) || a.bytes - b.bytes).map(card) : h('div.empty', {}, w.noPacks));
  }

  changed = async (again) => {
    if (!list.isConnected) return;
    if (again) try { known = (await call('packs')).filter((pack) => pack.id); } catch (failure) { fill(list, trouble(failure, () => changed(true))); return; }
    draw();
  };
  changed(true);
}

