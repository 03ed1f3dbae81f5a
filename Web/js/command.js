// Commands: what was said becomes a card in plain words; it is done, confirmed, changed or taken back there.
import { h, fill, announce } from './dom.js';
import { speak } from './speak.js';
import { can, call, one } from './api.js';
import { w, when as moment } from './words.js';
import { reason } from './reasons.js';
import { actionWords, agendaTime, cardWords, eventWords } from './deeds.js';
import { sound, quiet, expect, left } from './alarm.js';
import { trouble } from './dialog.js';
import { fold } from './fold.js';

/** What rings stands above the composer, wherever one is, until it is answered. */
const stack = h('div.commands', { role: 'region', 'aria-label': w.commands });
export const commandCards = () => stack;

/** The cards of one conversation, in their order; each stands in its transcript behind the turn `after`. */
export const deck = () => ({ cards: [], isRestored: false });

/** What was done in a conversation while the page did not stand here, put where it was said; true where there was something. */
export async function restoreCards(talk, turns) {
  talk.deck.isRestored = true;
  if (!can('actions-history') || !can('actions')) return false;
  let [heard, actions] = [[], []];
  try { [heard, actions] = [await call('actions-history'), await call('actions')]; } catch (failure) {
    talk.deck.cards.push(trouble(failure));
    return true;
  }
  const known = new Set(talk.deck.cards.map((card) => card.action));
  for (const line of heard.filter((one) => one.conversation === talk.id && one.action && !known.has(one.action))) {
    const action = actions.find((one) => one.id === line.action);
    if (!action) continue;
    const card = h('div.card.command', { tabIndex: -1 });
    Object.assign(card, { action: action.id, after: turns.findLast((turn) => turn.created && turn.created <= line.at) ?? null });
    const state = w.actionStates[action.state] ?? action.state;
    redraw(card, h('p.command-words', {}, h('span.command-state', {}, action.state === 'done' ? w.done : state), ' ', actionWords(action)), utterance(line.text),
      action.file && ['done', 'waiting'].includes(action.state) && h('div.row', {}, button('bordered', w.undo, (press) => undo(card, action, press.target))));
    talk.deck.cards.push(card);
  }
  return talk.deck.cards.length > 0;
}

/**
 * Takes an utterance, typed or spoken; `recognition` says how sure the recogniser was of all its words, and `listen` hears a spoken
 * answer to what is asked back. The card joins `cards` behind the turn `after`; `shown` hears that they are others now.
 * Resolves true where it was a command (a card shows it), false where it was none and may be asked as a question.
 */
export async function command(text, { recognition, listen, cards, after, conversation, shown }) {
  if (!can('do') || text.length > 1000) return false;
  // A card that waits hears first: yes, no, undo or another time are for the latest one they fit. `isLast`: nothing was said since.
  for (const [back, open] of [...cards.cards].reverse().entries()) {
    if (await open.answer?.(text, recognition, back === 0 && open.after === after)) return true;
  }
  const input = { text, id: crypto.randomUUID(), confirmed: false, recognition, conversation };
  const put = (card) => {
    Object.assign(card, { after, deck: cards, gone: shown });
    cards.cards.push(card);
    shown();
  };
  let event;
  try { event = await one('do', input); } catch (failure) {
    // Nobody is there: what was said stays as a question that can be asked again.
    if (failure.code === 'unreachable') return false;
    put(trouble(failure));
    return true;
  }
  if (!event.isCommand) return false;
  const card = h('div.card.command', { tabIndex: -1 });
  card.action = input.id;
  card.listen = recognition === undefined ? null : listen;
  put(card);
  if (event.card.intent === 'none') showAgenda(card, text, event);
  else if (event.alarms) showAlarms(card, text, event);
  else if (event.action) showDone(card, input, event);
  else showQuestion(card, input, event);
  if (event.rest) await command(event.rest, { recognition, listen, cards, after, conversation, shown });
  shown();
  return true;
}

/** Draws a card anew; who stood in it stays in it. */
export function redraw(card, ...children) {
  const within = card.contains(document.activeElement);
  fill(card, ...children);
  if (within) card.focus();
  if (card.isConnected) fold(card);
}

/** A card that is put away, or was answered with no, is gone from its conversation too. */
export function drop(card) {
  card.remove();
  fold();
  if (!card.deck) return;
  card.deck.cards = card.deck.cards.filter((other) => other !== card);
  card.gone();
}

/** What a person has said, in the quotation marks of the page. */
export const utterance = (text) => h('p.utterance.small.quiet.bidi', {}, w.quotes.join(text));

/** The utterance with the words that decided marked. Offsets count UTF-8 bytes. */
function heard(text, marks) {
  const bytes = new TextEncoder().encode(text);
  const cut = (from, to) => new TextDecoder().decode(bytes.slice(from, to));
  const parts = [];
  let at = 0;
  for (const mark of marks) {
    if (mark.start < at) continue;
    parts.push(cut(at, mark.start), h(`mark.${mark.kind}`, {}, cut(mark.start, mark.end)));
    at = mark.end;
  }
  return h('p.utterance.small.quiet.bidi', {}, w.quotes[0], parts, cut(at), w.quotes[1]);
}

/** What was said to a card; `reply` is `other` where it is none. */
async function said(card, text, shown, recognition) {
  if (!can('card-answer')) return { reply: 'other' };
  try { return await one('card-answer', { text, card: shown, recognition }); } catch (failure) {
    card.append(trouble(failure));
    return { reply: 'other' };
  }
}

/** Asks back; who hears the question and spoke before answers without touching anything. */
async function ask(card, words) {
  announce(words);
  if (await speak(words) && card === card.deck?.cards.at(-1)) card.listen?.();
}

export const button = (kind, words, onclick) => h(`button.${kind}`, { type: 'button', onclick }, words);
export const away = (card) => button('bordered', w.putAway, () => drop(card));

function showQuestion(card, input, event) {
  const act = async (edits) => {
    for (const control of card.querySelectorAll('button, input')) control.disabled = true;
    try {
      const done = await one('do', { ...input, confirmed: true, edits });
      const { instead } = card;
      card.instead = null;
      showDone(card, input, done);
      if (instead) await one('actions-undo', { id: instead.id });
    } catch (failure) {
      if (!card.isDone) showQuestion(card, input, event);
      card.append(trouble(failure));
    }
  };
  card.isDone = false;
  const leave = () => (card.instead ? card.instead.back() : drop(card));
  const others = event.alternativeCards.filter((other) => other.intent !== event.card.intent);
  redraw(card, h('p.command-words', {}, eventWords(event)), heard(input.text, event.card.marks),
    h('div.row', {}, button('main-action', w.doIt, () => act(input.edits)), button('bordered', w.change, () => showForm(card, input, event, act)), button('bordered', w.cancel, leave)),
    others.length > 0 && h('div.row', {}, h('span.small.quiet', {}, w.orWas), others.map((other) => button('bordered', cardWords(other), () => act({ intent: other.intent })))));
  ask(card, `${w.shallI} ${eventWords(event)}`);
  card.answer = async (text, recognition) => {
    if (recognition === undefined) card.listen = null;
    const { reply, edits } = await said(card, text, event.card, recognition);
    if (reply === 'yes') await act(input.edits);
    else if (reply === 'no' || reply === 'undo') { leave(); announce(w.nothingDone); }
    else if (reply === 'unheard') { card.append(h('p.small.quiet', {}, w.unheard)); ask(card, w.unheard); }
    else if (reply === 'change') {
      const changed = { ...input, edits: { ...input.edits, ...edits } };
      try { showQuestion(card, changed, await one('do', { ...changed, onlyShow: true })); } catch (failure) { card.append(trouble(failure)); }
    }
    return reply !== 'other';
  };
}

function showForm(card, input, event, act) {
  const old = event.card;
  card.answer = null;
  const field = (name, type, value) => h('div', {}, h('label', { htmlFor: `edit-${name}` }, w.commandFields[name]),
    type ? h('input', { id: `edit-${name}`, name, type, value: value ?? '' }) : h('textarea', { id: `edit-${name}`, name, rows: 3, value: value ?? '' }));
  const timed = ['create_event', 'add_reminder', 'set_alarm'].includes(old.intent);
  const isMail = old.intent === 'send_email';
  const form = h('form.stack', {
    onsubmit: (submit) => {
      submit.preventDefault();
      const edits = {};
      const at = (name) => form.elements[name]?.value;
      const before = { title: old.title, start: old.start?.slice(0, 16), end: old.end?.slice(0, 16), subject: old.subject, body: old.body };
      for (const [name, value] of Object.entries(before)) {
        if (form.elements[name] && at(name) !== (value ?? '')) edits[name] = at(name);
      }
      if (form.elements.to && at('to') !== old.to.join(', ')) edits.to = at('to').split(',');
      if (form.elements.duration && at('duration') !== String(old.duration_min ?? '')) edits.duration_min = Number(at('duration')) || 0;
      act(edits);
    },
  }, !isMail && old.intent !== 'read_email' && field('title', 'text', old.title),
  timed && [field('start', 'datetime-local', old.start?.slice(0, 16)), old.intent === 'create_event' && [field('end', 'datetime-local', old.end?.slice(0, 16)), field('duration', 'number', old.duration_min)]],
  isMail && [field('to', 'text', old.to.join(', ')), field('subject', 'text', old.subject), field('body', null, old.body)],
  h('div.row', {}, h('button.main-action', { type: 'submit' }, w.doIt), button('bordered', w.cancel, () => showQuestion(card, input, event))));
  redraw(card, h('p.command-words', {}, eventWords(event)), form);
  form.querySelector('input')?.focus();
}

function showDone(card, input, event) {
  const { action } = event;
  if (!action) { showQuestion(card, input, event); return; }
  card.isDone = true;
  const state = action.state === 'waiting' ? w.waits : w.done;
  const words = action.stopped ? actionWords(action) : cardWords({ ...event.card, draft: action.file?.includes('/.Drafts/') });
  redraw(card, h('p.command-words', {}, h('span.command-state', {}, state), ' ', words), heard(input.text, event.card.marks),
    action.messages && h('ul.plain', {}, action.messages.map((mail) => h('li', {}, h('b', {}, mail.from), ` ${mail.subject}`, h('p.small.quiet', {}, mail.excerpt)))),
    event.notices.map((line) => h('p.small.quiet', {}, reason(line))),
    h('div.row', {}, isUndone(action) && button('bordered', w.undo, (press) => undo(card, action, press.target, words)), away(card)));
  announce(`${state} ${words}`);
  speak(`${state} ${words}`);
  if (event.card.intent.endsWith('_alarm')) reminders().then(awaitAlarms);
  card.answer = isUndone(action) ? async (text, recognition, isLast) => {
    const { reply, edits } = await said(card, text, event.card, recognition);
    const isUndo = reply === 'undo' || isLast && reply === 'no';
    const isChange = isLast && reply === 'change' && !action.stopped;
    if (isUndo) await undo(card, action, card.querySelector('button'), words);
    // "Actually, make that one": asked about first, and in the place of what was done.
    if (isChange) {
      const changed = { ...input, id: crypto.randomUUID(), confirmed: false, edits: { ...input.edits, ...edits } };
      card.instead = { id: action.id, back: () => { card.instead = null; showDone(card, input, event); } };
      try { showQuestion(card, changed, await one('do', { ...changed, onlyShow: true })); } catch (failure) { card.instead.back(); card.append(trouble(failure)); }
    }
    return isUndo || isChange;
  } : null;
}

/** Whether it can be taken back: what was written, or what was stopped. */
export const isUndone = (action) => Boolean(action.file || action.stopped?.length);

async function undo(card, action, pressed, words) {
  pressed.disabled = true;
  try {
    await one('actions-undo', { id: action.id });
    card.answer = card.instead = null;
    redraw(card, h('p.command-words', {}, h('span.command-state', {}, w.undone), ' ', words ?? actionWords(action)), h('div.row', {}, away(card)));
    announce(w.undone);
  } catch (failure) { card.append(trouble(failure)); }
}

/** For a wish to change what stands there: what can be taken back, and where the rest stands. */
function wayOut(card, item) {
  if (!item.action) return h('p.small.quiet', {}, w.standsIn(item.file));
  return h('div.row', {}, button('bordered', w.takeBack, (press) => undo(card, { id: item.action }, press.target, item.title)));
}

function showAgenda(card, text, { agenda, topic }) {
  // Notes say what could not be read or is not shown; nothing of them can be taken back.
  const items = agenda.filter((item) => item.kind !== 'note');
  const notes = agenda.filter((item) => item.kind === 'note');
  const changes = topic === 'change' && items.length > 0;
  redraw(card, utterance(text), h('p.command-words', {}, items.length ? w.agenda : w.emptyAgenda),
    h('ul.plain', {}, items.map((item) => h('li', {}, h('span.quiet', {}, agendaTime(item)), ' ', h('bdi', {}, item.title), changes && wayOut(card, item)))),
    notes.map((note) => h('p.small.quiet', {}, reason(note.title))), changes && h('p.small.quiet', {}, w.notByWords), h('div.row', {}, away(card)));
  announce(`${items.length ? w.agenda : w.emptyAgenda} ${agenda.map((item) => (item.kind === 'note' ? reason(item.title) : `${agendaTime(item)} ${item.title}`)).join('. ')}`);
}

/** What an alarm or timer is called, with its name where it has one. */
export function ringName(ring) {
  const kind = ring.alarm ? w.alarmKinds[ring.alarm] : w.reminder;
  return ring.alarm && ring.title.toLowerCase() === ring.alarm ? kind : w.deeds.named(kind, ring.title);
}

/** Those that were asked about, or may be meant: how long is left, and a way to stop each. */
function showAlarms(card, text, { alarms, decision, card: asked }) {
  const title = !alarms.length ? w.noAlarm(asked.alarm) : decision === 'ask' ? w.whichAlarm : w.alarmsSet;
  const line = (ring) => `${ringName(ring)} · ${ring.state === 'due' ? w.ringStates.due : w.leftUntil(left(ring, w.units), moment(ring.again ?? ring.due))}`;
  const stop = (ring) => async () => {
    try { await one('reminders-settle', { id: ring.id }); showAlarms(card, text, { alarms: alarms.filter((other) => other !== ring), card: asked }); } catch (failure) { card.append(trouble(failure)); }
    reminders().then(awaitAlarms);
  };
  redraw(card, utterance(text), h('p.command-words', {}, title),
    h('ul.plain', {}, alarms.map((ring) => h('li.row', {}, h('span.grow', {}, line(ring)), button('bordered', w.stopAlarm, stop(ring))))), h('div.row', {}, away(card)));
  const told = [title, ...alarms.map(line)].join('. ');
  announce(told);
  speak(told);
}

/** What fell due: each is a card until it is answered; alarms and timers sound as long. */
export async function reminders() {
  if (!can('reminders')) return;
  let due;
  // The next look finds them; the strip says when the program is away.
  try { due = (await call('reminders')).filter((ring) => ring.id); } catch { return; }
  // Answered elsewhere, by words or in another page.
  for (const card of stack.querySelectorAll('[data-ring]')) if (!due.some((ring) => ring.id === card.dataset.ring)) { card.remove(); fold(); }
  for (const ring of due) {
    if (stack.querySelector(`[data-ring="${CSS.escape(ring.id)}"]`)) continue;
    const settle = (snoozeMinutes) => async () => {
      try { await one('reminders-settle', { id: ring.id, snoozeMinutes }); card.remove(); fold(); } catch (failure) { card.append(trouble(failure)); }
      hushed();
      if (ring.alarm) awaitAlarms();
    };
    const rings = ring.alarm && !ring.missed;
    const card = h('div.card.command.notice', { 'data-ring': ring.id, role: 'alert' }, h('p.command-words', {}, ringName(ring)),
      ring.missed && h('p.small.quiet', {}, w.missedAlarm(moment(ring.due))),
      h('div.row', {}, button('main-action', rings ? w.stopAlarm : w.done, settle()), !ring.missed && button('bordered', w.snooze, settle(10))));
    stack.append(card);
    fold(card);
    if (!rings) continue;
    card.dataset.sounds = '';
    sound().then((heard) => heard || card.append(h('p.small.quiet', {}, w.noSound)));
  }
  hushed();
}

function hushed() { if (!stack.querySelector('[data-sounds]')) quiet(); }

/** The page is there when the next alarm is due. */
export async function awaitAlarms() {
  if (!can('reminders-standing')) return;
  try { expect((await call('reminders-standing')).filter((ring) => ring.id), reminders); } catch { /* the look every five seconds finds it */ }
}
