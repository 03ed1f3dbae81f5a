// The main screen: transcript and composer. A conversation is a tree: a turn that is edited or answered again gets a sibling.
import { h, $, fill, glyph, announce } from './dom.js';
import { can, start, attach, cancel } from './api.js';
import { w } from './words.js';
import { reason } from './reasons.js';
import { answer } from './answer.js';
import { composer, drawScopes, drawWaiting } from './composer.js';
import { everyTurn, fresh, grow, path as branch, restore } from './tree.js';
import { startPage } from './start.js';
import { transcript } from './transcript.js';
import { asked, reread, tools } from './turns.js';
import { drafts, runOf, shortened, sought, stored, talks } from './talks.js';
import { strip } from './strip.js';
import { trouble, troubleNote } from './dialog.js';
import { tool, toolTurn } from './tools.js';
import { command, commandCards, deck, restoreCards } from './command.js';
import { fold } from './fold.js';
import { sense, settings, spoke } from './home.js';
import { speak, hush } from './speak.js';

const draftOf = () => (talk.title ? talk.id : '');
let talk = null;
let editing = null;
const screen = {};

const path = () => branch(talk);

/** Whether files belong to this conversation, which are then asked before the library. */
const hasFiles = () => Boolean(talk.attached?.length);
export const isWriting = () => talk && path().some((turn) => turn.run);

export async function open(id) {
  editing = null;
  const mine = talk = talks.get(id) ?? fresh(id ?? undefined);
  mine.deck ??= deck();
  build();
  if (id && !talks.has(id) && can('conversations-show')) {
    mine.coming = stored(id);
    try { restore(mine, await mine.coming); } catch (failure) {
      // A conversation of commands alone has nothing else that is stored.
      const hasCards = failure.code === 'conversation_not_found' && await restoreCards(mine, []);
      if (!hasCards) { if (mine === talk) fill(screen.column, trouble(failure, () => open(id))); return; }
    }
    // Who has gone elsewhere meanwhile, or has come by again, sees that and not this.
    if (mine !== talk) return;
    talks.set(id, mine);
  }
  const listed = new Set(everyTurn(mine.root).flatMap((turn) => turn.attachments));
  screen.attached.restore((mine.attached ?? []).filter((name) => !listed.has(name)));
  draw();
  if (path().length) screen.scroll.scrollTop = screen.scroll.scrollHeight;
  // Among the answers stand the commands that were said there.
  if (id && !mine.deck.isRestored && await restoreCards(mine, path()) && mine === talk) draw();
  if (mine === talk && sought.hit?.id === id) await (await import('./hits.js')).reveal(screen, mine.root, draw);
  if (mine === talk) askNext(true);
}

/** What the tab is called. */
export const title = () => (talk?.title ? `${talk.title} – Libera` : 'Libera');

/** Takes up the answer that is being written, or was while the page was away. */
export function resume(runs) {
  const run = runs.findLast((one) => one.name === 'ask' && one.operation.startsWith(`${talk.id}-`));
  if (!run || everyTurn(talk.root).some((turn) => turn.run === run.operation)) return;
  let node = path().findLast((turn) => !turn.record && !turn.run);
  if (!node) {
    const last = path().at(-1);
    if (run.state !== 'running' || !last) return;
    // Asked again in the same words: another version of the last answer.
    node = grow(last.parent, last.question, last.attachments);
  }
  node.run = run.operation;
  follow(node);
  draw();
  attach(run.operation, node.handler);
}

function build() {
  transcript(screen, () => ({ isEmpty: !path().length && !talk.deck?.cards.length, hasTurns: path().length > 0 }));
  fill($('main'), screen.scroll, h('div.end-holder', {}, screen.toEnd), commandCards(), composer(screen, talk, drafts.get(draftOf()) ?? '', isLost, {
    typed: () => { if (!editing) drafts.set(draftOf(), screen.field.value); button(); },
    changed: () => { button(); drawScopes(screen, hasFiles()); },
    editLast: () => { if (!path().length || isWriting()) return false; edit(path().at(-1)); return true; },
    send, attach: attachFiles, leaveEditing,
    submit: () => (isWriting() && !screen.field.value.trim() ? halt() : send()),
  }));
  setTimeout(button);
}

/** Files for the question that is being written. */
export function attachFiles(files) {
  if (!files.length) return;
  if (can('import')) {
    screen.attached.add(files);
    talks.set(talk.id, talk);
    if (location.hash !== `#/c/${talk.id}`) history.replaceState(null, '', `#/c/${talk.id}`);
  }
  screen.field.focus();
}

function button() {
  if (!screen.send?.isConnected) return;
  const writing = isWriting();
  const hasWords = Boolean(screen.field.value.trim());
  const label = writing ? (hasWords ? w.queueIt : w.stop) : w.send;
  fill(screen.send, glyph(writing && !hasWords ? 'stop' : 'send'));
  drawWaiting(screen.waiting, talk.queue ?? [], takeBack);
  screen.send.setAttribute('aria-label', label);
  screen.send.title = label;
  screen.send.disabled = isLost || (hasWords ? screen.attached.isReading() : !writing);
}

let isLost = false;
/** Whether the program can be heard: without it nothing is sent, and an answer under way says so. */
export function link(lost) {
  if (lost === isLost) return;
  isLost = lost;
  if (!screen.lost) return;
  fill(screen.lost, lost ? w.cannotSend : '');
  screen.lost.hidden = !lost;
  button();
  for (const turn of everyTurn(talk.root)) if (turn.run) turn.view.link(lost);
}

export function halt() {
  const node = path().findLast((turn) => turn.run);
  hush();
  if (node) cancel(node.run);
  return Boolean(node);
}

export function compose(text) {
  screen.field.value = text;
  screen.field.dispatchEvent(new Event('input'));
  screen.field.focus();
}

/** Begins a question with these words, in the conversation that was open last. */
export async function ask(words) {
  const place = talk?.title ? talk.id : '';
  drafts.set(place, [drafts.get(place), words].filter(Boolean).join('\n'));
  location.hash = place ? `#/c/${place}` : '#/new';
  await new Promise((done) => addEventListener('hashchange', () => setTimeout(done), { once: true }));
  compose(drafts.get(place));
  screen.field.setSelectionRange(screen.field.value.length, screen.field.value.length);
}

/** `isCommand`: said to be done, whatever kind of question is chosen. */
async function send(isCommand) {
  const question = screen.field.value.trim();
  if (isLost) announce(w.cannotSend);
  if (isLost || !question || screen.attached.isReading()) return;
  const isNew = !editing && (isCommand === true || !screen.task.value) && screen.attached.isEmpty();
  const next = { question, attached: [...editing?.attachments ?? [], ...screen.attached.take()], task: screen.task.value };
  const edited = editing;
  const recognition = screen.recognition;
  editing = null;
  showEditing();
  clear();
  const mine = talk;
  // It follows what was said before, which may still be on its way.
  await mine.coming?.catch(() => {});
  const place = { cards: mine.deck, after: path().at(-1) ?? null, conversation: mine.id, shown: () => { if (mine === talk) newestCard(); } };
  // What is to be done is done at once, also while an answer is made. Until that is known it stands among what waits.
  next.isHeard = isNew && isWriting();
  if (next.isHeard) queue(next);
  const isDone = isNew && (await tool(question, { ...place, compose, kept: (turn) => keep(mine, turn) }) || await command(question, { recognition, listen: screen.spoken?.answer, ...place }));
  mine.queue = mine.queue?.filter((other) => other !== next);
  next.isHeard = false;
  button();
  if (isDone) screen.field.focus();
  else if (mine !== talk) drafts.set(mine.title ? mine.id : '', question);
  else if (isWriting()) queue(next);
  else put(question, edited ? edited.parent : path().at(-1) ?? talk.root, next.attached);
}

function clear() {
  drafts.delete(draftOf());
  screen.recognition = undefined;
  screen.field.value = screen.field.style.height = '';
  button();
}

/** Asked when the answer under way is there. */
function queue(next) {
  talk.queue = [...talk.queue ?? [], next];
  announce(`${w.queued}: ${next.question}`);
  button();
}

function takeBack(one) {
  talk.queue = talk.queue.filter((other) => other !== one);
  if (one.attached.length) screen.attached.restore(one.attached);
  compose([screen.field.value, one.question].filter(Boolean).join('\n'));
}

/** The next that waits is asked, where nothing went wrong; else it can be sent again from the field. */
function askNext(isWell) {
  const waiting = talk.queue?.filter((one) => !one.isHeard) ?? [];
  if (isWriting() || !waiting.length) return;
  if (!isWell) { for (const one of waiting) takeBack(one); return; }
  const [one] = waiting;
  talk.queue = talk.queue.filter((other) => other !== one);
  put(one.question, path().at(-1) ?? talk.root, one.attached, { task: one.task });
}

/** What a tool said follows the turns that are there. */
function keep(mine, turn) {
  Object.assign(grow(branch(mine).at(-1) ?? mine.root, turn.question), turn);
  mine.title ||= shortened(turn.question);
  talks.set(mine.id, mine);
  if (mine === talk) { history.replaceState(null, '', `#/c/${mine.id}`); screen.follows = true; draw(); }
  document.dispatchEvent(new CustomEvent('talks'));
}

/** A card has come or gone: it stands where it was said, and the newest is seen. */
function newestCard() {
  talks.set(talk.id, talk);
  if (talk.deck.cards.some((card) => card.isDone) && location.hash !== `#/c/${talk.id}`) history.replaceState(null, '', `#/c/${talk.id}`);
  screen.follows = true;
  draw();
  fold(talk.deck.cards.at(-1));
}

/** Asks as a child of `parent`; beside the answers that are there already. */
function put(question, parent, attached = [], { mode = settings.mode, task = screen.task.value, provider } = {}) {
  if (!can('ask')) { troubleNote({ message: w.noAnswers }); return; }
  const node = grow(parent, question, attached);
  if (attached.length) talk.attached = [...new Set([...talk.attached ?? [], ...attached])];
  talks.set(talk.id, talk);
  talk.title ||= shortened(question);
  follow(node);
  const input = { question, conversation: talk.id, mode };
  if (parent.id || parent === talk.root) input.parent = parent.id ?? '';
  Object.assign(input, task && { task }, provider && { provider });
  if (attached.length) input.attachments = attached;
  if (screen.scope.value === 'library') input.library = true;
  else if (screen.scope.value) input.collection = screen.scope.value.slice('collection '.length);
  node.run = start('ask', input, node.handler, runOf(talk.id)).id;
  if (location.hash !== `#/c/${talk.id}`) history.replaceState(null, '', `#/c/${talk.id}`);
  screen.follows = true;
  draw();
  document.dispatchEvent(new CustomEvent('talks'));
}

/** Gives a turn its live answer and keeps the strip in step with it. */
function follow(node) {
  const { id } = talk;
  const made = answer({ question: node.question, ...ways(node), live: true });
  node.view = made;
  made.link(isLost);
  let pieces = 0;
  let first = 0;
  let told = false;
  hush();
  strip.task(w.thinking, 'work');
  node.handler = {
    event(event) {
      // First, because the tools under the answer go by it.
      if (event.done) Object.assign(node, { record: event.done, id: event.done.id ?? node.id });
      const seconds = first ? (performance.now() - first) / 1000 : 0;
      made.take(event, seconds > 0.5 ? pieces / seconds : 0);
      if (event.loading !== undefined && event.loading !== null) strip.task(event.loading < 1 ? w.loading(event.loading) : w.thinking, 'work');
      if (event.limits || event.changes) sense().catch(() => {});
      if (event.notice) strip.task(reason(event.notice), 'work');
      if (event.sentence) { told = true; speak(event.sentence.text); }
      if (event.done && !told) speak(event.done.answer);
      if (event.evidence) { supports(node, event.evidence.length); strip.task(event.evidence.length ? w.thinkingOver : w.thinking, 'work'); }
      if (event.reading && !pieces) strip.task(w.readingTokens(event.reading), 'work');
      if (event.piece) {
        first ||= performance.now();
        pieces += 1;
        strip.task(seconds > 0.5 ? w.writingAt(pieces / seconds) : w.writing, 'work');
      }
      if (event.done) { supports(node, event.done.citations?.length ?? 0); spoke(event.done); }
    },
    ended(how, failure) {
      node.run = null;
      made.ended(how, failure);
      strip.task(null);
      button();
      if (failure) announce(failure.message);
      // What had come until then may be stored, of a program that was started anew as well.
      if (!node.record && !node.instead && (how === 'cancelled' || failure?.code === 'interrupted')) reread(node, id);
      node.instead?.();
      if (localStorage.getItem('vibrate') === 'on') navigator.vibrate?.(20);
      document.dispatchEvent(new CustomEvent('talks'));
      if (talk.id === id) askNext(how === 'done');
    },
  };
}

/** What can be done with an answer, where it stands. */
const ways = (node) => ({
  tools: () => tools(node, put, draw),
  stop: halt,
  quote: () => {
    node.instead = () => put(node.question, node.parent, node.attachments, { provider: 'extractive', task: 'documents' });
    cancel(node.run);
  },
  withoutDocuments: () => put(node.question, node.parent, node.attachments, { task: 'talk' }),
  goOn: () => put(w.goOnAsk, node, [], { task: 'talk' }),
});

function edit(node) {
  // A call is made anew, and only after its card.
  editing = node.call ? null : node;
  compose(node.question);
  showEditing();
}

/** The strip counts the passages of the answer that is seen. */
const supports = (node, count) => { if (screen.column?.isConnected && path().includes(node)) strip.supports(count); };

const showEditing = () => { screen.editing.hidden = !editing; };

/** Leaves an earlier question as it was; true if one was being changed. */
export function leaveEditing() {
  if (!editing) return false;
  editing = null;
  compose(drafts.get(draftOf()) ?? '');
  showEditing();
  return true;
}

export function draw() {
  if (!screen.column?.isConnected) return;
  drawScopes(screen, hasFiles());
  const turns = path();
  document.title = title();
  const cards = talk.deck?.cards ?? [];
  if (!turns.length && !cards.length) { if (!screen.column.querySelector('.start')) fill(screen.column, startPage({ compose, send, add: () => screen.column.closest('main').querySelector('input[type=file]').click(), dictate: () => screen.spoken?.press(), say: () => screen.spoken?.press(true) })); strip.supports(0); button(); return; }
  const shown = new Set(turns);
  const said = (node) => cards.filter((card) => (shown.has(card.after) ? card.after : null) === node);
  fill(screen.column, h('h1.quiet-voice', {}, talk.title || w.untitled), said(null), turns.map((node) => {
    if (!node.view) {
      node.view = node.call ? toolTurn(node) : answer({ record: node.record, question: node.question, ...ways(node) });
      if (!node.record) node.view.unanswered();
    } else if (!node.run) node.view.retool();
    const ask = asked(node, talk, edit);
    return [ask, node.view.element, said(node)];
  }));
  fold();
  const last = turns.at(-1);
  strip.supports(last ? last.record?.citations?.length ?? last.view.state.citations.length : 0);
  button();
  if (screen.follows) screen.scroll.scrollTop = screen.scroll.scrollHeight;
}

export function evidenceOfLast() { return talk ? path().findLast((turn) => turn.view?.state.citations.length)?.view.state.citations ?? [] : []; }
