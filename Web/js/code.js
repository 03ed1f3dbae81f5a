// Code as it is read: its language named, words of the language, strings, numbers and comments told apart, and a way to copy it.
import { h, fill } from './dom.js';
import { w } from './words.js';

// What is never closed goes to the end, or is looked for so far: from each of many beginnings to the end would take the square of the text.
const longest = 2000;
const remark = { hash: '#[^\\n]*', slashes: '//[^\\n]*|/\\*[^]*?(?:\\*/|$)', dashes: '--[^\\n]*', tags: '<!--[^]*?(?:-->|$)' };
const common = 'if else for while return break continue do in of as is not and or true false null nil none this self new class struct enum func function def fn let var const import export from package public private static try catch throw throws finally switch case default async await yield with match impl trait type interface extends implements using namespace template typename void int float double bool char string unsigned long short';
const words = {
  shell: 'if then else elif fi for while do done in case esac function return local export set echo cd exit source',
  sql: 'select from where and or not insert into values update set delete create table index view drop alter join left right inner outer on group by order having limit as distinct union null is in like between primary key references',
  python: `${common} elif lambda pass raise global nonlocal assert del except None True False`,
  swift: `${common} guard extension protocol init deinit mutating some any where package defer`,
};
const kinds = {
  // A block may be named after anything: nothing is found here that does not stand here.
  __proto__: null,
  sh: ['Shell', 'hash', words.shell], bash: ['Shell', 'hash', words.shell], shell: ['Shell', 'hash', words.shell], zsh: ['Shell', 'hash', words.shell], console: ['Shell', 'hash', words.shell],
  py: ['Python', 'hash', words.python], python: ['Python', 'hash', words.python], rb: ['Ruby', 'hash', `${common} end module begin rescue unless`], ruby: ['Ruby', 'hash', `${common} end module begin rescue unless`],
  yaml: ['YAML', 'hash', 'true false null'], yml: ['YAML', 'hash', 'true false null'], toml: ['TOML', 'hash', 'true false'], ini: ['INI', 'hash', ''], r: ['R', 'hash', common],
  js: ['JavaScript', 'slashes', `${common} delete typeof instanceof undefined`], javascript: ['JavaScript', 'slashes', `${common} delete typeof instanceof undefined`], ts: ['TypeScript', 'slashes', common], typescript: ['TypeScript', 'slashes', common], json: ['JSON', 'slashes', 'true false null'],
  c: ['C', 'slashes', common], cpp: ['C++', 'slashes', common], 'c++': ['C++', 'slashes', common], java: ['Java', 'slashes', common], kotlin: ['Kotlin', 'slashes', `${common} val fun when object`], go: ['Go', 'slashes', `${common} chan defer go map range select`], rust: ['Rust', 'slashes', `${common} mut pub use mod crate where loop`], rs: ['Rust', 'slashes', `${common} mut pub use mod crate where loop`], swift: ['Swift', 'slashes', words.swift], php: ['PHP', 'slashes', common], css: ['CSS', 'slashes', ''], cs: ['C#', 'slashes', common], csharp: ['C#', 'slashes', common],
  sql: ['SQL', 'dashes', words.sql], lua: ['Lua', 'dashes', `${common} end local then elseif repeat until`], hs: ['Haskell', 'dashes', common], haskell: ['Haskell', 'dashes', common],
  html: ['HTML', 'tags', ''], xml: ['XML', 'tags', ''],
};

/** A text in pieces: [kind, words], where kind is comment, string, number, word, or '' for what is none of them. */
export function pieces(text, language) {
  const [, remarks, list] = kinds[language?.toLowerCase()] ?? ['', null, ''];
  if (!remarks) return [['', text]];
  const known = new Set(list.split(' ').filter(Boolean));
  const pattern = new RegExp(`(?<comment>${remark[remarks]})|(?<string>"(?:\\\\.|[^"\\\\\\n]){0,${longest}}"|'(?:\\\\.|[^'\\\\\\n]){0,${longest}}'|\`(?:\\\\.|[^\`\\\\]){0,${longest}}\`)|(?<number>\\b\\d[\\w.]*)|(?<word>[A-Za-z_]\\w*)`, 'g');
  const found = [];
  let at = 0;
  const put = (kind, part) => {
    if (!part) return;
    if (found.length && found.at(-1)[0] === kind) found.at(-1)[1] += part;
    else found.push([kind, part]);
  };
  for (const match of text.matchAll(pattern)) {
    put('', text.slice(at, match.index));
    const kind = Object.keys(match.groups).find((name) => match.groups[name] !== undefined);
    const isKnown = kind !== 'word' || known.has(match[0]) || (remarks === 'dashes' && known.has(match[0].toLowerCase()));
    put(isKnown ? kind : '', match[0]);
    at = match.index + match[0].length;
  }
  put('', text.slice(at));
  return found;
}

/** Puts a block of code into its box. `isWhole`: nothing more will be written in it. */
export function codeBox(block, isWhole, copy) {
  const code = block.querySelector('code') ?? block;
  const language = /language-(\S+)/.exec(code.className)?.[1];
  const name = kinds[language?.toLowerCase()]?.[0] ?? language;
  // Long code is left as it is: colouring it would hold up the page.
  if (isWhole && !block.querySelector('[data-s]') && code.textContent.length < 50_000) fill(code, pieces(code.textContent, language).map(([kind, part]) => (kind ? h(`span.${kind}`, {}, part) : part)));
  const box = h('div.codebox');
  block.tabIndex = 0;
  block.setAttribute('role', 'group');
  block.setAttribute('aria-label', name ? w.codeIn(name) : w.code);
  block.replaceWith(box);
  box.append(h('div.row.line', {}, h('span.small.quiet.grow', { 'aria-hidden': 'true' }, name ?? ''), h('button', { type: 'button', onclick: () => copy(code.textContent) }, w.copy)), block);
}
