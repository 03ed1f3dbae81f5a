// Templates of the person's own: "/" at the beginning of a question offers them, and choosing one writes its text. "@" offers the tool
// servers that were added, "@name /" what one has to be read or asked.
// In a text {selection} stands for what was last selected on the page, {document} for what is attached or looked at.
import { h, fill } from './dom.js';
import { settings } from './home.js';
import { can, call } from './api.js';
import { w } from './words.js';
import { offered } from './offers.js';

let selected = '';
document.addEventListener('selectionchange', () => {
  const selection = document.getSelection();
  const words = selection?.toString().trim();
  // What is selected while one writes is the question itself.
  if (words && !selection.anchorNode?.parentElement?.closest('form, input, textarea')) selected = words.slice(0, 8000);
});

/** `Name: text`, as a setting holds it. */
export function parts(line) {
  const at = line.indexOf(':');
  return { name: line.slice(0, at).trim(), text: line.slice(at + 1).trim() };
}

/** Those whose name begins with what stands behind the "/". */
export function matching(value, all) {
  if (!/^\/[^\n]{0,60}$/.test(value)) return [];
  const wanted = value.slice(1).toLocaleLowerCase();
  return all.map(parts).filter((one) => one.name.toLocaleLowerCase().startsWith(wanted));
}

/** The tool servers whose name begins with what stands behind the "@", as templates. */
async function servers(value) {
  const named = /^@([a-z0-9-]{0,32})$/.exec(value);
  if (!named || !can('tools')) return [];
  // Where they cannot be had the question says so when it is sent.
  try {
    const all = await call('tools');
    return all.filter((one) => one.name.startsWith(named[1])).map((one) => ({ name: `@${one.name}`, text: `@${one.name} `, about: one.address ?? one.program.split('/').at(-1) }));
  } catch { return []; }
}

/** The text with what stands for others put in; what is not known stays as it is, to be written over. */
export function filled(text, values) {
  return text.replace(/\{(selection|document)\}/g, (mark, name) => values[name] || mark);
}

/** Offers templates over a field. Returns the element; `take(event)` is true where a key was meant for it. */
export function templates(field, documentName) {
  let found = [];
  let chosen = 0;
  const list = h('div.offered', { id: 'templates', role: 'listbox', 'aria-label': w.templates, hidden: true });
  field.setAttribute('aria-controls', 'templates');

  function draw() {
    list.hidden = !found.length;
    fill(list, found.map((one, place) => h('button', { type: 'button', id: `template-${place}`, role: 'option', tabIndex: -1, 'aria-selected': String(place === chosen), onclick: () => put(one) },
      h('strong.bidi', {}, one.name), h('span.small.quiet.ellipsis.bidi', {}, one.about ?? one.text))));
    if (found.length) field.setAttribute('aria-activedescendant', `template-${chosen}`);
    else field.removeAttribute('aria-activedescendant');
    list.children[chosen]?.scrollIntoView({ block: 'nearest' });
  }

  function close() {
    found = [];
    draw();
  }

  function put(one) {
    close();
    field.value = filled(one.text, { selection: selected, document: documentName() });
    field.dispatchEvent(new Event('input', { bubbles: true }));
    field.focus();
    const open = /\{(selection|document)\}/.exec(field.value);
    if (open) field.setSelectionRange(open.index, open.index + open[0].length);
  }

  field.addEventListener('input', async () => {
    const { value } = field;
    found = matching(value, settings.templates ?? []);
    chosen = 0;
    draw();
    if (!value.startsWith('@')) return;
    const tools = [...await servers(value), ...await offered(value)];
    // Who types faster than this answers has gone on.
    if (field.value !== value) return;
    found = tools;
    draw();
  });

  return {
    element: list,
    take(event) {
      if (!found.length || event.isComposing) return false;
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step) { chosen = (chosen + step + found.length) % found.length; draw(); return true; }
      if (event.key === 'Escape') { close(); return true; }
      if (event.key === 'Enter' || event.key === 'Tab') { put(found[chosen]); return true; }
      return false;
    },
  };
}
