// Data management: each kind goes on its own, after it was said exactly what and how much.
import { h, fill } from './dom.js';
import { can, call } from './api.js';
import { w } from './words.js';
import { home, refresh } from './home.js';
import { confirmLoss, note, troubleNote } from './dialog.js';

export function data(main) {
  const list = h('div.items.two');
  fill(main, h('div.screen', { tabIndex: -1 }, h('div.inside', {}, h('h1', {}, w.data), h('p.quiet', {}, w.dataIntro), list)));

  async function count(kind) {
    const name = { conversations: 'conversations', documents: 'documents', log: 'log', logs: 'log', actions: 'actions' }[kind];
    if (!name || !can(name)) return null;
    try { return (await call(name)).filter((one) => Object.keys(one).length).length; } catch { return null; }
  }

  async function destroy(kind, title, many) {
    const what = `${w.kinds[kind][1]} ${many === null ? '' : `(${w.counts(many)})`} ${w.dataIntro}`;
    if (!await confirmLoss(`${w.destroy}: ${title}`, what, many ? `${w.destroy} ${many}` : w.destroy)) return;
    try {
      if (kind === 'log' && !can('data-destroy')) await call('log-clear');
      else await call('data-destroy', { kind });
      note(w.destroyed(title));
    } catch (failure) { troubleNote(failure); }
    await refresh();
    document.dispatchEvent(new CustomEvent('talks'));
    draw();
  }

  async function draw() {
    const kinds = can('data-destroy') ? ['conversations', 'documents', 'logs', 'settings', ...(can('actions') ? ['actions'] : [])] : can('log-clear') ? ['log'] : [];
    const counts = await Promise.all(kinds.map(count));
    fill(list, kinds.map((kind, place) => {
      const [title, what] = w.kinds[kind];
      return h('article.card', {}, h('div.row', {}, h('h2.grow', {}, title), counts[place] !== null && h('span.badge', {}, w.counts(counts[place]))), h('p.small.quiet', {}, what),
        h('div.row', {}, h('button.danger', { type: 'button', 'aria-label': `${w.destroy}: ${title}`, disabled: counts[place] === 0, onclick: () => destroy(kind, title, counts[place]) }, w.destroy)));
    }));
  }

  draw();
  return home && undefined;
}
