// Files attached to a question: read into its conversation, not into the library.
import { h, fill, glyph, icon, announce } from './dom.js';
import { call, start, upload } from './api.js';
import { w } from './words.js';
import { troubleNote } from './dialog.js';

/** What is attached to the question that is being written in `talk`; `changed` hears of it. */
export function attachments(talk, changed) {
  const files = new Map();
  const shelf = h('ul.attached.plain', { 'aria-label': w.attached, 'aria-live': 'polite', hidden: true });

  function draw() {
    shelf.hidden = files.size === 0;
    fill(shelf, [...files].map(([name, file]) => h(`li${file.state === 'failed' ? '.failed' : ''}`, {}, glyph('pin'),
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
      const entry = { state: 'reading' };
      files.set(file.name, entry);
      draw();
      try { read(file.name, entry, await upload(file)); } catch (failure) { fail(entry, failure); }
    }
  }

  function fail(entry, failure) {
    Object.assign(entry, { state: 'failed', reason: failure.message });
    draw();
  }

  function read(name, entry, id) {
    if (files.get(name) !== entry) return;
    entry.run = start('import', { uploads: [id], conversation: talk.id }, {
      event(event) {
        if (event.event === 'progress') Object.assign(entry, { done: event.pages_done, of: event.pages });
        else if (event.event === 'failed') Object.assign(entry, { state: 'failed', reason: event.reason });
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
    /** The names that go with the question; those that could not be read are left behind. */
    take() {
      const names = [...files].filter(([, file]) => file.state === 'ready').map(([name]) => name);
      files.clear();
      draw();
      return names;
    },
  };
}
