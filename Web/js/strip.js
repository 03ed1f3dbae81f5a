// The strip answers three questions, always in the same place: which mode, what is happening, what supports this.
import { h, $, fill, icon, glyph } from './dom.js';
import { can } from './api.js';
import { w } from './words.js';
import { home, settings, change } from './home.js';
import { inform, troubleNote } from './dialog.js';
import { show, isOpen, hide } from './evidence.js';
import { evidenceOfLast } from './chat.js';

const parts = {};
let busy = null;
let link = 'open';

/** The governor's word, if the device is under strain: [words, shape, reason]. */
function strain() {
  const tiers = home.governor?.tiers;
  if (!tiers) return null;
  if (tiers.heat?.level === 'critical' || tiers.heat?.level === 'serious') return [tiers.heat.level === 'critical' ? w.hot : w.warm, tiers.heat.level === 'critical' ? 'hot' : 'warm', tiers.heat.reason];
  if (tiers.memory && tiers.memory.level !== 'normal') return [w.lowMemory, tiers.memory.level === 'critical' ? 'hot' : 'warm', tiers.memory.reason];
  if (tiers.low_power || (tiers.battery && tiers.battery.level !== 'normal')) return [w.battery, 'warm', tiers.battery?.reason];
  if (home.governor.break_suggested) return [w.rest, 'warm', w.restWhy];
  return null;
}

/** Every part of a seal report holds. */
function shut(part) {
  if (part && typeof part === 'object') return 'sealed' in part ? shut(part.sealed) : Object.values(part).every(shut);
  return part === true || part === 'sealed' || part === 'ok';
}

/** The model's name without what every name says. */
function provider() {
  const packs = home.packs.filter((pack) => pack.kind === 'chat' && pack.installed);
  const chosen = packs.find((pack) => pack.id === settings.pack) ?? packs[0];
  return chosen ? chosen.name.replace(/ (Instruct|Chat)$/i, '') : w.quoting;
}

export const strip = {
  build(openRail) {
    const modes = h('fieldset.modes', {}, h('legend.quiet-voice', {}, w.mode), Object.entries(w.modes).map(([value, name]) => {
      const input = h('input', { type: 'radio', name: 'mode', value, onchange: () => strip.mode(value) });
      return h('label', { title: w.modeHints[value] }, input, name);
    }));
    parts.modes = modes;
    parts.state = h('button.state', { type: 'button', onclick: explain });
    parts.supports = h('button.supports', { type: 'button', onclick: () => (isOpen() ? hide() : show(evidenceOfLast(), 0)) });
    parts.sealed = h('button.sealed', { type: 'button', onclick: explainSeal });
    fill($('strip'), icon('menu', w.menu, openRail, { className: 'icon menu', id: 'menu', 'aria-expanded': 'false', 'aria-controls': 'rail' }), modes, parts.state, h('span.gap'), parts.supports, parts.sealed);
    strip.supports(0);
    strip.draw();
  },
  draw() {
    if (!parts.modes) return;
    for (const input of parts.modes.querySelectorAll('input')) input.checked = input.value === settings.mode;
    const under = strain();
    const [text, shape] = link !== 'open' ? [w.lost, 'hot'] : busy ? (under ? [`${busy[0]} · ${under[0]}`, under[1]] : busy) : under ?? [w.ready, 'ready'];
    fill(parts.state, h(`i.shape.${shape}`, { 'aria-hidden': 'true' }), h('span', {}, h('span.pack', {}, `${provider()} · `), text));
    const sealed = home.doctor?.sealed;
    const isSealed = sealed && shut(sealed);
    fill(parts.sealed, glyph(isSealed ? 'sealed' : 'shield'), h('span', {}, sealed ? (isSealed ? w.sealed : w.notSealed) : w.sealUnknown));
    parts.sealed.className = `sealed ${isSealed ? 'holds' : sealed ? 'open' : ''}`;
    parts.sealed.setAttribute('aria-label', `${sealed ? (isSealed ? w.sealed : w.notSealed) : w.sealUnknown}. ${w.why}?`);
  },
  async mode(value) {
    settings.mode = value;
    strip.draw();
    if (can('settings-set')) try { await change('mode', value); } catch (failure) { troubleNote(failure); }
  },
  task(text, shape) { busy = text ? [text, shape] : null; strip.draw(); },
  link(state) { link = state; strip.draw(); },
  supports(count) {
    if (!parts.supports) return;
    parts.supports.disabled = count === 0;
    fill(parts.supports, glyph('book'), count ? h('span', {}, count, h('span.long', {}, ` ${w.passages(count).replace(/^\d+ /, '')}`)) : h('span.long', {}, w.noEvidence));
    parts.supports.setAttribute('aria-label', count ? `${w.evidence}: ${w.passages(count)}` : w.noEvidence);
  },
};

function explain() {
  const under = strain();
  const tiers = home.governor?.tiers ?? {};
  inform(provider(), under && h('p', {}, `${under[0]}${under[2] ? ` – ${under[2]}` : ''}.`),
    h('dl.facts-list', {}, ['heat', 'memory', 'battery'].filter((name) => tiers[name]).flatMap((name) => [h('dt', {}, w.tiers[name]), h('dd', {}, `${tiers[name].level} – ${tiers[name].reason}`)])),
    h('p', {}, h('a', { href: '#/diagnostics', onclick: (event) => event.target.closest('dialog').close() }, w.diagnostics)));
}

function explainSeal() {
  const doctor = home.doctor;
  inform(w.seal, doctor ? h('dl.facts-list', {}, Object.entries(doctor.sealed ?? {}).flatMap(([part, state]) => [h('dt', {}, part), h('dd', {}, flat(state))]),
    h('dt', {}, w.opened), h('dd', {}, w.openedMany(doctor))) : h('p', {}, w.sealUnknown));
}

/** A seal report, or a part of one, in words. */
export function flat(value) {
  if (value === true) return w.sealed;
  if (value === false) return w.notSealed;
  if (Array.isArray(value)) return value.map(flat).join(', ') || w.none;
  if (value && typeof value === 'object') return Object.entries(value).map(([key, inner]) => `${key}: ${flat(inner)}`).join(' · ') || w.none;
  return String(value);
}
