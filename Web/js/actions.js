// Actions: reminders that are open, what was done with a way back, and what was heard, understood and decided.
import { h, fill } from './dom.js';
import { can, call, one } from './api.js';
import { w, when } from './words.js';
import { trouble, troubleNote } from './dialog.js';
import { isUndone, ringName, awaitAlarms } from './command.js';
import { left } from './alarm.js';
import { actionWords, repetition } from './deeds.js';
import { reason } from './reasons.js';

const button = (kind, words, onclick, props = {}) => h(`button.${kind}`, { type: 'button', onclick, ...props }, words);

/** Minutes until nine o'clock tomorrow. */
export function untilTomorrow(now = new Date()) {
  const morning = new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1, 9);
  return Math.round((morning - now) / 60000);
}

/** A moment as a field for times takes it. */
export function onTheWall(moment) {
  const at = new Date(moment);
  const two = (part) => String(part).padStart(2, '0');
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}T${two(at.getHours())}:${two(at.getMinutes())}`;
}

export function actionsScreen(main) {
  // What was said for each action, and how it repeats.
  let said = new Map();
  const open = h('ul.plain.stack');
  const list = h('div.stack');
  const past = h('div.past');
  fill(main, h('div.screen', { tabIndex: -1 }, h('div.inside', {}, h('h1', {}, w.actions), can('reminders-standing') && h('section', {}, h('h2', {}, w.reminders), open), h('section', {}, h('h2', {}, w.doneSoFar), list), past)));

  async function drawOpen() {
    if (!can('reminders-standing')) return;
    try {
      const rings = (await call('reminders-standing')).filter((ring) => ring.id);
      fill(open, rings.length ? rings.map(reminder) : h('li.quiet', {}, w.noReminders));
    } catch (failure) { fill(open, h('li', {}, trouble(failure, drawOpen))); }
  }

  function reminder(ring) {
    const settle = async (snoozeMinutes) => {
      try { await one('reminders-settle', { id: ring.id, snoozeMinutes }); } catch (failure) { troubleNote(failure); }
      await drawOpen();
      if (ring.alarm) awaitAlarms();
    };
    const line = h('li.card.row');
    const time = when(ring.again ?? ring.due);
    const often = said.get(ring.action)?.recurrence;
    const state = ring.missed ? w.missedAlarm(time) : ring.alarm && ring.state !== 'due' ? w.leftUntil(left(ring, w.units), time) : [time, often && repetition(often), w.ringStates[ring.state] ?? ring.state].filter(Boolean).join(' · ');
    const later = h('select', { 'aria-label': w.putOffNamed(ring.title), onchange: () => settle(later.value === '1440' ? untilTomorrow() : Number(later.value)) },
      h('option', { value: '' }, w.putOff), Object.entries(w.snoozes).map(([minutes, words]) => h('option', { value: minutes }, words)));
    const heard = ring.state !== 'due' && ring.alarm !== 'timer' && can('do') && said.get(ring.action);
    return fill(line, h('div.grow', {}, h('p.bidi', {}, ring.alarm ? ringName(ring) : ring.title), h('p.small.quiet', {}, state)),
      later, heard && button('bordered', w.change, () => change(line, ring, heard), { 'aria-label': w.deeds.named(w.change, ring.title) }), ring.alarm ? button('bordered', w.stopAlarm, () => settle(), { 'aria-label': `${w.stopAlarm}: ${ring.title}` }) : button('bordered', w.done, () => settle(), { 'aria-label': w.markDone(ring.title) }));
  }

  /** Title, time and repetition in the place of a reminder. It is done anew with them in the place of the first one, which rings
      again when that is taken back. */
  async function change(line, ring, { text, intent, recurrence }) {
    const input = { text, id: crypto.randomUUID(), replaces: ring.action };
    let rule = recurrence;
    try {
      // What earlier versions have kept does not tell it.
      rule ??= (await one('do', { text, id: input.id, onlyShow: true, confirmed: false, edits: { intent } })).card.recurrence;
    } catch (failure) { troubleNote(failure); return; }
    const name = ring.alarm && ring.title.toLowerCase() === ring.alarm ? '' : ring.title;
    const title = h('input', { type: 'text', id: `title-${ring.id}`, value: name, required: !ring.alarm });
    const start = h('input', { type: 'datetime-local', id: `start-${ring.id}`, value: onTheWall(ring.again ?? ring.due), required: true });
    const repeats = h('select', { id: `repeats-${ring.id}` }, rule && h('option', { value: '' }, repetition(rule)),
      Object.entries(w.repeatChoices).map(([value, words]) => h('option', { value }, words)));
    fill(line, h('form.stack.grow', {
      onsubmit: async (submit) => {
        submit.preventDefault();
        const edits = { intent, title: title.value, start: start.value, ...(repeats.value ? { repeats: repeats.value } : {}) };
        try { await one('do', { ...input, confirmed: true, edits }); } catch (failure) {
          line.querySelector('.trouble')?.remove();
          line.append(trouble(failure));
          return;
        }
        await draw();
        awaitAlarms();
      },
    }, [[title, w.commandFields.title], [start, w.commandFields.start], [repeats, w.commandFields.repeats]].map(([field, words]) => [h('label', { htmlFor: field.id }, words), field]),
    h('div.row', {}, h('button.main-action', { type: 'submit' }, w.save), button('bordered', w.cancel, drawOpen))));
    title.focus();
  }

  async function draw() {
    try {
      const actions = (await call('actions')).filter((one) => one.id).reverse();
      said = new Map(actions.filter((action) => action.heard).map((action) => [action.id, { text: action.heard, intent: action.intent, recurrence: action.recurrence }]));
      const replaced = new Set(actions.filter((action) => action.state === 'done').map((action) => action.replaces));
      const stateOf = (action) => (action.state === 'done' && replaced.has(action.id) ? 'replaced' : action.state);
      fill(list, actions.length ? actions.map((action) => h('div.card', {}, h('p.bidi', {}, actionWords(action)), h('p.small.quiet', {}, `${w.actionStates[stateOf(action)] ?? action.state}${action.reason ? `: ${reason(action.reason)}` : ''}`),
        isUndone(action) && ['done', 'waiting'].includes(stateOf(action)) && h('div.row', {}, button('bordered', w.undo, () => one('actions-undo', { id: action.id }).then(draw, (failure) => list.prepend(trouble(failure))))))) : h('p.quiet', {}, w.noActions));
      const heardLines = (await call('actions-history')).filter((one) => one.text).reverse();
      fill(past, heardLines.length > 0 && h('h2', {}, w.heardTitle), heardLines.map((line) => h('details.card', {}, h('summary', {}, h('bdi', {}, w.quotes.join(line.text)), h('span.small.quiet', {}, ` ${w.decisions[line.decision]}`)),
        h('p.small', {}, h('code', {}, line.frame)), h('ul.small.quiet', {}, line.explanation.map((part) => h('li', {}, reason(part)))))));
    } catch (failure) { fill(list, trouble(failure, draw)); }
    await drawOpen();
  }
  draw();
}
