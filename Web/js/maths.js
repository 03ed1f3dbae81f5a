// Formulas as TeX writes them, shown as MathML by the browser itself: nothing is fetched for them. One that is not understood whole stays
// as it was written.
import { h } from './dom.js';

const space = 'http://www.w3.org/1998/Math/MathML';
const m = (name, attributes, ...children) => {
  const element = document.createElementNS(space, name);
  for (const [key, value] of Object.entries(attributes ?? {})) element.setAttribute(key, value);
  element.append(...children.flat());
  return element;
};
/** What stands in a table itself: formulas are strangers', and may name what every object has. */
const own = (table, name) => (Object.hasOwn(table, name) ? table[name] : undefined);
const row = (parts) => (parts.length === 1 ? parts[0] : m('mrow', {}, parts));

const greek = Object.fromEntries(('alpha α beta β gamma γ delta δ epsilon ϵ varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι kappa κ lambda λ mu μ nu ν xi ξ pi π rho ρ sigma σ tau τ upsilon υ phi ϕ varphi φ chi χ psi ψ omega ω '
  + 'Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Upsilon Υ Phi Φ Psi Ψ Omega Ω infty ∞ partial ∂ nabla ∇ emptyset ∅ varnothing ∅ hbar ℏ ell ℓ Re ℜ Im ℑ aleph ℵ prime ′ degree ° dots … ldots … cdots ⋯ vdots ⋮ ddots ⋱').split(' ').reduce((pairs, one, place, all) => (place % 2 ? pairs : [...pairs, [one, all[place + 1]]]), []));
const operators = Object.fromEntries(('cdot ⋅ times × div ÷ pm ± mp ∓ ast ∗ star ⋆ circ ∘ bullet ∙ oplus ⊕ otimes ⊗ cap ∩ cup ∪ wedge ∧ land ∧ vee ∨ lor ∨ setminus ∖ neg ¬ lnot ¬ '
  + 'le ≤ leq ≤ ge ≥ geq ≥ ne ≠ neq ≠ equiv ≡ approx ≈ sim ∼ simeq ≃ cong ≅ propto ∝ ll ≪ gg ≫ in ∈ notin ∉ ni ∋ subset ⊂ subseteq ⊆ supset ⊃ supseteq ⊇ mid ∣ parallel ∥ perp ⊥ '
  + 'to → rightarrow → leftarrow ← leftrightarrow ↔ Rightarrow ⇒ implies ⟹ Leftarrow ⇐ Leftrightarrow ⇔ iff ⟺ mapsto ↦ uparrow ↑ downarrow ↓ forall ∀ exists ∃ therefore ∴ because ∵ angle ∠ triangle △ colon : '
  + 'langle ⟨ rangle ⟩ lfloor ⌊ rfloor ⌋ lceil ⌈ rceil ⌉ lbrace { rbrace } vert | Vert ‖ lvert | rvert | lVert ‖ rVert ‖').split(' ').reduce((pairs, one, place, all) => (place % 2 ? pairs : [...pairs, [one, all[place + 1]]]), []));
const large = { sum: '∑', prod: '∏', coprod: '∐', int: '∫', iint: '∬', oint: '∮', bigcup: '⋃', bigcap: '⋂' };
const below = new Set(['lim', 'max', 'min', 'sup', 'inf', 'limsup', 'liminf', 'argmax', 'argmin']);
const functions = new Set([...below, ...'sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh log ln lg exp det dim ker deg gcd hom arg Pr mod'.split(' ')]);
const accents = { hat: '^', widehat: '^', bar: '¯', overline: '‾', vec: '→', dot: '˙', ddot: '¨', tilde: '~', widetilde: '~', overbrace: '⏞', underline: '_', underbrace: '⏟' };
const gaps = { ',': '.17em', ':': '.22em', ';': '.28em', '!': '0', ' ': '.28em', quad: '1em', qquad: '2em' };
const faces = { mathrm: 'normal', mathbf: 'bold', boldsymbol: 'bold', bm: 'bold', mathit: 'italic', mathbb: 'double-struck', mathcal: 'script', mathfrak: 'fraktur', mathsf: 'sans-serif', mathtt: 'monospace' };
const fences = { matrix: ['', ''], pmatrix: ['(', ')'], bmatrix: ['[', ']'], Bmatrix: ['{', '}'], vmatrix: ['|', '|'], Vmatrix: ['‖', '‖'], cases: ['{', ''], aligned: ['', ''], align: ['', ''], 'align*': ['', ''], array: ['', ''], gathered: ['', ''], split: ['', ''] };
const doubled = { R: 'ℝ', N: 'ℕ', Z: 'ℤ', Q: 'ℚ', C: 'ℂ', P: 'ℙ', H: 'ℍ' };

let rooted;
/** Whether there is a font here that has roots: without one browsers draw none, and the formula would be another. */
function hasRoots() {
  if (rooted === undefined) {
    const [bare, root] = [m('mn', {}, '1'), m('msqrt', {}, m('mn', {}, '1'))];
    const trial = m('math', { class: 'quiet-voice' }, bare, root);
    document.body.append(trial);
    rooted = root.getBoundingClientRect().width > bare.getBoundingClientRect().width + 2;
    trial.remove();
  }
  return rooted;
}

class NotUnderstood extends Error {}

/** Reads one formula; what it does not know ends it. */
class Reader {
  constructor(text, depth = 0) {
    this.depth = depth;
    this.tokens = text.match(/\\(?:[A-Za-z]+\*?|[^A-Za-z])|\d+(?:[.,]\d+)*|\s+|[^]/gu) ?? [];
    this.at = 0;
  }
  peek() {
    while (this.tokens[this.at]?.trim() === '' ) this.at += 1;
    return this.tokens[this.at];
  }
  next() {
    const token = this.peek();
    this.at += 1;
    return token;
  }
  expect(token) { if (this.next() !== token) throw new NotUnderstood(token); }

  /** The words between braces, as they stand. */
  words() {
    this.expect('{');
    let text = '';
    for (let depth = 1; ;) {
      const token = this.tokens[this.at];
      this.at += 1;
      if (token === undefined) throw new NotUnderstood('}');
      depth += token === '{' ? 1 : token === '}' ? -1 : 0;
      if (!depth) return text;
      text += token;
    }
  }
  group() {
    if (this.peek() !== '{') return this.atom();
    this.next();
    const inside = this.until('}');
    this.expect('}');
    return row(inside);
  }
  until(...ends) {
    const parts = [];
    while (this.peek() !== undefined && !ends.includes(this.peek())) parts.push(this.scripted());
    return parts;
  }
  /** One part with what stands above and below it. */
  scripted() {
    let base = this.atom();
    const places = {};
    while (['^', '_', '\'', '\\limits', '\\nolimits'].includes(this.peek())) {
      const sign = this.next();
      if (sign === '\'') places['^'] = places['^'] ? m('mrow', {}, places['^'], m('mo', {}, '′')) : m('mo', {}, '′');
      else if (sign === '^' || sign === '_') {
        if (places[sign]) throw new NotUnderstood(sign);
        places[sign] = this.group();
      }
    }
    const [up, down] = [places['^'], places._];
    if (!up && !down) return base;
    const stacks = base.dataset?.stacks !== undefined;
    const name = up && down ? (stacks ? 'munderover' : 'msubsup') : up ? (stacks ? 'mover' : 'msup') : stacks ? 'munder' : 'msub';
    return m(name, {}, [base, down, up].filter(Boolean));
  }
  atom() {
    // Who writes by hand needs less, and what draws a page is no match for thousands.
    if (this.depth > 40) throw new NotUnderstood('depth');
    this.depth += 1;
    const part = this.plainAtom();
    this.depth -= 1;
    return part;
  }
  plainAtom() {
    const token = this.next();
    if (token === undefined || ['}', '^', '_', '&', '\\\\', '\\right', '\\end'].includes(token)) throw new NotUnderstood(token);
    if (token === '{') { this.at -= 1; return this.group(); }
    if (/^\d/.test(token)) return m('mn', {}, token);
    if (/^\p{L}$/u.test(token)) return m('mi', {}, token);
    if (token[0] !== '\\') {
      if (token === '$' || token === '#' || token === '%') throw new NotUnderstood(token);
      return m('mo', '()[]|'.includes(token) ? { stretchy: 'false' } : {}, token === '-' ? '−' : token === '*' ? '∗' : token);
    }
    return this.command(token.slice(1));
  }
  command(name) {
    if (own(greek, name)) return m('mi', /^[A-Z]/.test(name) ? { mathvariant: 'normal' } : {}, greek[name]);
    if (own(operators, name)) return m('mo', {}, operators[name]);
    if (own(gaps, name)) return m('mspace', { width: gaps[name] });
    if ('{}%$#&_'.includes(name)) return m('mo', { stretchy: 'false' }, name);
    if (name === '|') return m('mo', {}, '‖');
    if (own(large, name)) return m('mo', { largeop: 'true', ...(name.endsWith('int') ? {} : { 'data-stacks': '' }) }, large[name]);
    if (functions.has(name)) return m('mi', below.has(name) ? { 'data-stacks': '' } : {}, name);
    if (['frac', 'dfrac', 'tfrac', 'cfrac'].includes(name)) return m('mfrac', {}, this.group(), this.group());
    if (['binom', 'dbinom', 'tbinom'].includes(name)) return m('mrow', {}, m('mo', {}, '('), m('mfrac', { linethickness: '0' }, this.group(), this.group()), m('mo', {}, ')'));
    if (name === 'sqrt') return this.root();
    if (['text', 'textrm', 'textbf', 'textit', 'mbox'].includes(name)) return m('mtext', {}, this.words().replace(/^ | $/g, '\u00a0'));
    if (name === 'operatorname') return m('mi', {}, this.words().trim());
    if (own(faces, name)) return this.faced(name);
    if (own(accents, name)) return m(name.startsWith('under') ? 'munder' : 'mover', { [name.startsWith('under') ? 'accentunder' : 'accent']: 'true' }, this.group(), m('mo', { stretchy: String(/^(wide|over|under)/.test(name)) }, accents[name]));
    if (name === 'left') return this.fenced();
    if (name === 'begin') return this.table();
    if (/^(big|Big|bigg|Bigg)[lrm]?$/.test(name)) return this.atom();
    if (['displaystyle', 'textstyle', 'nonumber', 'limits'].includes(name)) return m('mrow', {});
    throw new NotUnderstood(name);
  }
  root() {
    let degree = null;
    if (this.peek() === '[') {
      this.next();
      degree = row(this.until(']'));
      this.expect(']');
    }
    const inside = this.group();
    if (!hasRoots()) return m('mrow', {}, degree ? m('msup', {}, m('mrow'), degree) : [], m('mo', {}, '√'), m('mrow', { class: 'rooted' }, inside));
    return degree ? m('mroot', {}, inside, degree) : m('msqrt', {}, inside);
  }
  faced(name) {
    const words = this.words();
    if (name === 'mathbb' && own(doubled, words)) return m('mi', { mathvariant: 'normal' }, doubled[words]);
    if (!/^[\p{L}\d ,.-]*$/u.test(words)) return new Reader(words, this.depth).whole();
    return m('mi', { class: faces[name], mathvariant: 'normal' }, words);
  }
  delimiter() {
    const token = this.next() ?? '';
    const sign = token === '.' ? '' : token[0] === '\\' ? own(operators, token.slice(1)) ?? { '\\{': '{', '\\}': '}', '\\|': '‖' }[token] : token;
    if (sign === undefined) throw new NotUnderstood(token);
    return sign ? [m('mo', { stretchy: 'true' }, sign)] : [];
  }
  fenced() {
    const open = this.delimiter();
    const inside = this.until('\\right');
    this.expect('\\right');
    return m('mrow', {}, open, inside, this.delimiter());
  }
  table() {
    const name = this.words();
    const fence = own(fences, name);
    if (!fence) throw new NotUnderstood(name);
    if (name === 'array') this.words();
    const rows = [[]];
    for (;;) {
      rows.at(-1).push(m('mtd', {}, this.until('&', '\\\\', '\\end')));
      const token = this.next();
      if (token === '\\\\') { if (this.peek() !== '\\end') rows.push([]); else { this.next(); break; } } else if (token === '\\end') break;
      else if (token !== '&') throw new NotUnderstood(token);
    }
    if (this.words() !== name) throw new NotUnderstood(name);
    const kind = name === 'cases' ? 'left' : /^(align|split)/.test(name) ? 'sides' : '';
    const signs = fence.map((sign) => (sign ? [m('mo', { stretchy: 'true' }, sign)] : []));
    return m('mrow', {}, signs[0], m('mtable', kind ? { class: kind } : {}, rows.map((cells) => m('mtr', {}, cells))), signs[1]);
  }
  whole() {
    const parts = this.until();
    return row(parts);
  }
}

/** A formula as an element; in the words it was written in where it is not understood. */
export function formula({ tex, written, isBlock }) {
  try { return m('math', { display: isBlock ? 'block' : 'inline', alttext: tex }, new Reader(tex).whole()); } catch (failure) {
    if (!(failure instanceof NotUnderstood)) throw failure;
    return h('code', {}, written);
  }
}

// Looking for ends that never come takes the square of a text's length.
const longest = 20_000;
// What is code is left alone; a dollar before an amount begins no formula.
const found = /(`{3,}|~{3,})[^]*?(?:\1|$)|(`+)[^]*?\2|\$\$([^$]+?)\$\$|\\\[([^]+?)\\\]|\\\(([^]+?)\\\)|(?<![\\$\w])\$(?![\s$])([^$\n]*?[^\s$\\])\$(?![\d$])/g;
// Signs that Markdown leaves alone, and nobody writes beside each other.
const [open, close] = ['⟦∫', '⟧'];

/** Takes the formulas out of texts before they are read as Markdown, which would take them apart: the texts with a mark for each. */
export function lift(texts) {
  const known = new Map();
  const mark = (text) => text.replace(found, (written, fence, tick, ...kinds) => {
    const tex = kinds.slice(0, 4).find((one) => one !== undefined);
    if (tex === undefined) return written;
    if (!known.has(written)) known.set(written, { tex: tex.trim(), written, isBlock: kinds[0] !== undefined || kinds[1] !== undefined });
    return `${open}${[...known.keys()].indexOf(written)}${close}`;
  });
  return { texts: texts.map((text) => (text.length > longest ? text : mark(text))), formulas: () => [...known.values()] };
}

/** Puts the formulas where their marks stand. */
export function settle(element, formulas) {
  if (!formulas.length) return;
  const walk = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const marked = [];
  while (walk.nextNode()) if (walk.currentNode.data.includes(open)) marked.push(walk.currentNode);
  for (const node of marked) {
    node.replaceWith(...node.data.split(/(⟦∫\d+⟧)/).filter(Boolean).map((part) => {
      const place = /^⟦∫(\d+)⟧$/.exec(part)?.[1];
      return place !== undefined && formulas[place] ? formula(formulas[place]) : part;
    }));
  }
}
