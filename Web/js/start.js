// The quiet beginning: what this is, and what can be done at once with what is there.
import { h, fill, glyph } from './dom.js';
import { can } from './api.js';
import { w } from './words.js';
import { home } from './home.js';
import { sample } from './import.js';
import { packOffer } from './beginning.js';
import { nothingLeaves } from './strip.js';

/** What a document is called: its title, unless another one that is shown has the same. */
const called = (document, all) => (document.title && all.filter((other) => other.title === document.title).length === 1 ? document.title : document.document || document.title);
/** The same as a question names it: without its ending. */
const plain = (document, all) => called(document, all).replace(/\.[a-z0-9]{1,5}$/i, '');

/** Questions made from the documents that were added last: at most three. */
export function questions(recent) {
  if (!recent?.length) return [];
  return w.startQuestions.map((make, place) => make(plain(recent[place % recent.length], recent)));
}

/** `compose` writes into the composer, `send` asks what stands there, `add` opens the choice of files, `dictate` and `say` listen. */
export function startPage({ compose, send, add, dictate, say }) {
  const ask = (words) => h('button.bordered.offer.bidi', { type: 'button', onclick: () => { compose(words); send(); } }, words);
  const section = (title, ...inside) => h('section', {}, h('h2', {}, title), inside);
  let offer = null;
  const known = () => JSON.stringify([home.isKnown, home.wanted.length > 0, home.documents, home.recent?.map((document) => document.id)]);
  const leaves = h('p.quiet', {}, nothingLeaves());
  const inside = () => {
    const title = h('h1', {}, w.startTitle);
    // What follows depends on what there is, and nothing moves once it stands.
    if (!home.isKnown) return [title];
    const hasSome = home.documents > 0;
    if (home.wanted.length) offer ??= packOffer();
    return [title, offer, h('ul.lines.plain', {}, w.startLines.map((line) => h('li', {}, line))),
      h('div.row', {}, can('import') && h(`button.${hasSome || home.wanted.length ? 'bordered' : 'main-action'}`, { type: 'button', onclick: add }, w.addFirst),
        can('import') && home.documents === 0 && h('button.bordered', { type: 'button', onclick: async () => { await sample(); compose(w.sampleAsk); } }, w.trySample)),
      hasSome && section(w.startAsk, h('div.offers', {}, questions(home.recent).map(ask))),
      can('do') && section(w.startSay, h('div.offers', {}, h('button.bordered.offer', { type: 'button', onclick: () => compose(w.startCommand) }, w.startCommand),
        can('listen') && [h('button.offer', { type: 'button', onclick: dictate }, glyph('mic'), w.startWrite), h('button.offer', { type: 'button', onclick: say }, glyph('bolt'), w.startDo)])),
      hasSome && section(w.startRecent, h('ul.plain.offers', {}, home.recent.map((document) => h('li', {}, can('documents-outline') ? h('a.button.offer', { href: `#/d/${document.id}` }, glyph('book'), h('span.ellipsis.bidi', {}, called(document, home.recent))) : called(document, home.recent))))),
      leaves];
  };
  const page = h('div.start', {}, inside());
  let drawn = known();
  // Documents that have come in meanwhile can be asked at once.
  document.addEventListener('home', function renew() {
    if (!page.isConnected) { document.removeEventListener('home', renew); return; }
    fill(leaves, nothingLeaves());
    if (known() === drawn) return;
    drawn = known();
    fill(page, inside());
  });
  return page;
}
