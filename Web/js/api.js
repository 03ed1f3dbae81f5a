// The one way to the server: calls that answer, operations that run on their own, and the single stream of their events.

import { w } from './words.js';
import * as session from './session.js';
import { Failure, send, tell, told, doubt, onArrival } from './session.js';

let abilities = new Set();
export const can = (name) => abilities.has(name);

const json = (method, body, headers = {}) => ({
  method, headers: { 'Content-Type': 'application/json', ...headers }, body: JSON.stringify(body ?? {}),
});

export async function get(path) { return (await send(path)).json(); }

/** Runs an operation and returns its events as an array. */
export async function call(name, input, signal) {
  const text = await (await send(`/api/${name}`, { ...json('POST', input), signal })).text();
  const events = text.split('\n').filter(Boolean).map((line) => JSON.parse(line));
  const last = events.at(-1);
  if (last && Object.keys(last).length === 1 && last.error?.code) throw told(last.error);
  return events;
}

/** The first (often only) event. */
export async function one(name, input, signal) { return (await call(name, input, signal))[0]; }

/** The first event of an operation that would go on; it is ended. */
export async function first(name, input) {
  const stop = new AbortController();
  const reader = (await send(`/api/${name}`, { ...json('POST', input), signal: stop.signal })).body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (!text.includes('\n')) {
    const { value, done } = await reader.read();
    if (done) break;
    text += value;
  }
  stop.abort();
  return JSON.parse(text.split('\n')[0]);
}

let waiting = null;

/** An answer's Markdown as HTML. What is asked for in one moment goes in one request: a long conversation is opened by two. */
export function render(text, sentences) {
  return new Promise((done, failed) => {
    waiting ??= (queueMicrotask(() => setTimeout(renderAll)), []);
    waiting.push({ text, sentences, done, failed });
  });
}

async function renderAll() {
  const all = waiting;
  waiting = null;
  while (all.length) {
    // One request may be a megabyte long, and each text stands in it twice.
    const batch = [all.shift()];
    for (let room = 250_000 - batch[0].text.length; all.length && (room -= all[0].text.length) > 0;) batch.push(all.shift());
    try {
      const texts = batch.map(({ text, sentences }) => ({ text, sentences }));
      const { pages } = await (await send('/api/render', json('POST', { texts }))).json();
      batch.forEach((one, place) => one.done(pages[place]));
    } catch (failure) { for (const one of batch) one.failed(failure); }
  }
}

export async function upload(file, name = file.name) {
  const response = await send(`/api/uploads?name=${encodeURIComponent(name)}`, { method: 'PUT', body: file, headers: { 'Content-Type': 'application/octet-stream' } });
  return (await response.json()).upload;
}

/** A finished backup, whole or not at all. */
export async function backupFile(name) {
  const response = await send(`/api/backups/${encodeURIComponent(name)}`);
  const blob = await response.blob();
  if (blob.size !== Number(response.headers.get('Libera-Size'))) throw told({ code: 'backup_torn', message: w.backupTorn });
  return blob;
}

/** Lets this browser in by a code. It has one session: the earlier one ends, where it has not ended yet. */
export async function enter(code) {
  const before = await session.enter(code);
  if (before) call('sessions-end', { id: before.id }).catch(() => {});
}

/** Without an answer, while the page goes away. */
export function leaveWord(name, input) { tell(`/api/${name}`, json('POST', input)); }

// Operations on their own. `handler` has event(value, name) and ended(state, failure).

const watched = new Map();
const strangers = new Set();

export function start(name, input, handler, id = crypto.randomUUID()) {
  watched.set(id, { handler, next: 0 });
  send(`/api/${name}`, json('POST', input, { Prefer: 'respond-async', 'Idempotency-Key': id }))
    .catch((failure) => finish(id, 'failed', failure));
  return { id, cancel: () => cancel(id), leave: () => { watched.delete(id); cancel(id); } };
}

export function cancel(id) { return send(`/api/operations/${id}`, { method: 'DELETE' }).catch(() => {}); }

/** Watches a run that was started elsewhere or before; replays what it has said so far. */
export function attach(id, handler) {
  watched.set(id, { handler, next: 0 });
  return catchUp(id);
}

export async function running() { return (await get('/api/operations')).operations; }

let greet;
/** How many runs there were when the stream of events was opened. */
export const known = new Promise((done) => { greet = done; });

/** Called for runs that this page did not start. */
export function onStranger(listener) { strangers.add(listener); }

async function catchUp(id) {
  const entry = watched.get(id);
  if (!entry) return;
  entry.holding = [];
  try {
    const run = await get(`/api/operations/${id}`);
    run.events.forEach((event, place) => deliver(id, run.events_dropped + place, event));
    const held = entry.holding;
    entry.holding = null;
    for (const message of held) take(message);
    if (run.state !== 'running') finish(id, run.state, run.error && told(run.error));
  } catch (failure) {
    entry.holding = null;
    if (failure.status === 404) {
      finish(id, 'failed', new Failure({ code: 'interrupted', ...w.interrupted }));
    }
  }
}

function deliver(id, index, event) {
  const entry = watched.get(id);
  if (!entry || index < entry.next) return;
  entry.next = index + 1;
  entry.handler.event?.(event);
}

function finish(id, state, failure) {
  const entry = watched.get(id);
  if (!entry) return;
  watched.delete(id);
  entry.handler.ended?.(state, failure);
}

function take(message) {
  const entry = watched.get(message.operation);
  if (!entry) {
    if (message.started) for (const listener of strangers) listener(message);
    return;
  }
  if (entry.holding) { entry.holding.push(message); return; }
  if (message.event !== undefined) deliver(message.operation, message.index, message.event);
  if (message.ended) finish(message.operation, message.ended, message.error && told(message.error));
}

/** One event after another, as [its name, its id, its data]. */
async function* events(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    text += value;
    const blocks = text.split('\n\n');
    text = blocks.pop();
    for (const block of blocks) {
      const found = { event: 'message', id: '', data: '' };
      for (const line of block.split('\n')) {
        const [, name, words] = /^(event|id|data): ?(.*)$/s.exec(line) ?? [];
        if (name) found[name] = words;
      }
      yield [found.event, found.id, found.data];
    }
  }
}

/** Opens the stream; `link(state)` hears "open", "lost", and "shut" when this browser is not let in any more. */
export async function listen(link) {
  const all = () => { for (const id of watched.keys()) catchUp(id); };
  let again = false;
  let last = '';
  let arrived = () => {};
  onArrival(() => arrived());
  for (;;) {
    let wait = 1000;
    const arrival = new Promise((done) => { arrived = done; });
    try {
      const stream = await send('/api/events', { headers: last ? { 'Last-Event-ID': last } : {} });
      for await (const [name, id, data] of events(stream)) {
        if (id) last = id;
        if (name === 'hello') {
          link('open');
          greet(JSON.parse(data).operations);
          if (again) all();
          again = true;
        } else if (name === 'missed') all();
        else if (data) take(JSON.parse(data));
      }
      link('lost');
    } catch (failure) {
      if (failure.status === 401) { link('shut', failure); wait = null; } else { link('lost'); wait = 2000; }
    }
    doubt();
    await Promise.race([arrival, ...(wait ? [new Promise((done) => setTimeout(done, wait))] : [])]);
  }
}

export async function learn() { abilities = new Set((await get('/api')).operations); }
