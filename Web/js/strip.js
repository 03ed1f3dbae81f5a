// The strip answers three questions, always in the same place: which mode, what is happening, what supports this.
import { h, $, fill, icon, glyph, size } from './dom.js';
import { can } from './api.js';
import { w } from './words.js';
import { reason } from './reasons.js';
import { home, settings, change, refreshDoctor } from './home.js';
import { dialog, inform, trouble, troubleNote } from './dialog.js';
import { chooser, provider } from './chooser.js';
import { show, isOpen, hide } from './evidence.js';

const parts = {};
/** What is being done, by who says it; an answer comes before what goes on besides it. */
const tasks = new Map();
const busyWith = () => tasks.get('answer') ?? tasks.get('import') ?? null;
let saidState = '';
let link = 'open';

/** The governor's word, if the device is under strain: [words, shape, reason]. */
function strain() {
  const tiers = home.governor?.tiers;
  if (!tiers) return null;
  if (tiers.heat?.level === 'critical' || tiers.heat?.level === 'serious') return [tiers.heat.level === 'critical' ? w.hot : w.warm, tiers.heat.level === 'critical' ? 'hot' : 'warm', reason(tiers.heat.reason)];
  if (tiers.memory && tiers.memory.level !== 'normal') return [w.lowMemory, tiers.memory.level === 'critical' ? 'hot' : 'warm', reason(tiers.memory.reason)];
  if (tiers.low_power || (tiers.battery && tiers.battery.level !== 'normal')) return [w.battery, 'warm', reason(tiers.battery?.reason)];
  if (home.governor.break_suggested) return [w.rest, 'warm', w.restWhy];
  return null;
}

/** Every part of a seal report holds. */
function shut(part) {
  if (part && typeof part === 'object') return 'sealed' in part ? shut(part.sealed) : Object.values(part).every(shut);
  return part === true || part === 'sealed' || part === 'ok';
}

export const strip = {
  /** `evidence` gives what supports the last answer. */
  build(openRail, evidence) {
    const modes = h('fieldset.modes', {}, h('legend.quiet-voice', {}, w.mode), Object.entries(w.modes).map(([value, name]) => {
      const input = h('input', { type: 'radio', name: 'mode', value, onchange: () => strip.mode(value) });
      return h('label', { title: w.modeHints[value] }, input, name);
    }));
    parts.modes = modes;
    parts.state = h('button.state', { type: 'button', onclick: explain });
    parts.told = h('span.quiet-voice', { role: 'status' });
    parts.supports = h('button.supports', { type: 'button', onclick: () => (isOpen() ? hide() : show(evidence(), 0)) });
    parts.sealed = h('button.sealed', { type: 'button', onclick: explainSeal });
    // On a narrow window what comes into the library has a line of its own.
    parts.coming = h('a.coming', { href: '#/library', hidden: true });
    fill($('strip'), icon('menu', w.menu, openRail, { className: 'icon menu', id: 'menu', 'aria-expanded': 'false', 'aria-controls': 'rail' }), modes, parts.state, parts.told, h('span.gap'), parts.supports, parts.sealed, parts.coming);
    strip.supports(0);
    strip.draw();
  },
  draw() {
    if (!parts.modes) return;
    for (const input of parts.modes.querySelectorAll('input')) input.checked = input.value === settings.mode;
    const under = strain();
    const busy = busyWith();
    const [text, shape] = link !== 'open' ? [w.lost, 'hot'] : busy ? (under ? [`${busy[0]} · ${under[0]}`, under[1]] : busy) : under ?? [w.ready, 'ready'];
    const brief = busy && busy === tasks.get('import') && link === 'open' && !under && w.adding;
    fill(parts.state, h(`i.shape.${shape}`, { 'aria-hidden': 'true' }), h('span', {}, h('span.pack', {}, `${provider(settings.mode)} · `), brief ? [h('span.whole', {}, text), h('span.brief', {}, brief)] : text));
    parts.state.setAttribute('aria-label', `${provider(settings.mode)}, ${text}. ${w.choosePack}`);
    // A screen reader hears what changes for good; how far an answer is, the answer says itself.
    const lasting = link !== 'open' ? w.lost : under?.[0] ?? (tasks.has('import') ? w.importing : w.ready);
    if (saidState && lasting !== saidState) fill(parts.told, lasting);
    saidState = lasting;
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
  task(text, shape, who = 'answer') {
    if (text) tasks.set(who, [text, shape]);
    else tasks.delete(who);
    strip.draw();
  },
  /** How far an import is, and the file at hand; nothing when there is none any more. */
  coming(text, name) {
    parts.coming.hidden = !text;
    if (text) fill(parts.coming, h('span.ellipsis.bidi', {}, name || w.importing), h('span.ellipsis.quiet', {}, text));
    strip.task(text && [text, name].filter(Boolean).join(' · '), 'work', 'import');
  },
  link(state) { link = state; strip.draw(); },
  supports(count) {
    if (!parts.supports) return;
    parts.supports.disabled = count === 0;
    fill(parts.supports, glyph('book'), count ? h('span', {}, count, h('span.long', {}, ` ${w.passages(count).replace(/^\S+ /, '')}`)) : h('span.long', {}, w.noEvidence));
    parts.supports.setAttribute('aria-label', count ? `${w.evidence}: ${w.passages(count)}` : w.noEvidence);
  },
};

function explain() {
  const under = strain();
  const tiers = home.governor?.tiers ?? {};
  dialog(w.whoAnswers, (close) => [chooser(), under && h('p', {}, `${under[0]}${under[2] ? ` – ${under[2]}` : ''}.`),
    h('dl.facts-list', {}, ['heat', 'memory', 'battery'].filter((name) => tiers[name]).flatMap((name) => [h('dt', {}, w.tiers[name]), h('dd', {}, `${tiers[name].known === false ? w.unknown : reason(tiers[name].level)} – ${reason(tiers[name].reason)}`)])),
    h('p', {}, h('a', { href: '#/packs', onclick: () => close() }, w.packs), ' · ', h('a', { href: '#/diagnostics', onclick: () => close() }, w.diagnostics)),
    h('div.ends', {}, h('button.main-action', { type: 'button', onclick: () => close() }, w.close))]);
}

/** Looked up at the moment it is asked. */
function explainSeal() {
  const told = h('div.stack', { 'aria-live': 'polite' }, h('p.quiet', {}, w.thinking));
  inform(w.seal, told);
  refreshDoctor().then(() => fill(told, home.doctor ? sealFacts(home.doctor) : h('p', {}, w.sealUnknown)), (failure) => fill(told, trouble(failure)));
}

/** What is sealed and what went out, line by line. */
export function sealFacts(doctor) {
  const lines = doctor.outgoing ?? [];
  return [h('p', {}, w.nothingLeaves(doctor, doctor.sealed && shut(doctor.sealed))),
    h('dl.facts-list', {}, Object.entries(doctor.sealed ?? {}).flatMap(([part, state]) => [h('dt', {}, w.sealedParts[part] ?? part), h('dd', {}, flat(state))]),
      h('dt', {}, w.opened), h('dd', {}, w.openedMany(doctor))),
    lines.length > 0 && h('ul', {}, lines.map((line) => h('li', {}, w.wentOut(line, home.packs.find((pack) => pack.id === line.pack)?.name ?? line.pack, size(line.bytes)))))];
}

/** In words that hold in every state of the house. */
export const nothingLeaves = () => w.nothingLeaves(home.doctor, home.doctor?.sealed && shut(home.doctor.sealed));

/** A seal report, or a part of one, in words. */
export function flat(value) {
  if (value === true) return w.sealed;
  if (value === false) return w.notSealed;
  if (Array.isArray(value)) return value.map(flat).join(', ') || w.none;
  if (value && typeof value === 'object') return Object.entries(value).map(([key, inner]) => `${key}: ${flat(inner)}`).join(' · ') || w.none;
  return String(value);
}
