// Which pack answers in Fast and in Deep: seen in the strip, chosen behind it.
import { h, fill, size } from './dom.js';
import { can } from './api.js';
import { w } from './words.js';
import { home, settings, answering, change, speeds } from './home.js';
import { trouble } from './dialog.js';

const short = (name) => name.replace(/ (Instruct|Chat)$/i, '');

/** Who would answer now, without what every name says. */
export function provider(mode) {
  const chats = home.packs.filter((pack) => pack.kind === 'chat' && pack.installed);
  const now = home.answering[mode];
  if (now && now.provider !== 'local') return now.provider === 'extractive' ? w.quoting : w.providerNames[now.provider] ?? now.provider;
  const chosen = chats.find((pack) => pack.id === (now?.pack ?? settings.pack)) ?? chats[0];
  return chosen ? short(chosen.name) : w.quoting;
}

/** What a pack needs and how fast it is here. */
function facts(pack) {
  const seen = speeds()[pack.id];
  const expected = pack.throughput?.generate;
  return [pack.fit?.footprint_bytes && w.needs(size(pack.fit.footprint_bytes)), seen ? w.speedHere(seen) : expected ? w.speedExpected(expected) : w.speedUnknown, pack.fit?.fits === false && w.fitsNot].filter(Boolean).join(' · ');
}

/** A choice for each mode among the packs that are installed. */
export function chooser() {
  const box = h('div.stack');
  const chats = home.packs.filter((pack) => pack.kind === 'chat' && pack.installed);
  /** Whoever stands in it stays where they are. */
  const draw = () => {
    const { name, value } = document.activeElement ?? {};
    fill(box, ['fast', 'deep'].map((mode) => group(mode)), !chats.length && h('p', {}, w.noWriter));
    [...box.querySelectorAll('input')].find((input) => input.name === name && input.value === value)?.focus();
  };

  function group(mode) {
    const name = mode === 'fast' ? 'pack' : 'deepPack';
    const first = ['', mode === 'fast' ? w.automatic : w.sameAsFast, mode === 'fast' ? w.automaticHint : ''];
    const options = [first, ...chats.map((pack) => [pack.id, short(pack.name), facts(pack)])];
    return h('fieldset.plain.choice', {}, h('legend', {}, h('b', {}, w.modes[mode]), h('span.small.quiet', {}, ` ${w.answersNow(provider(mode))}`)), options.map(([id, words, hint]) => {
      const input = h('input', { type: 'radio', name: `pack-${mode}`, value: id, checked: (settings[name] ?? '') === id, disabled: !can('settings-set'), onchange: () => choose(name, id) });
      return h('label', {}, input, h('span', {}, words, hint && h('span.small.quiet', {}, hint)));
    }));
  }

  async function choose(name, id) {
    try { await change(name, id || null); } catch (failure) { box.append(trouble(failure)); return; }
    draw();
  }

  draw();
  // Who answers in the other mode was not asked until now.
  const unasked = ['fast', 'deep'].find((mode) => !(mode in home.answering));
  if (unasked) answering(unasked).then(draw, () => {});
  return box;
}
