// The conversations that this page knows, and what stands in their composers and was not sent.
import { can, call, cancel, one } from './api.js';
import { everyTurn } from './tree.js';

export const talks = new Map();
/** By conversation; what belongs to none yet stands under ''. */
export const drafts = new Map();

/** What was found and is to be shown when its conversation is opened: { id, message, text }. */
export const sought = { hit: null };

const coming = new Map();
/** What is kept of a conversation: asked for once, however often one comes by until it is there. */
export function stored(id) {
  if (!coming.has(id)) coming.set(id, one('conversations-show', { id }).finally(() => coming.delete(id)));
  return coming.get(id);
}

/** The id of an answer's run begins with that of its conversation, so that any page finds it again. */
export const runOf = (conversation) => `${conversation}-${crypto.randomUUID().slice(0, 18)}`;

/** What a conversation is called until it has a name: its first question, short. */
export const shortened = (question) => (question.length > 64 ? `${question.slice(0, 61)}…` : question);

/** Those of this page and those that are stored, the latest first. */
export async function list() {
  const local = [...talks.values()].filter((one) => one.title).map(({ id, title }) => ({ id, title })).reverse();
  if (!can('conversations')) return local;
  const kept = (await call('conversations')).filter((one) => one.id);
  return [...new Map([...local, ...kept].map((one) => [one.id, one])).values()];
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

/** The folders that there are, by their names. */
export const folders = (known) => [...new Set(known.map((one) => one.folder).filter(Boolean))].sort((a, b) => a.localeCompare(b));

/** The folder whose conversations are listed alone; none: all of them. */
export const chosenFolder = () => localStorage.getItem('folder') ?? '';

export function chooseFolder(name) {
  if (name) localStorage.setItem('folder', name); else localStorage.removeItem('folder');
}

/** Those that a person keeps above the others, in this browser. */
export function pinned() {
  try { return new Set(JSON.parse(localStorage.getItem('pinned')) ?? []); } catch { return new Set(); }
}

export function pin(id, isPinned) {
  const ids = pinned();
  if (isPinned) ids.add(id); else ids.delete(id);
  localStorage.setItem('pinned', JSON.stringify([...ids]));
}
