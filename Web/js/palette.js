// Ctrl K: go anywhere; the same list finds conversations by their words.
import { h, fill } from './dom.js';
import { can, call } from './api.js';
import { w } from './words.js';
import * as chat from './chat.js';
import * as talks from './talks.js';
import { dialog } from './dialog.js';
import { strip } from './strip.js';

export function palette() {
  if (document.querySelector('dialog[open]')) return;
  dialog(w.everythingTitle, (close) => {
    const go = (hash) => () => { close(); location.hash = hash; };
    const goTo = (hit) => () => {
      close();
      talks.sought.hit = hit;
      if (location.hash === `#/c/${hit.id}`) document.dispatchEvent(new CustomEvent('anew'));
      else location.hash = `#/c/${hit.id}`;
    };
    const actions = [[w.newTalk, go('#/new')], ...['library', 'actions', 'packs', 'settings', 'diagnostics', 'data'].map((name) => [w[name], go(`#/${name}`)]),
      ...Object.entries(w.modes).map(([value, name]) => [`${w.mode}: ${name}`, () => { close(); strip.mode(value); }]), [w.shortcuts, () => { close(); shortcuts(); }]];
    let known = [];
    // Conversations in which the words were said, with the place.
    let hits = [];
    let found = [];
    let at = 0;
    const list = h('div.finds', { role: 'listbox', id: 'finds', 'aria-label': w.everythingTitle });
    const field = h('input', { type: 'text', role: 'combobox', placeholder: w.everythingHint, 'aria-label': w.everythingHint, 'aria-controls': 'finds', 'aria-expanded': 'true', autocomplete: 'off' });
    const draw = () => {
      const words = field.value.trim().toLowerCase();
      const fits = (name) => !words || name?.toLowerCase().includes(words);
      const said = new Set(hits.map((hit) => hit.id));
      found = [...actions.filter(([name]) => fits(name)), ...hits.map((hit) => [`${hit.title} – ${hit.text}`, goTo(hit)]),
        ...known.filter((talk) => fits(talk.title) && !said.has(talk.id)).map((talk) => [talk.title, go(`#/c/${talk.id}`)])].slice(0, 12);
      at = Math.min(at, Math.max(0, found.length - 1));
      fill(list, found.map(([name, act], place) => h('button', { type: 'button', role: 'option', id: `find-${place}`, tabIndex: -1, 'aria-selected': String(place === at), onclick: act }, name)));
      field.setAttribute('aria-activedescendant', found.length ? `find-${at}` : '');
      list.children[at]?.scrollIntoView({ block: 'nearest' });
    };
    field.addEventListener('keydown', (event) => {
      if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
        event.preventDefault();
        at = (at + (event.key === 'ArrowDown' ? 1 : -1) + found.length) % Math.max(1, found.length);
        draw();
      } else if (event.key === 'Enter') { event.preventDefault(); found[at]?.[1](); }
    });
    let due;
    field.addEventListener('input', () => {
      at = 0;
      const query = field.value.trim();
      if (query.length < 3) hits = [];
      draw();
      clearTimeout(due);
      if (can('conversations-search') && query.length > 2) due = setTimeout(async () => {
        const told = (await call('conversations-search', { query }).catch(() => [])).filter((hit) => hit.id);
        if (field.value.trim() !== query) return;
        hits = [...new Map(told.map((hit) => [hit.id, hit])).values()].map((hit) => ({ ...hit, text: hit.text ?? query }));
        if (list.isConnected) draw();
      }, 150);
    });
    talks.list().then((all) => { known = all; draw(); }, () => {});
    setTimeout(() => field.focus());
    draw();
    return [field, list];
  });
}

export function shortcuts() {
  if (document.querySelector('dialog[open]')) return;
  dialog(w.shortcuts, (close) => [h('table', {}, h('tbody', {}, w.keys.map(([key, what]) => h('tr', {}, h('td', {}, h('kbd', {}, key)), h('td', {}, what))))),
    h('div.ends', {}, h('button.main-action', { type: 'button', onclick: () => close() }, w.close))]);
}
