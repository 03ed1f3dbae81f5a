// The main screen: transcript and composer. A conversation is a tree: a turn that is edited or answered again gets a sibling.
import { h, $, fill, icon, glyph, announce } from './dom.js';
import { can, call, one, start, attach, cancel } from './api.js';
import { w } from './words.js';
import { answer } from './answer.js';
import { add } from './import.js';
import { attachments } from './attach.js';
import { everyTurn, fresh, grow, path as branch, restore } from './tree.js';
import { startPage } from './start.js';
import { asked, tools } from './turns.js';
import { strip } from './strip.js';
import { trouble, troubleNote } from './dialog.js';
import { command, commandCards } from './command.js';
import { home, sense, settings, spoke } from './home.js';
import { voice } from './voice.js';
import { speak, hush } from './speak.js';

const talks = new Map();
/** What stands in a composer and was not sent, by its conversation. */
const drafts = new Map();
const draftOf = () => (talk.title ? talk.id : '');
let talk = null;
let editing = null;
const screen = {};

const path = () => branch(talk);

export const current = () => talk;
/** Whether files belong to this conversation, which are then asked before the library. */
const hasFiles = () => Boolean(talk.attached?.length);
export const isWriting = () => talk && path().some((turn) => turn.run);

export async function open(id) {
  editing = null;
  if (!id) talk = fresh();
  else if (talks.has(id)) talk = talks.get(id);
  else talk = fresh(id);
  build();
  if (id && !talks.has(id) && can('conversations-show')) {
    try { restore(talk, await one('conversations-show', { id })); talks.set(id, talk); } catch (failure) { fill(screen.column, trouble(failure, () => open(id))); return; }
  }
  const listed = new Set(everyTurn(talk.root).flatMap((turn) => turn.attachments));
  screen.attached.restore((talk.attached ?? []).filter((name) => !listed.has(name)));
  draw();
  if (path().length) screen.scroll.scrollTop = screen.scroll.scrollHeight;
}

/** What the tab is called. */
export const title = () => (talk?.title ? `${talk.title} – Libera` : 'Libera');

/** The id of an answer's run begins with that of its conversation, so that any page finds it again. */
const runOf = (conversation) => `${conversation}-${crypto.randomUUID().slice(0, 18)}`;

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
  screen.column = h('div.column', { id: 'transcript' });
  screen.scroll = h('div.scroll', { tabIndex: 0, role: 'log', 'aria-label': w.talks, 'aria-live': 'off' }, screen.column);
  screen.toEnd = h('button.to-end', { type: 'button', hidden: true, onclick: () => screen.scroll.scrollTo({ top: screen.scroll.scrollHeight }) }, w.toEnd);
  screen.scroll.addEventListener('scroll', () => { screen.toEnd.hidden = atEnd(); });
  screen.column.addEventListener('grown', () => {
    if (screen.follows) screen.scroll.scrollTop = screen.scroll.scrollHeight;
    screen.toEnd.hidden = atEnd();
  });
  screen.scroll.addEventListener('wheel', () => { screen.follows = atEnd(); }, { passive: true });
  screen.scroll.addEventListener('scrollend', () => { screen.follows = atEnd(); });
  screen.follows = true;
  new ResizeObserver(() => {
    if (screen.follows && path().length) screen.scroll.scrollTop = screen.scroll.scrollHeight;
    screen.toEnd.hidden = atEnd();
  }).observe(screen.scroll);
  fill($('main'), screen.scroll, h('div.end-holder', {}, screen.toEnd), commandCards(), composer());
}

function atEnd() { return !path().length || screen.scroll.scrollHeight - screen.scroll.scrollTop - screen.scroll.clientHeight < 48; }

function composer() {
  const field = h('textarea', { id: 'question', rows: 1, placeholder: w.ask, 'aria-label': w.question, title: w.askHint, value: drafts.get(draftOf()) ?? '' });
  field.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowUp' && !field.value && path().length && !isWriting()) { event.preventDefault(); edit(path().at(-1)); }
    if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) { event.preventDefault(); send(); }
  });
  // What was dictated and then changed by hand counts as typed.
  field.addEventListener('input', (event) => { if (event.isTrusted) screen.recognition = undefined; });
  field.addEventListener('input', () => { field.style.height = 'auto'; field.style.height = `${field.scrollHeight}px`; if (!editing) drafts.set(draftOf(), field.value); button(); });
  field.addEventListener('paste', (event) => {
    const files = [...event.clipboardData.files];
    if (files.length) { event.preventDefault(); attachFiles(files); }
  });
  const picker = (act) => {
    const files = h('input', { type: 'file', multiple: true, hidden: true, onchange: () => { act([...files.files]); files.value = ''; } });
    return files;
  };
  const [files, attaching] = [picker(add), picker(attachFiles)];
  screen.attached = attachments(talk, () => { button(); scopes(); });
  screen.task = h('select', { 'aria-label': w.task, title: w.task }, Object.entries(w.tasks).map(([value, name]) => h('option', { value }, name)));
  screen.scope = h('select', { 'aria-label': w.scope, title: w.scope, hidden: true });
  screen.send = h('button.icon.main-action', { type: 'submit' });
  screen.field = field;
  const spoken = screen.spoken = can('listen') ? voice(field, (sure) => { screen.recognition = sure; }, send) : null;
  screen.lost = h('p.small.lost', { role: 'status', hidden: !isLost }, w.cannotSend);
  screen.editing = h('div.row.editing', { hidden: true }, h('p.small.quiet.grow', {}, w.editing), icon('close', w.leaveEditing, leaveEditing));
  const form = h('form', { onsubmit: (event) => { event.preventDefault(); isWriting() ? halt() : send(); } },
    screen.lost, screen.editing, spoken?.live, screen.attached.shelf, field, h('div.row', {}, can('import') && [icon('plus', w.add, () => files.click()), icon('pin', w.attach, () => attaching.click())], files, attaching, screen.task, screen.scope, h('span.grow'), h('div.voice', {}, spoken?.buttons), screen.send));
  setTimeout(button);
  return h('div.composer', {}, form);
}

/** Which documents a question may be limited to, where there is a choice. */
function scopes() {
  if (!screen.attached.shelf.isConnected) return;
  const files = hasFiles() || !screen.attached.isEmpty();
  const choices = files ? [['', w.attachedFiles], ['library', w.library]] : [['', w.everything]];
  const chosen = screen.scope.value;
  screen.scope.hidden = !files && home.collections.length < 2;
  fill(screen.scope, choices.map(([value, name]) => h('option', { value }, name)), home.collections.length > 1 && home.collections.map((name) => h('option', { value: `collection ${name}` }, name)));
  screen.scope.value = chosen;
  if (screen.scope.selectedIndex < 0) screen.scope.value = '';
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
  const label = writing ? w.stop : w.send;
  fill(screen.send, glyph(writing ? 'stop' : 'send'));
  screen.send.setAttribute('aria-label', label);
  screen.send.title = label;
  screen.send.disabled = isLost || (!writing && (!screen.field.value.trim() || screen.attached.isReading()));
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

async function send() {
  const question = screen.field.value.trim();
  if (isLost) { announce(w.cannotSend); return; }
  if (!question || isWriting() || screen.attached.isReading()) return;
  const attached = [...editing?.attachments ?? [], ...screen.attached.take()];
  const parent = editing ? editing.parent : path().at(-1) ?? talk.root;
  const isNew = !editing && !screen.task.value && !attached.length;
  const recognition = screen.recognition;
  editing = null;
  showEditing();
  drafts.delete(draftOf());
  screen.recognition = undefined;
  screen.field.value = '';
  screen.field.style.height = '';
  button();
  if (isNew && await command(question, { recognition, listen: screen.spoken?.answer })) { screen.field.focus(); return; }
  put(question, parent, attached);
}

/** Asks as a child of `parent`; beside the answers that are there already. */
function put(question, parent, attached = [], { mode = settings.mode, task = screen.task.value, provider } = {}) {
  if (!can('ask')) { troubleNote({ message: 'This build cannot answer questions.' }); return; }
  const node = grow(parent, question, attached);
  if (attached.length) talk.attached = [...new Set([...talk.attached ?? [], ...attached])];
  talks.set(talk.id, talk);
  if (!talk.title) talk.title = question.length > 64 ? `${question.slice(0, 61)}…` : question;
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
      if (event.notice) strip.task(event.notice, 'work');
      if (event.sentence) { told = true; speak(event.sentence.text); }
      if (event.done && !told) speak(event.done.answer);
      if (event.evidence) { strip.supports(event.evidence.length); strip.task(event.evidence.length ? w.thinkingOver : w.thinking, 'work'); }
      if (event.piece) {
        first ||= performance.now();
        pieces += 1;
        strip.task(seconds > 0.5 ? w.writingAt(pieces / seconds) : w.writing, 'work');
      }
      if (event.done) {
        strip.supports(event.done.citations?.length ?? 0);
        spoke(event.done);
      }
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
    },
  };
}

/** What a stopped answer had come to stands in its conversation soon after. */
async function reread(node, id, tries = 4) {
  if (!can('conversations-show')) return;
  await new Promise((go) => setTimeout(go, 250));
  const known = new Set(node.parent.children.map((one) => one.id));
  const stored = await one('conversations-show', { id }).catch(() => null);
  const turn = stored?.turns?.findLast((one) => one.question === node.question && one.record && !known.has(one.id));
  if (turn) {
    Object.assign(node, { id: turn.id, record: turn.record });
    node.view.take({ done: turn.record });
  } else if (tries) reread(node, id, tries - 1);
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
});

function edit(node) {
  editing = node;
  compose(node.question);
  showEditing();
}

function showEditing() {
  screen.editing.hidden = !editing;
}

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
  scopes();
  const turns = path();
  document.title = title();
  if (!turns.length) { fill(screen.column, startPage({ compose, send, add: () => screen.column.closest('main').querySelector('input[type=file]').click(), dictate: () => screen.spoken?.press(), say: () => screen.spoken?.press(true) })); strip.supports(0); button(); return; }
  fill(screen.column, h('h1.quiet-voice', {}, talk.title || w.untitled), turns.map((node) => {
    if (!node.view) {
      node.view = answer({ record: node.record, question: node.question, ...ways(node) });
      if (!node.record) node.view.unanswered();
    } else if (!node.run) node.view.retool();
    const ask = asked(node, talk, edit);
    return [ask, node.view.element];
  }));
  const last = turns.at(-1);
  strip.supports(last.record?.citations?.length ?? last.view.state.citations.length);
  button();
  if (screen.follows) screen.scroll.scrollTop = screen.scroll.scrollHeight;
}

export function evidenceOfLast() { return talk ? path().findLast((turn) => turn.view?.state.citations.length)?.view.state.citations ?? [] : []; }

export async function list() {
  const local = [...talks.values()].filter((one) => one.title).map(({ id, title }) => ({ id, title })).reverse();
  if (!can('conversations')) return local;
  const stored = (await call('conversations')).filter((one) => one.id);
  return [...new Map([...local, ...stored].map((one) => [one.id, one])).values()];
}

/** What is gone is not written on. */
export function forget(id) {
  for (const one of id ? [talks.get(id)].filter(Boolean) : talks.values()) {
    for (const turn of everyTurn(one.root)) if (turn.run) cancel(turn.run);
  }
  id ? talks.delete(id) : talks.clear();
  id ? drafts.delete(id) : drafts.clear();
}
export function retitle(id, title) { if (talks.has(id)) talks.get(id).title = title; }
