// Tools of other programs: "@name words" becomes a card that says which tool is called with what; nothing is called before a yes.
import { h, icon, announce } from './dom.js';
import { can, call, one } from './api.js';
import { w } from './words.js';
import { note, trouble, troubleNote } from './dialog.js';
import { away, button, drop, redraw } from './command.js';
import { offer, said } from './offers.js';

/**
 * Puts a card for what is said to a tool server into a conversation's deck; `shown` hears that the cards are others now, and `kept`
 * takes what the tool said, as a turn of the conversation; `compose` writes a prepared question into the composer.
 * Resolves false where it is said to none.
 */
export async function tool(text, { cards, after, conversation, shown, kept, compose }) {
  if (!can('tools-propose') || !/^@[a-z0-9][a-z0-9-]*(\s|$)/.test(text)) return false;
  const card = h('div.card.command', { tabIndex: -1 });
  Object.assign(card, { after, deck: cards, gone: shown, conversation, kept, compose });
  cards.cards.push(card);
  redraw(card, h('p.command-words', {}, w.toolLooks), said(text), h('div.row', {}, away(card)));
  shown();
  try {
    if (await offer(card, text)) { shown(); return true; }
    const proposed = await one('tools-propose', { text });
    if (proposed.asks || proposed.missing.length) showCard(card, text, proposed);
    else await act(card, text, proposed, {});
  } catch (failure) { redraw(card, said(text), trouble(failure), h('div.row', {}, away(card))); }
  shown();
  return true;
}

const heading = (proposed, state) => h('p.command-words', {}, state && [h('span.command-state', {}, state), ' '], h('bdi', {}, `${proposed.server}: ${proposed.tool.title ?? proposed.tool.name}`));

function written(value) {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function control(field, value) {
  const about = { name: field.name, id: `tool-${field.name}`, required: field.required };
  const choices = field.choices ?? (field.kind === 'flag' ? ['true', 'false'] : null);
  if (choices) return h('select', about, [!field.required && h('option', { value: '' }, ''), choices.map((choice) => h('option', { value: choice, selected: choice === written(value) }, choice))]);
  if (field.kind === 'other') return h('textarea.bidi', { ...about, rows: 2, value: written(value) });
  return h('input.bidi', { ...about, type: 'text', inputMode: { whole: 'numeric', number: 'decimal' }[field.kind] ?? 'text', value: written(value) });
}

function showCard(card, text, proposed, values) {
  const { tool } = proposed;
  const form = h('form.stack', {
    onsubmit: (submit) => {
      submit.preventDefault();
      act(card, text, proposed, Object.fromEntries(tool.fields.map((field) => [field.name, form.elements[field.name].value])));
    },
  }, tool.fields.map((field) => h('div', {}, h('label.bidi', { htmlFor: `tool-${field.name}` }, field.name), control(field, values?.[field.name] ?? proposed.arguments[field.name]), field.about && h('p.small.quiet.bidi', {}, field.about))),
  h('div.row', {}, h('button.main-action', { type: 'submit' }, w.toolCall), button('bordered', w.cancel, () => drop(card))));
  redraw(card, heading(proposed), said(text), tool.description && h('p.small.quiet.bidi', {}, tool.description.slice(0, 300)), h('p.small.quiet', {}, w.toolReach(proposed.network, proposed.writable)), form);
  announce(`${w.toolShall} ${proposed.server}: ${tool.title ?? tool.name}`);
}

async function act(card, text, proposed, values) {
  const telling = h('p.small.quiet.bidi', { role: 'status' }, w.toolWorks);
  const stop = new AbortController();
  redraw(card, heading(proposed), said(text), telling, h('div.row', {}, button('bordered', w.stop, () => stop.abort())));
  try {
    const events = await call('tools-call', { id: proposed.id, values, confirmed: true, conversation: card.conversation }, stop.signal);
    const { outcome } = events.find((event) => event.outcome);
    const id = events.find((event) => event.kept)?.kept;
    // Its conversation was deleted meanwhile: what it said is shown, and goes with the card.
    if (!id) { showOutcome(card, text, proposed, outcome); return; }
    const { server, tool: { name, title } } = proposed;
    announce(`${outcome.failed ? w.toolFailed : w.done} ${outcome.text.slice(0, 300)}`);
    drop(card);
    card.kept({ id, question: text, record: { answer: outcome.text }, call: { ...outcome, server, tool: name, title } });
  } catch (failure) {
    // A card acts once: it is made anew, with what was filled in.
    if (stop.signal.aborted) { redraw(card, heading(proposed, w.toolStopped), said(text), h('div.row', {}, away(card))); return; }
    if (failure.code !== 'input_unreadable') { redraw(card, heading(proposed), said(text), trouble(failure), h('div.row', {}, away(card))); return; }
    showCard(card, text, proposed, values);
    card.append(trouble(failure));
  }
}

function showOutcome(card, text, proposed, outcome) {
  const state = outcome.failed ? w.toolFailed : w.done;
  redraw(card, heading(proposed, state), said(text), outcome.text && h('pre.outcome.bidi', { tabIndex: 0 }, outcome.text),
    outcome.cut && h('p.small.quiet', {}, w.toolCut), outcome.others.map((other) => h('p.small.quiet.bidi', {}, w.toolOther(other))),
    h('p.small.quiet', {}, w.toolWords), h('div.row', {}, away(card)));
  announce(`${state} ${outcome.text.slice(0, 300)}`);
}

/** What a tool said, as a turn of its conversation: its own words, as they came. */
export function toolTurn({ record, call: { server, tool: name, title, failed, cut, others } }) {
  const copy = () => navigator.clipboard.writeText(record.answer).then(() => note(w.copied), () => troubleNote(w.noClipboard));
  const element = h('article.turn.answer.free', { 'aria-label': `${server}: ${title ?? name}` },
    h('div.who', {}, h('h2.bidi', {}, `${server}: ${title ?? name}`)), h('p.small.unchecked', {}, failed ? w.toolFailed : w.toolWords),
    record.answer && h('pre.outcome.bidi', { tabIndex: 0 }, record.answer), cut && h('p.small.quiet', {}, w.toolCut),
    (others ?? []).map((other) => h('p.small.quiet.bidi', {}, w.toolOther(other))), h('div.tools', {}, icon('clip', w.copy, copy)));
  return { element, state: { citations: [] }, retool() {}, link() {} };
}

/** As text: who said it stands before it, and nothing of it is taken for Markdown. */
export function toolLines({ record, call: { server, tool: name, title, failed, cut, others } }) {
  const answer = record?.answer ?? '';
  const fence = '`'.repeat(Math.max(3, ...[...answer.matchAll(/`+/g)].map((found) => found[0].length + 1)));
  return [`*${server}: ${title ?? name}. ${failed ? w.toolFailed : w.toolWords}*`, '', fence, answer, fence, '', cut && w.toolCut, ...(others ?? []).map(w.toolOther)].filter((line) => line !== false && line !== undefined);
}
