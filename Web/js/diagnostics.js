// Diagnostics: the device, the seal, what was opened, what failed; live where it changes.
import { h, svg, fill, save, size } from './dom.js';
import { can, call, one } from './api.js';
import { w, when } from './words.js';
import { reason } from './reasons.js';
import { home, sense } from './home.js';
import { sealFacts } from './strip.js';
import { inform, trouble, troubleNote } from './dialog.js';
import { packName } from './record.js';
import { entries as letIn } from './entries.js';

/** Packs by their names, where the program tells of them by their ids. */
function named(words) {
  const longestFirst = [...home.packs].sort((a, b) => b.id.length - a.id.length);
  return longestFirst.reduce((told, pack) => told.replaceAll(pack.id, packName(pack.id)), words);
}

export function diagnostics(main) {
  const checks = h('div.items.two');
  const charts = h('div.items.three');
  const seal = h('div');
  const resident = h('section.card');
  const log = h('div');
  const bar = h('div.row');
  fill(main, h('div.screen', { tabIndex: -1 }, h('div.inside', {}, h('div.row', {}, h('h1.grow', {}, w.diagnostics), bar),
    h('section', {}, charts, h('p.small.quiet', {}, w.samples)), resident, seal, can('doctor') && h('section', {}, h('h2', {}, w.checks), checks), letIn(), can('log') && h('section', {}, h('div.row', {}, h('h2.grow', {}, w.log),
      can('log-clear') && h('button.bordered', { type: 'button', onclick: clear }, w.clearLog)), log))));
  fill(bar, can('licences') && h('button.bordered', { type: 'button', onclick: licences }, w.licences), can('trace') && h('button.bordered', { type: 'button', onclick: trace }, w.trace));

  function chart(title, values, words, top) {
    const real = values.filter((value) => Number.isFinite(value));
    const most = top ?? Math.max(...real, 1) * 1.1;
    const points = real.map((value, place) => `${real.length > 1 ? (place / (real.length - 1)) * 100 : 100},${100 - (value / most) * 100}`).join(' ');
    const line = svg('polyline', { points: real.length === 1 ? `0,${100 - (real[0] / most) * 100} ${points}` : points });
    return h('div.card.chart', {}, h('div.row', {}, h('h2.grow', {}, title), h('span.quiet', {}, words)),
      svg('svg', { viewBox: '0 0 100 100', preserveAspectRatio: 'none', role: 'img', 'aria-label': `${title}: ${words}` }, line));
  }

  function drawCharts() {
    const reading = home.governor?.reading;
    const tiers = home.governor?.tiers;
    const hottest = (one) => Math.max(...(one?.reading?.temperatures ?? []).map((sensor) => sensor.celsius));
    const heatNow = hottest(home.governor);
    const loaded = home.governor?.residents ?? [];
    fill(resident, h('h2', {}, w.loaded), loaded.length ? h('ul', {}, loaded.map((pack) => h('li', {}, `${packName(pack.id)} · ${size(pack.measuredBytes ?? pack.declaredBytes)}`))) : h('p.quiet', {}, w.noneLoaded));
    fill(charts,
      chart(w.heat, home.readings.map(hottest), `${tiers?.heat?.known ? reason(tiers.heat.level) : w.unknown}${Number.isFinite(heatNow) ? ` · ${Math.round(heatNow)} °C` : ''}`, 110),
      chart(w.memory, home.readings.map((one) => one.reading?.memory?.available), reading?.memory ? `${size(reading.memory.available)} / ${size(reading.memory.total)}` : w.unknown, reading?.memory?.total),
      chart(w.throughput, home.speeds, home.speeds.length ? w.speed(home.speeds.at(-1)) : w.none));
  }

  async function drawChecks() {
    if (!can('doctor')) return;
    try {
      home.doctor = await one('doctor');
      const kinds = { ok: 'good', warning: 'warn', problem: 'stop' };
      fill(checks, (home.doctor.checks ?? []).map((check) => h('article.card', {}, h('div.row', {}, h('h3.grow', {}, reason(check.name)), h(`span.badge.${kinds[check.state]}`, {}, w.states[check.state])), h('p.small', {}, named(reason(check.detail))), check.remedy && h('p.small.quiet', {}, named(reason(check.remedy))))));
      fill(seal, h('section.card', {}, h('h2', {}, w.seal), sealFacts(home.doctor)));
    } catch (failure) { fill(checks, trouble(failure, drawChecks)); }
  }

  let entries = [];
  let chosen = '';

  function showLog() {
    const subsystems = [...new Set(entries.map((entry) => entry.subsystem))].sort();
    if (!subsystems.includes(chosen)) chosen = '';
    const filter = h('select', { 'aria-label': w.subsystem, onchange: () => { chosen = filter.value; showLog(); } },
      h('option', { value: '' }, w.everySubsystem), subsystems.map((name) => h('option', { value: name }, `${name} (${entries.filter((entry) => entry.subsystem === name).length})`)));
    filter.value = chosen;
    const shown = entries.filter((entry) => !chosen || entry.subsystem === chosen);
    fill(log, entries.length ? [subsystems.length > 1 && h('div.row', {}, filter), h('div.log', { tabIndex: 0, role: 'group', 'aria-label': w.log }, h('table', {}, h('tbody', {}, shown.slice(0, 200).map((entry) => h('tr', {}, h('td', {}, when(entry.time)), h('td', {}, entry.subsystem), h('td', {}, entry.message), h('td.quiet', {}, entry.code))))))] : h('p.quiet', {}, w.emptyLog));
  }

  async function drawLog() {
    if (!can('log')) return;
    try {
      entries = (await call('log')).filter((entry) => entry.code).reverse();
      showLog();
    } catch (failure) { fill(log, trouble(failure, drawLog)); }
  }

  async function clear() { try { await call('log-clear'); drawLog(); } catch (failure) { troubleNote(failure); } }
  async function licences() {
    try { inform(w.licences, h('pre.licences', {}, (await call('licences')).map((part) => part.licences).join('\n'))); } catch (failure) { troubleNote(failure); }
  }
  async function trace() { try { save('libera-trace.json', 'application/json', JSON.stringify(await one('trace'))); } catch (failure) { troubleNote(failure); } }

  document.addEventListener('sensed', drawCharts);
  drawCharts();
  drawChecks();
  drawLog();
  const ticking = setInterval(() => sense().catch(() => {}), 2000);
  sense().catch(() => {});
  return () => { clearInterval(ticking); document.removeEventListener('sensed', drawCharts); };
}
