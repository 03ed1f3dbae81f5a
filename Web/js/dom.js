// Small parts for building the page. Text always goes in as text; HTML comes from the server's renderer alone.

import { number, w } from './words.js';

const policy = globalThis.trustedTypes?.createPolicy('libera', { createHTML: (html) => html });

/** h('button.icon', { onclick, 'aria-label': … }, children…): an element. */
export function h(what, props, ...children) {
  const [name, ...classes] = what.split('.');
  const element = document.createElement(name || 'div');
  if (classes.length) element.className = classes.join(' ');
  // People's words run the way they were written.
  if (classes.includes('bidi') || name === 'textarea' || (name === 'input' && ['text', 'search'].includes(props?.type))) element.dir = 'auto';
  for (const [key, value] of Object.entries(props ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else if (key in element && !key.includes('-') && key !== 'list' && key !== 'form') element[key] = value;
    else element.setAttribute(key, value === true ? '' : value);
  }
  element.append(...children.flat(3).filter((child) => child !== undefined && child !== null && child !== false));
  return element;
}

export const $ = (id) => document.getElementById(id);

export function fill(element, ...children) {
  element.replaceChildren(...children.flat(3).filter((child) => child !== undefined && child !== null && child !== false));
  return element;
}

/** HTML from `POST /api/render`, which lets nothing through that could fetch, run or lead away. */
export function rendered(element, html) {
  element.innerHTML = policy ? policy.createHTML(html) : html;
  return element;
}

const paths = {
  menu: 'M3 6h14M3 10h14M3 14h14', list: 'M7 6h10M7 10h10M7 14h10M3 6h.010M3 10h.010M3 14h.010', minus: 'M4 10h12', fit: 'M3 5v10M17 5v10M6 10h8M8 8l-2 2 2 2M12 8l2 2-2 2', turn: 'M15 10a5 5 0 1 1-2-4M13 3v3h-3', up: 'M5 12l5-5 5 5', 'down-hit': 'M5 8l5 5 5-5', plus: 'M10 4v12M4 10h12', close: 'M5 5l10 10M15 5L5 15', send: 'M10 16V4M5 9l5-5 5 5',
  stop: 'M6 6h8v8H6z', next: 'M8 5l5 5-5 5', back: 'M12 5l-5 5 5 5', bin: 'M4 6h12M8 6V4h4v2M6 6l1 11h6l1-11', down: 'M10 4v12M5 11l5 5 5-5',
  pen: 'M4 16l1-4 8-8 3 3-8 8zM11 6l3 3', mic: 'M10 3a2.500 2.500 0 0 0-2.500 2.500v4a2.500 2.500 0 0 0 5 0v-4A2.500 2.500 0 0 0 10 3zM5 9v.500a5 5 0 0 0 10 0V9M10 14.500V17', bolt: 'M11 3L5 11h4.500L9 17l6-8h-4.500z', more: 'M5 10h.01M10 10h.01M15 10h.01', book: 'M4 4h5a2 2 0 0 1 2 2v11a2 2 0 0 0-2-2H4zM17 4h-4a2 2 0 0 0-2 2v11a2 2 0 0 1 2-2h4z',
  sound: 'M4 8v4h3l4 3V5L7 8zM14 7.500a3.500 3.500 0 0 1 0 5M16 5a7 7 0 0 1 0 10', gear: 'M4 6h7M15 6h1M4 14h1M9 14h7M11 4v4M7 12v4', pulse: 'M2 10h4l2-6 4 12 2-6h4', box: 'M10 3l7 3.5v7L10 17l-7-3.5v-7zM3 6.500l7 3.500 7-3.500M10 10v7',
  sealed: 'M10 3l6 2v5c0 4-3 6-6 7-3-1-6-3-6-7V5zM7.500 10l2 2 3.500-4', shield: 'M10 3l6 2v5c0 4-3 6-6 7-3-1-6-3-6-7V5z', search: 'M9 4a5 5 0 1 0 0 10A5 5 0 0 0 9 4zM13 13l4 4', clip: 'M7 4h8v10H7zM5 7v10h8', pin: 'M15.500 9.500l-5.700 5.700a3.500 3.500 0 0 1-5-5l6.400-6.400a2.300 2.300 0 0 1 3.300 3.300l-6.300 6.300a1.100 1.100 0 0 1-1.600-1.600l5.600-5.600',
};

/** svg('rect', { x, y }, children…): an element of a drawing. */
export function svg(what, attributes = {}, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', what);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children.flat());
  return element;
}

export const glyph = (name, extra = '') => svg('svg', { viewBox: '0 0 20 20', class: `glyph ${extra}`, 'aria-hidden': 'true' }, svg('path', { d: paths[name] }));

export function icon(name, label, onclick, props = {}) {
  return h('button.icon', { type: 'button', 'aria-label': label, title: label, onclick, ...props }, glyph(name));
}

/** Says something to a screen reader without moving anything. */
export function announce(text) {
  const line = document.createElement('span');
  line.textContent = text + ' ';
  $('announce').append(line);
  while ($('announce').childNodes.length > 20) $('announce').firstChild.remove();
}

export function size(bytes) {
  if (!(bytes >= 0)) return '–';
  for (const [unit, one] of [['GB', 1e9], ['MB', 1e6], ['kB', 1e3]]) {
    if (bytes >= one) return `${number(bytes / one, bytes / one < 10 ? 1 : 0)} ${unit}`;
  }
  return w.bytes(bytes);
}

export function time(ms) {
  if (ms === undefined || ms === null) return '–';
  return ms < 1000 ? `${number(Math.round(ms))} ms` : `${number(ms / 1000, 1)} s`;
}

export function save(name, type, text) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  h('a', { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

/** Light, dark, or as the system has it. */
export function theme(value) {
  if (value) document.documentElement.dataset.theme = value;
  else delete document.documentElement.dataset.theme;
}
