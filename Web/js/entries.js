// Who is let in: the browsers with a session, and the programs with a key; each can be let go.
import { h, fill } from './dom.js';
import { can, call } from './api.js';
import { id } from './session.js';
import { w, when } from './words.js';
import { note, trouble, troubleNote } from './dialog.js';

export function entries() {
  const browsers = h('ul.plain.stack');
  const programs = h('ul.plain.stack');

  async function draw() {
    try {
      if (can('sessions')) fill(browsers, (await call('sessions')).filter((one) => one.id).map((one) => row(
        [w.browserOn(one.browser.split(' on ')), one.id === id() && w.thisBrowser].filter(Boolean).join(' · '), w.since(when(one.made), when(one.used)),
        w.signOut, can('sessions-end') && (() => call('sessions-end', { id: one.id })))));
    } catch (failure) { fill(browsers, trouble(failure, draw)); }
    try {
      if (!can('keys')) return;
      const keys = (await call('keys')).filter((one) => one.name);
      fill(programs, keys.length ? keys.map((one) => row(
        `${one.name} · ${one.rights.map((right) => w.rights[right] ?? right).join(', ')}`, one.used ? w.usedLast(when(one.used)) : w.neverUsed,
        w.revoke, can('keys-revoke') && (async () => { await call('keys-revoke', { name: one.name }); note(w.revoked(one.name)); }))) : h('li.quiet', {}, w.noKeys));
    } catch (failure) { fill(programs, trouble(failure, draw)); }
  }

  function row(title, facts, words, act) {
    const go = async () => { try { await act(); await draw(); } catch (failure) { troubleNote(failure); } };
    return h('li.row', {}, h('div.grow', {}, h('p.bidi', {}, title), h('p.small.quiet', {}, facts)), act && h('button.bordered', { type: 'button', 'aria-label': `${words}: ${title}`, onclick: go }, words));
  }

  draw();
  if (!can('sessions') && !can('keys')) return null;
  return h('section', {}, h('h2', {}, w.letIn), h('div.items.two', {},
    can('sessions') && h('section.card', {}, h('h3', {}, w.browsers), h('p.small.quiet', {}, w.browsersWhat), browsers),
    can('keys') && h('section.card', {}, h('h3', {}, w.programs), h('p.small.quiet', {}, w.programsWhat), programs)));
}
