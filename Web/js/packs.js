// Packs: what there is, how each fits this device, fetching with progress.
// The start page offers what is missing (beginning.js); this page proposes what would write better, where one asks.
import { h, fill, size } from './dom.js';
import { can, call, one, start, upload } from './api.js';
import { language, w } from './words.js';
import { reason } from './reasons.js';
import { refresh, refreshDoctor } from './home.js';
import { confirmLoss, trouble, troubleNote } from './dialog.js';
import { begin, onWork, underWay, work } from './fetching.js';

/** Whether a pack that writes better would fit and can be reached. It goes out for that, so a person asks for it. */
async function proposal(place) {
  if (!can('packs-proposal')) return;
  let found;
  try { found = await one('packs-proposal', { asked: true }); } catch (failure) { fill(place, trouble(failure)); return; }
  refreshDoctor().catch(() => {});
  if (!place.isConnected) return;
  if (!found?.id) { fill(place, h('p.quiet', {}, w.noBetterPack)); return; }
  const settle = (act) => () => {
    fill(place);
    act?.();
  };
  fill(place, h('div.card.notice', {}, h('p', {}, w.proposal(found, size(found.bytes))), h('div.row', {}, h('button.main-action', { type: 'button', onclick: settle(() => begin('packs-pull', found.id, { id: found.id }, w.pull)) }, w.pull), h('button.bordered', { type: 'button', onclick: settle() }, w.notNow))));
}

export function packs(main) {
  const list = h('div.items.two');
  const offer = h('div', { 'aria-live': 'polite' });
  const taking = h('div', { 'aria-live': 'polite' });
  const own = h('input', { type: 'file', hidden: true, accept: '.gguf', onchange: () => takeOwn(own.files[0]) });
  let known = [];
  fill(main, h('div.screen', { tabIndex: -1 }, h('div.inside', {}, h('div.row', {}, h('h1.grow', {}, w.packs), can('packs-import') && h('button.bordered', { type: 'button', onclick: () => own.click() }, w.ownPack), own), offer, taking, list)));

  function card(pack) {
    const busy = work.get(pack.id);
    const fit = pack.fit ?? {};
    const fitWords = fit.fits === false ? w.fitsNot : fit.context && pack.context && fit.context < pack.context ? w.fitsSmaller(fit.context) : w.fits;
    const act = (label, name, kind = 'bordered') => can(name) && h(`button.${kind}`, { type: 'button', 'aria-label': `${label}: ${pack.name}`, onclick: () => begin(name, pack.id, { id: pack.id }, label) }, label);
    return h('article.card', { 'aria-label': pack.name }, h('div.row', {}, h('h2.grow', {}, pack.name), pack.installed ? h('span.badge.good', {}, pack.verified ? w.verified : w.installed) : pack.default && h('span.badge', {}, w.recommended)),
      h('p.small.quiet', {}, [w.packKinds[pack.kind] ?? pack.kind, pack.parameters && w.parameters(pack.parameters), pack.quantization, size(pack.bytes), pack.licence].filter(Boolean).join(' · ')),
      h('div.row.small', {}, h(`span.badge${fit.fits === false ? '.stop' : ''}`, {}, fitWords), h('span', {}, reason(fit.reason))),
      busy ? underWay(busy, pack.name)
        : h('div.row', {}, pack.installed ? [!pack.verified && act(w.pullAgain, 'packs-pull'), act(w.verify, 'packs-verify'), pack.kind === 'chat' && act(w.smoke, 'packs-smoke'), pack.upgradable && act(w.upgrade, 'packs-pull', 'main-action'),
          can('packs-remove') && h('button.danger', { type: 'button', 'aria-label': `${w.remove}: ${pack.name}`, onclick: () => remove(pack) }, w.remove)]
          : act(w.pull, 'packs-pull', fit.fits === false ? 'bordered' : 'main-action')));
  }

  /** The person's own GGUF file: sent to the program on this device, then checked and installed like any other. */
  async function takeOwn(file) {
    own.value = '';
    const progress = h('progress', { 'aria-label': file.name });
    fill(taking, h('div.card', {}, h('p.ellipsis', {}, file.name), progress));
    try {
      start('packs-import', { upload: await upload(file) }, {
        event(event) { if (event.progress) Object.assign(progress, { max: 1, value: event.progress.share }); },
        async ended(how, failure) {
          fill(taking, failure && trouble(failure));
          await refresh();
          changed(true);
        },
      });
    } catch (failure) { fill(taking, trouble(failure)); }
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

  const changed = async (again) => {
    if (again) try { known = (await call('packs', { language })).filter((pack) => pack.id); } catch (failure) { fill(list, trouble(failure, () => changed(true))); return; }
    draw();
  };
  changed(true);
  let shown = false;
  onWork((again) => {
    if (!list.isConnected && shown) return false;
    shown = list.isConnected;
    changed(again);
    return true;
  });
  const look = h('button.bordered', { type: 'button', onclick: () => { look.disabled = true; proposal(offer); } }, w.lookForPack);
  if (can('packs-proposal')) fill(offer, h('div.row', {}, look, h('p.small.quiet.grow', {}, w.lookForPackWhat)));
}

