// A document without pages as text: rows that carry the names of their columns stand as a table, what is marked is marked.
import { h, fill } from './dom.js';

/** A row as the program writes it, "Name: Meyer; City: Bonn", as its cells; null where it is none. */
export function cells(line) {
  const found = [];
  let at = 0;
  for (const piece of line.split('; ')) {
    const [, name, value] = /^([^:;]{1,60}): (.*)$/.exec(piece) ?? [];
    if (name === undefined) return null;
    found.push({ name, from: at + name.length + 2, to: at + piece.length });
    at += piece.length + 2;
  }
  return found.length > 1 ? found : null;
}

/** A text as stretches in their order: {from, to} of plain text, or with `rows` a table: rows of the same names, at least two of them
    or one below a line of those names. */
export function blocks(text) {
  const found = [];
  let table = null;
  let from = 0;
  const close = (at) => {
    if (table && (table.rows.length > 1 || table.isHeaded)) {
      if (table.from > from) found.push({ from, to: table.from });
      found.push(table);
      from = at;
    }
    table = null;
  };
  let at = 0;
  let above = { from: 0, line: '' };
  for (const line of text.split('\n')) {
    const row = cells(line);
    const names = row?.map((cell) => cell.name).join('\n');
    if (table && line === '') { at += 1; continue; }
    if (!row || table?.names !== names) close(at);
    if (row) {
      if (!table) {
        let place = above.from;
        const heads = row.map(({ name }) => { const head = { name, from: place, to: place + name.length }; place = head.to + 3; return head; });
        const isHeaded = above.line === heads.map((head) => head.name).join(' | ');
        table = { from: isHeaded ? above.from : at, names, isHeaded, heads, rows: [] };
      }
      table.rows.push(row.map((cell) => ({ from: at + cell.from, to: at + cell.to })));
      table.to = at + line.length;
    }
    if (line) above = { from: at, line };
    at += line.length + 1;
  }
  close(text.length);
  if (from < text.length) found.push({ from, to: text.length });
  return found;
}

/** Letters from and to, cut where something that is marked begins or ends. `ranges`: {from, to, kind, hit}, in their order. */
function cut(text, from, to, ranges) {
  const parts = [];
  let at = from;
  for (const range of ranges) {
    const [begin, end] = [Math.max(range.from, at), Math.min(range.to, to)];
    if (begin >= end) continue;
    if (begin > at) parts.push(text.slice(at, begin));
    parts.push(h(`mark.${range.kind}`, range.hit === undefined ? {} : { 'data-hit': range.hit }, text.slice(begin, end)));
    at = end;
  }
  if (at < to) parts.push(text.slice(at, to));
  return parts;
}

/** A stretch of text that can be drawn anew with other marks. */
export function part(text) {
  const element = h('div.part');
  const layout = blocks(text);
  const draw = (ranges = []) => fill(element, layout.map(({ from, to, heads, isHeaded, rows }) => (rows
    ? h('div.table', { tabIndex: 0, role: 'group', 'aria-label': heads.map((head) => head.name).join(', ') }, h('table', {}, h('thead', {}, h('tr', {}, heads.map((head) => h('th', { scope: 'col', dir: 'auto' }, isHeaded ? cut(text, head.from, head.to, ranges) : head.name)))),
      h('tbody', {}, rows.map((row) => h('tr', {}, row.map((cell) => h('td', { dir: 'auto' }, cut(text, cell.from, cell.to, ranges))))))))
    : h('p.passage.bidi', {}, cut(text, from, to, ranges)))));
  draw();
  return { element, draw };
}
