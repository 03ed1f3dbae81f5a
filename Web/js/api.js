// The one way to the server: calls that answer, operations that run on their own, and the single stream of their events.

export class Failure extends Error {
  constructor({ code = 'unexpected', message, remedy }, status = 0) {
    super(message ?? code);
    Object.assign(this, { code, remedy, status });
  }
}

export let abilities = new Set();
export const can = (name) => abilities.has(name);

async function checked(request) {
  let response;
  try { response = await request; } catch {
    throw new Failure({ code: 'unreachable', message: 'The program on this device does not answer.', remedy: 'Start it again with "libera serve"; nothing that was finished is lost.' });
  }
  if (response.ok) return response;
  let told = {};
  try { told = (await response.json()).error ?? {}; } catch { told = { message: `The server answered ${response.status}.` }; }
  throw new Failure(told, response.status);
}

const json = (method, body, headers = {}) => ({
  method, headers: { 'Content-Type': 'application/json', ...headers }, body: JSON.stringify(body ?? {}),
});

export async function get(path) { return (await checked(fetch(path))).json(); }

/** Runs an operation and returns its events as an array. */
export async function call(name, input) {
  const text = await (await checked(fetch(`/api/${name}`, json('POST', input)))).text();
  const events = text.split('\n').filter(Boolean).map((line) => JSON.parse(line));
  const last = events.at(-1);
  if (last && Object.keys(last).length === 1 && last.error?.code) throw new Failure(last.error);
  return events;
}

/** The first (often only) event. */
export async function one(name, input) { return (await call(name, input))[0]; }

/** The first event of an operation that would go on; it is ended. */
export async function first(name, input) {
  const stop = new AbortController();
  const reader = (await checked(fetch(`/api/${name}`, { ...json('POST', input), signal: stop.signal }))).body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (!text.includes('\n')) {
    const { value, done } = await reader.read();
    if (done) break;
    text += value;
  }
  stop.abort();
  return JSON.parse(text.split('\n')[0]);
}

export async function render(text, sentences) {
  return (await (await checked(fetch('/api/render', json('POST', { text, sentences })))).json()).html;
}

export async function upload(file) {
  const response = await checked(fetch(`/api/uploads?name=${encodeURIComponent(file.name)}`, { method: 'PUT', body: file, headers: { 'Content-Type': 'application/octet-stream' } }));
  return (await response.json()).upload;
}

export async function signIn(code) { await checked(fetch('/api/session', json('POST', { code }))); }

// Operations on their own. `handler` has event(value, name) and ended(state, failure).

const watched = new Map();
const strangers = new Set();

export function start(name, input, handler, id = crypto.randomUUID()) {
  watched.set(id, { handler, next: 0 });
  checked(fetch(`/api/${name}`, json('POST', input, { Prefer: 'respond-async', 'Idempotency-Key': id })))
    .catch((failure) => finish(id, 'failed', failure));
  return { id, cancel: () => cancel(id), leave: () => { watched.delete(id); cancel(id); } };
}

export function cancel(id) { return checked(fetch(`/api/operations/${id}`, { method: 'DELETE' })).catch(() => {}); }

/** Watches a run that was started elsewhere or before; replays what it has said so far. */
export function attach(id, handler) {
  watched.set(id, { handler, next: 0 });
  return catchUp(id);
}

export async function running() { return (await get('/api/operations')).operations; }

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
    if (run.state !== 'running') finish(id, run.state, run.error && new Failure(run.error));
  } catch (failure) {
    entry.holding = null;
    if (failure.status === 404) {
      finish(id, 'failed', new Failure({ code: 'interrupted', message: 'The program was restarted while this ran.', remedy: 'What was finished is kept. Start it again if you still need it.' }));
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
  if (message.ended) finish(message.operation, message.ended, message.error && new Failure(message.error));
}

/** Opens the stream; `link(state)` hears "open", "lost" and "shut". */
export function listen(link) {
  let source;
  let again = false;
  const open = () => {
    source = new EventSource('/api/events');
    const all = () => { for (const id of watched.keys()) catchUp(id); };
    source.addEventListener('hello', () => {
      link('open');
      if (again) all();
      again = true;
    });
    source.addEventListener('missed', all);
    source.onmessage = (message) => take(JSON.parse(message.data));
    source.onerror = () => {
      link('lost');
      // A refused stream is not tried again by the browser: ask why, then go on trying.
      if (source.readyState === EventSource.CLOSED) {
        source.close();
        fetch('/api/session').then((answer) => (answer.status === 401 ? link('shut') : setTimeout(open, 2000)), () => setTimeout(open, 2000));
      }
    };
  };
  open();
}

export async function learn() { abilities = new Set((await get('/api')).operations); }
