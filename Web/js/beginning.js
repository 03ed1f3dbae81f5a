// The first choice: which packs to get. Each way says how much it fetches, how long that takes and under which licence; nothing is
// fetched before a person has chosen.
import { h, fill, size } from './dom.js';
import { can, one, upload } from './api.js';
import { w } from './words.js';
import { home, settings } from './home.js';
import { begin, bundle, line, onWork, underWay, work } from './fetching.js';
import { dialog, note, trouble } from './dialog.js';

const plain = (name) => name.replace(/ Instruct$/, '');
const sum = (packs) => packs.reduce((all, pack) => all + pack.fetch_bytes, 0);
const licences = (packs) => [...new Set(packs.map((pack) => pack.licence).filter(Boolean))].join(', ');
/** Before anything has come over this line its speed is not known, and an example is told. */
const time = (bytes) => (line() ? w.timeHere(bytes / line(), `${size(line())}/s`) : w.timeExample(bytes / 1e7, `${size(1e7)}/s`));
const facts = (packs) => [size(sum(packs)), time(sum(packs)), licences(packs)].filter(Boolean).join(' · ');
const fetchAll = (packs) => { for (const pack of packs) begin('packs-pull', pack.id, { id: pack.id }, w.pull); };

/** What is under way for these packs. */
const bars = (packs) => packs.filter((pack) => work.has(pack.id)).map((pack) => underWay(work.get(pack.id), plain(pack.name)));

/** What answers lack: who writes them, who finds by meaning, or who does so in the person's language. */
function lack() {
  if (home.wanted.some((pack) => pack.kind === 'chat')) return 'writer';
  return home.packs.some((pack) => pack.kind === 'embed' && pack.installed) ? 'language' : 'meaning';
}

/** The packs that answers need and that are missing; nothing where none is missing. */
export function packOffer() {
  if (!home.wanted.length || !can('packs-pull')) return null;
  const card = h('div.card.notice', { 'aria-label': w.packsNeeded });
  const file = h('input', { type: 'file', hidden: true, accept: '.tar', onchange: () => takeBundle(file) });
  let way = 'small';
  let larger = null;
  let problem = null;

  /** The ways there are: those that need a network only where one may be used. */
  function ways() {
    const { wanted } = home;
    const rest = wanted.filter((pack) => pack.kind !== 'chat');
    const found = wanted.some((pack) => pack.kind === 'chat') && larger && home.packs.find((pack) => pack.id === larger.id && !pack.installed);
    const network = settings.offline ? [] : [
      { name: 'small', packs: wanted, words: w.waySmall(wanted.map((pack) => plain(pack.name))) },
      ...(found ? [{ name: 'larger', packs: [found, ...rest], words: w.wayLarger(plain(found.name), Math.round(larger.tokens_per_s)) }] : []),
    ];
    return [...network, ...(can('packs-install') ? [{ name: bundle, words: w.wayBundle, what: w.wayBundleWhat }] : [])];
  }

  function choose() {
    const all = ways();
    if (!all.some((one) => one.name === way)) way = all[0]?.name;
    const option = ({ name, words, what, packs }) => h('label', {}, h('input', { type: 'radio', name: 'way', value: name, checked: name === way, onchange: () => { way = name; draw(); } }),
      h('span', {}, words, h('span.small.quiet', {}, what ?? facts(packs))));
    const chosen = all.find((one) => one.name === way);
    return [h('fieldset.choice', {}, h('legend', {}, w.packWhy[lack()]), all.map(option)), settings.offline && h('p.small.quiet', {}, w.wayOffline),
      chosen && h('div.row', {}, h('button.main-action', { type: 'button', onclick: () => go(chosen) }, chosen.packs ? w.getPacks(chosen.packs.map((pack) => plain(pack.name)), size(sum(chosen.packs))) : w.chooseBundle)), file];
  }

  function go(chosen) {
    problem = null;
    if (chosen.packs) fetchAll(chosen.packs); else file.click();
    draw();
  }

  async function takeBundle() {
    const [given] = file.files;
    if (!given) return;
    const entry = { words: w.wayBundleTaking, share: null, detail: given.name };
    work.set(bundle, entry);
    draw();
    try {
      const handed = await upload(given);
      work.delete(bundle);
      begin('packs-install', bundle, { upload: handed }, w.wayBundleTaking);
    } catch (failure) {
      work.delete(bundle);
      problem = failure;
    }
    file.value = '';
    draw();
  }

  function draw() {
    card.hidden = !home.wanted.length;
    if (card.hidden) { fill(card); return; }
    const going = [...(work.has(bundle) ? [underWay(work.get(bundle), w.wayBundle)] : []), ...bars(home.packs)];
    // Where a person is choosing, what they have in hand stays.
    const focused = card.contains(document.activeElement) && document.activeElement.value;
    fill(card, going.length ? [h('p', {}, w.packsComing), going] : choose(), problem && trouble(problem));
    if (focused) card.querySelector(`input[value="${focused}"]`)?.focus();
  }

  let told = 0;
  onWork((again) => {
    if (!card.isConnected && told) return false;
    // Each step would be drawn dozens of times a second.
    if (again || Date.now() - told > 250 || work.size !== card.querySelectorAll('progress').length) { told = Date.now(); draw(); }
    return true;
  });
  // A terminal may have put in what was missing.
  document.addEventListener('home', function renew() {
    if (card.isConnected) draw(); else document.removeEventListener('home', renew);
  });
  if (can('packs-proposal') && home.wanted.some((pack) => pack.kind === 'chat')) one('packs-proposal', {}).then((found) => { larger = found?.id ? found : null; draw(); }, () => {});
  draw();
  return card;
}

/** What hearing needs: the smallest pack that hears more than English, and the one for pauses. */
function hearing() {
  const there = (kind) => home.packs.some((pack) => pack.kind === kind && pack.installed);
  const best = (kind) => home.packs.filter((pack) => pack.kind === kind && !pack.id.includes('.en') && pack.fit?.fits !== false).sort((a, b) => a.bytes - b.bytes)[0];
  return ['speech', 'vad'].filter((kind) => !there(kind)).map(best);
}

/** Whether one can be heard here; where not, what is missing is offered, at the first touch of the microphone and at every later one. */
export function hears() {
  const missing = hearing();
  if (!home.packs.length || !missing.length) return true;
  offerHearing(missing.filter(Boolean));
  return false;
}

function offerHearing(packs) {
  const inside = h('div.stack', { 'aria-live': 'polite' });
  let close;
  const draw = () => {
    const going = bars(packs);
    const left = hearing().filter(Boolean);
    if (!left.length) { note(w.hearingReady); close(true); return; }
    fill(inside, h('p', {}, w.noSpeech), going.length ? going : settings.offline || !can('packs-pull') ? h('p.quiet', {}, w.wayOffline) : [
      h('ul.plain', {}, left.map((pack) => h('li', {}, h('span', {}, pack.name), h('span.small.quiet', {}, ` ${[w.packKinds[pack.kind], facts([pack])].join(' · ')}`)))),
      h('p.small.quiet', {}, w.hearingHow)],
    h('div.ends', {}, h('button.bordered', { type: 'button', onclick: () => close(false) }, going.length ? w.close : w.notNow),
      !going.length && !settings.offline && can('packs-pull') && h('button.main-action', { type: 'button', onclick: () => { fetchAll(left); draw(); } }, w.getPacks(left.map((pack) => plain(pack.name)), size(sum(left))))));
  };
  dialog(w.hearingTitle, (end) => { close = end; return inside; });
  let told = 0;
  onWork((again) => {
    if (!inside.isConnected) return false;
    if (again || Date.now() - told > 250) { told = Date.now(); draw(); }
    return true;
  });
  draw();
}
