// A question in the transcript, and what can be done with the answer under it.
import { h, icon } from './dom.js';
import { can, call, one } from './api.js';
import { w } from './words.js';
import { sign } from './attach.js';
import { troubleNote } from './dialog.js';

/** The question as it was asked; `edit` asks anew from there. */
export function asked(node, talk, edit) {
  return h('div.turn.you', {}, h('div.who', {}, h('h2', {}, w.you), h('button.link', { type: 'button', onclick: () => edit(node) }, w.edit)), h('p.said.bidi', {}, node.question),
    node.attachments.length > 0 && h('ul.attached.plain', { 'aria-label': w.attached }, node.attachments.map((name) => h('li', {}, sign(talk, name), h('span.ellipsis.bidi', {}, name)))));
}

/** Answering again and the versions there are; `put` asks, `draw` shows another branch. */
export function tools(node, put, draw) {
  const siblings = node.parent.children;
  const at = siblings.indexOf(node);
  const step = (by) => {
    node.parent.chosen = at + by;
    draw();
    // The same button of the version that is shown now, or the one that leads back.
    const bar = siblings[at + by].view?.element.querySelector('.versions');
    (bar?.querySelector(`button[aria-label="${by < 0 ? w.earlier : w.later}"]:not([disabled])`) ?? bar?.querySelector('button:not([disabled])'))?.focus();
    const message = siblings[at + by].id;
    if (message && can('conversations-choose')) call('conversations-choose', { message }).catch(troubleNote);
  };
  return [
    h('button.link', { type: 'button', onclick: () => put(node.question, node.parent, node.attachments) }, w.again),
    node.record?.mode === 'fast' && h('button.link', { type: 'button', onclick: () => put(node.question, node.parent, node.attachments, { mode: 'deep' }) }, w.againDeep),
    siblings.length > 1 && h('span.row.tight.versions', { role: 'group', 'aria-label': w.version(at + 1, siblings.length) },
      icon('back', w.earlier, () => step(-1), { disabled: at === 0 }), h('span.small.quiet', {}, w.version(at + 1, siblings.length)),
      icon('next', w.later, () => step(1), { disabled: at === siblings.length - 1 })),
  ];
}

/** What a stopped answer had come to stands in its conversation soon after. */
export async function reread(node, id, tries = 4) {
  if (!can('conversations-show')) return;
  await new Promise((go) => setTimeout(go, 250));
  const known = new Set(node.parent.children.map((other) => other.id));
  const stored = await one('conversations-show', { id }).catch(() => null);
  const turn = stored?.turns?.findLast((other) => other.question === node.question && other.record && !known.has(other.id));
  if (turn) {
    Object.assign(node, { id: turn.id, record: turn.record });
    node.view.take({ done: turn.record });
  } else if (tries) reread(node, id, tries - 1);
}
