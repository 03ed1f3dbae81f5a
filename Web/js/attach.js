// Files attached to a question: read into its conversation, not into the library. They are known by what is in them; two of one
// name are told apart.
import { h, fill, glyph, icon, announce } from './dom.js';
import { call, start, upload } from './api.js';
import { inOwnWords } from './troubles.js';
import { w } from './words.js';
import { note, troubleNote } from './dialog.js';

const pictures = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/bmp', 'image/avif']);
/** Small pictures of what was attached here, by conversation and name. */
const previews = new Map();

/** A name that is free: "image.png" becomes "image (2).png" beside another. */
export function freeName(name, taken) {
  if (!taken.has(name)) return name;
  const [, stem, ending] = /^(.+?)(\.[^.]*)?$/s.exec(name) ?? [null, name, ''];
  for (let number = 2; ; number += 1) {
    const free = `${stem} (${number})${ending ?? ''}`;
    if (!taken.has(free)) return free;
  }
}

async function hash(file) {
  const sum = await crypto.subtle.digest('SHA-256', await file.arrayBuffer());
  return Array.from(new Uint8Array(sum), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** A small picture where there is one, else a pin. */
export function sign(talk, name) {
  const address = previews.get(`${talk.id} ${name}`);
  return address ? h('img.thumb', { src: address, alt: '', width: 32, height: 32 }) : glyph('pin');
}

/** What is attached to the question that is being written in `talk`; `changed` hears of it. */
export function attachments(talk, changed) {
  /** name -> {state, hash…} */
  const files = new Map();
  /** What was attached in this conversation since the page was opened, by content. */
  const contents = talk.contents ??= new Map();
  const shelf = h('ul.attached.plain', { 'aria-label': w.attached, 'aria-live': 'polite', hidden: true });

  function draw() {
    shelf.hidden = files.size === 0;
    fill(shelf, [...files].map(([name, file]) => h(`li${file.state === 'failed' ? '.failed' : ''}`, {}, sign(talk, name),
      h('span.ellipsis.bidi', {}, name), h('span.small.quiet', {}, words(file)), icon('close', w.detach(name), () => remove(name)))));
    changed();
  }

  function words(file) {
    if (file.state === 'ready') return '';
    if (file.state === 'failed') return file.reason;
    return file.of ? w.reading(file.done, file.of) : w.attaching;
  }

  async function add(chosen) {
    for (const file of chosen) {
      const content = await hash(file).catch(() => crypto.randomUUID());
      const known = contents.get(content);
      if (known && (files.has(known) || talk.attached?.includes(known))) { note(w.attachedAlready(file.name, known)); continue; }
      const name = freeName(file.name, new Set([...files.keys(), ...talk.attached ?? []]));
      const entry = { state: 'reading', content };
      contents.set(content, name);
      if (pictures.has(file.type)) previews.set(`${talk.id} ${name}`, URL.createObjectURL(file));
      files.set(name, entry);
      draw();
      try { read(name, entry, await upload(file, name)); } catch (failure) { fail(entry, failure); }
    }
  }

  function fail(entry, failure) {
    Object.assign(entry, { state: 'failed', reason: failure.message });
    contents.delete(entry.content);
    draw();
  }

  function read(name, entry, id) {
    if (files.get(name) !== entry) return;
    entry.run = start('import', { uploads: [id], conversation: talk.id }, {
      event(event) {
        if (event.event === 'progress') Object.assign(entry, { done: event.pages_done, of: event.pages });
        else if (event.event === 'failed' || event.event === 'skipped') fail(entry, inOwnWords({ code: event.code, message: event.reason }));
        draw();
      },
      ended(how, failure) {
        entry.run = null;
        if (failure) fail(entry, failure);
        else if (how === 'done' && entry.state !== 'failed') {
          entry.state = 'ready';
          talk.attached = [...talk.attached ?? [], name];
          announce(`${name}: ${w.attached}`);
        }
        draw();
        document.dispatchEvent(new CustomEvent('talks'));
      },
    });
  }

  async function remove(name) {
    const entry = files.get(name);
    files.delete(name);
    contents.delete(entry.content);
    const preview = `${talk.id} ${name}`;
    if (previews.has(preview)) URL.revokeObjectURL(previews.get(preview));
    previews.delete(preview);
    draw();
    if (entry.run) entry.run.cancel();
    else if (entry.state === 'ready') {
      talk.attached = talk.attached?.filter((one) => one !== name);
      try { await call('documents-remove', { documents: [name], conversation: talk.id }); } catch (failure) { troubleNote(failure); }
    }
  }

  return {
    shelf,
    add,
    /** Those attached before that no question has listed yet. */
    restore(names) { for (const name of names) files.set(name, { state: 'ready' }); draw(); },
    isReading: () => [...files.values()].some((file) => file.state === 'reading'),
    isEmpty: () => files.size === 0,
    names: () => [...files.keys()],
    /** The names that go with the question; those that could not be read are left behind. */
    take() {
      const names = [...files].filter(([, file]) => file.state === 'ready').map(([name]) => name);
      files.clear();
      draw();
      return names;
    },
  };
}
