// Where a question is written: the field, what is attached, what kind it is and where it looks, what waits to be asked next.
import { h, fill, icon } from './dom.js';
import { can } from './api.js';
import { w } from './words.js';
import { add } from './import.js';
import { attachments } from './attach.js';
import { templates } from './templates.js';
import { voice } from './voice.js';
import { home } from './home.js';

/**
 * Builds the parts into `screen` and returns the form. `draft` is what stood there; `on` hears: `typed`, `changed` (what is attached),
 * `send`, `submit`, `attach`, `editLast` and `leaveEditing`.
 */
export function composer(screen, talk, draft, isLost, on) {
  const field = h('textarea', { id: 'question', rows: 1, placeholder: w.ask, 'aria-label': w.question, title: w.askHint, value: draft });
  const offered = templates(field, () => screen.attached.names()[0] ?? '');
  field.addEventListener('keydown', (event) => {
    if (offered.take(event)) { event.preventDefault(); event.stopPropagation(); return; }
    if (event.key === 'ArrowUp' && !field.value && on.editLast()) event.preventDefault();
    if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) { event.preventDefault(); on.send(); }
  });
  // What was dictated and then changed by hand counts as typed.
  field.addEventListener('input', (event) => { if (event.isTrusted) screen.recognition = undefined; });
  field.addEventListener('input', () => { field.style.height = 'auto'; field.style.height = `${field.scrollHeight}px`; on.typed(); });
  field.addEventListener('paste', (event) => {
    const files = [...event.clipboardData.files];
    if (files.length) { event.preventDefault(); on.attach(files); }
  });
  const picker = (act) => {
    const files = h('input', { type: 'file', multiple: true, hidden: true, onchange: () => { act([...files.files]); files.value = ''; } });
    return files;
  };
  const [files, attaching] = [picker(add), picker(on.attach)];
  screen.attached = attachments(talk, on.changed);
  screen.task = h('select', { 'aria-label': w.task, title: w.task }, Object.entries(w.tasks).map(([value, name]) => h('option', { value }, name)));
  screen.scope = h('select', { 'aria-label': w.scope, title: w.scope, hidden: true });
  screen.send = h('button.icon.main-action', { type: 'submit' });
  screen.field = field;
  const spoken = screen.spoken = can('listen') ? voice(field, (sure) => { screen.recognition = sure; }, on.send) : null;
  screen.lost = h('p.small.lost', { role: 'status', hidden: !isLost }, isLost ? w.cannotSend : '');
  screen.editing = h('div.row.editing', { hidden: true }, h('p.small.quiet.grow', {}, w.editing), icon('close', w.leaveEditing, on.leaveEditing));
  screen.waiting = h('ul.plain.waiting', { 'aria-label': w.queued, hidden: true });
  return h('div.composer', {}, h('form', { onsubmit: (event) => { event.preventDefault(); on.submit(); } },
    screen.lost, screen.waiting, screen.editing, spoken?.live, screen.attached.shelf, offered.element, field, h('div.row', {}, can('import') && [icon('plus', w.add, () => files.click()), icon('pin', w.attach, () => attaching.click())], files, attaching, screen.task, screen.scope, h('span.grow'), h('div.voice', {}, spoken?.buttons), screen.send)));
}

/** What waits to be asked when the answer under way is there; each can be taken back. */
export function drawWaiting(place, queue, take) {
  place.hidden = !queue.length;
  fill(place, queue.map((one) => h('li.row', {}, h('span.small.quiet', {}, w.queued), h('span.grow.ellipsis.bidi', {}, one.question), !one.isHeard && icon('close', w.queuedTake, () => take(one)))));
}

/** Which documents a question may be limited to, where there is a choice; `belong`: files are attached to the conversation. */
export function drawScopes(screen, belong) {
  if (!screen.attached.shelf.isConnected) return;
  const files = belong || !screen.attached.isEmpty();
  const choices = files ? [['', w.attachedFiles], ['library', w.library]] : [['', w.everything]];
  const chosen = screen.scope.value;
  screen.scope.hidden = !files && home.collections.length < 2;
  fill(screen.scope, choices.map(([value, name]) => h('option', { value }, name)), home.collections.length > 1 && home.collections.map((name) => h('option', { value: `collection ${name}` }, name)));
  screen.scope.value = chosen;
  if (screen.scope.selectedIndex < 0) screen.scope.value = '';
}
