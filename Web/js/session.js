// This browser's session. A terminal lets a browser in with a code; the program then knows it by a secret that only this
// origin holds, until the program ends. Neither code nor secret goes to a server that has not proved that it knows them:
// whoever listens on this port after the program has ended learns nothing.

import { inOwnWords } from './troubles.js';
import { w } from './words.js';

export class Failure extends Error {
  constructor({ code = 'unexpected', message, remedy, said }, status = 0) {
    super(message ?? code);
    Object.assign(this, { code, remedy, said, status });
  }
}

/** What the program told of an error. */
export const told = (error, status) => new Failure(inOwnWords(error), status);

const text = new TextEncoder();
const hex = (bytes) => Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');

async function keyed(key, words) {
  const made = await crypto.subtle.importKey('raw', text.encode(key), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  return hex(await crypto.subtle.sign('HMAC', made, text.encode(words)));
}

function stored() {
  // What is no session of ours is none.
  try { return JSON.parse(localStorage.getItem('session')); } catch { return null; }
}

let session = stored();
/** The promise that the server on the other side is the one that knows the session; null until it is asked for. */
let proof = null;
let isProved = false;
/** Called when a session has come, be it through this page or another one of this browser. */
const arrivals = new Set();
export const onArrival = (listener) => { arrivals.add(listener); };
export const id = () => session?.id;

/** `proven`: that the other side knows it has been seen already. */
function adopt(next, proven = null) {
  session = next;
  proof = proven;
  isProved = Boolean(proven);
  if (next) for (const listener of arrivals) listener();
}

// Another page of this browser was let in.
addEventListener('storage', (event) => {
  const next = event.key === 'session' && stored();
  if (next && next.secret !== session?.secret) adopt(next);
});

/** The connection broke: whoever answers next must prove itself. */
export function doubt() { proof = null; isProved = false; }

async function answered(request) {
  let response;
  try { response = await request; } catch (failure) {
    // What the page has broken off itself says nothing of the program.
    if (failure.name === 'AbortError') throw failure;
    doubt();
    throw new Failure({ code: 'unreachable', message: w.unreachable, remedy: w.unreachableDo });
  }
  if (response.ok) return response;
  let error = {};
  try { error = (await response.json()).error ?? {}; } catch { error = { message: w.serverSaid(response.status) }; }
  throw told(error, response.status);
}

const plain = { credentials: 'omit', redirect: 'error', cache: 'no-store' };

const question = () => hex(crypto.getRandomValues(new Uint8Array(32)));
/** Throws where this is no answer of a server that knows the secret. */
async function judge(proof, secret, nonce) {
  if (proof !== await keyed(secret, `server ${nonce}`)) throw new Failure({ code: 'stranger', message: w.stranger, remedy: w.lockedDo }, 401);
}

async function prove() {
  const mine = session;
  if (!mine) throw new Failure({ code: 'no_session', message: w.locked, remedy: w.lockedDo }, 401);
  const nonce = question();
  const answer = await (await answered(fetch(`/api/session/${encodeURIComponent(mine.id)}?nonce=${nonce}`, plain))).json();
  await judge(answer.proof, mine.secret, nonce);
  if (mine === session) isProved = true;
}

function proved() {
  const mine = proof ??= prove().catch((failure) => {
    if (proof === mine) doubt();
    throw failure;
  });
  return mine;
}

/** A request in this session's name; throws what the server refuses. */
export async function send(path, options = {}) {
  for (;;) {
    const mine = session;
    try {
      await proved();
      if (mine !== session) continue;
      return await answered(fetch(path, { ...plain, ...options, headers: { ...options.headers, Authorization: `Bearer ${mine.secret}` } }));
    } catch (failure) {
      if (failure.status !== 401) throw failure;
      doubt();
      // Another page may just have been let in anew.
      const next = stored();
      if (!next || next.secret === mine?.secret) throw failure;
      adopt(next);
    }
  }
}

/** For the moment in which a page goes away: sent at once, or not at all. */
export function tell(path, options) {
  if (isProved) fetch(path, { ...plain, ...options, keepalive: true, headers: { ...options.headers, Authorization: `Bearer ${session.secret}` } }).catch(() => {});
}

/** Lets this browser in; returns the session it had before. The server is shown the code's hash alone; that it knows the code
    shows when it proves that it knows the session. */
export async function enter(code) {
  const before = session;
  const ticket = hex(await crypto.subtle.digest('SHA-256', text.encode(code)));
  const nonce = question();
  const body = JSON.stringify({ ticket, nonce });
  const made = await (await answered(fetch('/api/session', { ...plain, method: 'POST', headers: { 'Content-Type': 'application/json' }, body }))).json();
  const next = { id: made.session, secret: await keyed(code, 'session') };
  await judge(made.proof, next.secret, nonce);
  adopt(next, Promise.resolve());
  localStorage.setItem('session', JSON.stringify(next));
  return before;
}
