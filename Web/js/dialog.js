// Dialogs, quiet notes, and errors in the one form they have: what happened, what is safe, what to do.
import { h, $ } from './dom.js';
import { w } from './words.js';
import { tellMore } from './more.js';

/** Focus goes back to where it was, or to the composer where that is gone. */
function backTo(before) {
  const there = before?.isConnected && before !== document.body ? before : $('question') ?? $('main');
  there.focus();
}

/** Opens a dialog; resolves with what `close` was called with. Focus returns where it was. */
export function dialog(title, build, props = {}) {
  const before = document.activeElement;
  return new Promise((resolve) => {
    let result;
    const close = (value) => { result = value; box.close(); };
    const heading = h('h2', { id: 'dialog-title' }, title);
    const box = h('dialog', { 'aria-labelledby': 'dialog-title', ...props }, h('div.stack', {}, heading, build(close)));
    box.addEventListener('close', () => { box.remove(); backTo(before); resolve(result); });
    box.addEventListener('click', (event) => { if (event.target === box) close(); });
    document.body.append(box);
    box.showModal();
    // The first button takes the focus, and a long text would begin at its end.
    box.scrollTop = 0;
  });
}

/** A destructive step: says what goes, and takes a second, deliberate gesture. */
export function confirmLoss(title, what, action) {
  return dialog(title, (close) => {
    const go = h('button.danger', { type: 'button', disabled: true, onclick: () => close(true) }, action);
    const sure = h('input', { type: 'checkbox', id: 'sure', onchange: () => { go.disabled = !sure.checked; } });
    return [typeof what === 'string' ? h('p', {}, what) : what, h('label.sure', { htmlFor: 'sure' }, sure, w.sure),
      h('div.ends', {}, h('button.bordered', { type: 'button', onclick: () => close(false) }, w.cancel), go)];
  });
}

/** `known`: what is offered to choose from. */
export function askText(title, value, known = []) {
  return dialog(title, (close) => {
    const field = h('input', { type: 'text', value, 'aria-label': title, list: known.length ? 'known-texts' : null });
    setTimeout(() => { field.focus(); field.select(); });
    return h('form', { onsubmit: (event) => { event.preventDefault(); close(field.value.trim()); } }, field, known.length > 0 && h('datalist', { id: 'known-texts' }, known.map((one) => h('option', { value: one }))),
      h('div.ends', {}, h('button.bordered', { type: 'button', onclick: () => close() }, w.cancel), h('button.main-action', { type: 'submit' }, w.save)));
  });
}

export function inform(title, ...lines) {
  return dialog(title, (close) => [...lines, h('div.ends', {}, h('button.main-action', { type: 'button', onclick: () => close() }, w.close))]);
}

/** How high the notes are, and the composer below them (0 where there is none): what is read makes way for both. */
export function watchHeights() {
  const set = (name) => ([{ target }]) => document.documentElement.style.setProperty(name, `${target.isConnected && target.offsetHeight ? target.offsetHeight + (name === '--toasts' ? 8 : 0) : 0}px`);
  new ResizeObserver(set('--toasts')).observe($('toasts'));
  const composers = new ResizeObserver(set('--composer'));
  let seen = null;
  new MutationObserver(() => {
    const now = document.querySelector('.composer');
    if (now === seen) return;
    composers.disconnect();
    seen = now;
    if (now) composers.observe(now);
    else document.documentElement.style.setProperty('--composer', '0px');
  }).observe($('main'), { childList: true });
}

export function note(text) {
  const card = h('div.card', {}, h('p', {}, text));
  $('toasts').append(card);
  setTimeout(() => card.remove(), 5000);
}

export function trouble(failure, again) {
  const remedy = w.remedies[failure.code] ?? failure.remedy;
  const card = h('div.card.trouble', { role: 'alert' }, h('p', {}, failure.message), remedy && h('p.quiet', {}, remedy),
    failure.said && h('p.small.quiet', { lang: 'en', dir: 'ltr' }, failure.said),
    again && h('div.row', {}, h('button.bordered', { type: 'button', onclick: again }, w.tryAgain)));
  tellMore(card, failure);
  return card;
}

export function troubleNote(failure) {
  const card = trouble(failure);
  // Said again, it stands there once.
  for (const old of $('toasts').children) if (old.dataset.code === failure.code) old.remove();
  card.dataset.code = failure.code;
  card.append(h('div.row', {}, h('button.bordered', { type: 'button', onclick: () => card.remove() }, w.close)));
  $('toasts').append(card);
}
