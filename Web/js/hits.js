// A conversation that was found by its words is opened where they stand, and they are marked there.
import { announce } from './dom.js';
import { w } from './words.js';
import { everyTurn } from './tree.js';
import { sought } from './talks.js';

const plain = (text) => String(text ?? '').replace(/[‹›*_`#]/g, '').replace(/\s+/g, ' ').trim().toLowerCase();
const told = (turn) => `${turn.question} ${turn.record?.answer ?? ''}`;

/** The turn of a hit; what was found in a question is named by that and not by its answer. */
export function turnOf(root, { message, text }) {
  const all = everyTurn(root);
  const stretch = plain(text).split('…').sort((a, b) => b.length - a.length)[0].trim();
  return all.find((turn) => turn.id === message) ?? all.find((turn) => plain(told(turn)).includes(stretch));
}

/** Lets the branch be shown on which a turn lies. */
export function choose(turn) {
  for (let node = turn; node.parent; node = node.parent) node.parent.chosen = node.parent.children.indexOf(node);
}

/** The words that were found, each once. */
export const wordsOf = ({ text }) => [...new Set([...String(text ?? '').matchAll(/‹([^›]+)›/g)].map((match) => match[1].toLowerCase()))];

/** Marks words in an element without changing it, where the browser can. */
function mark(element, words) {
  if (!globalThis.Highlight || !words.length) return;
  const pattern = new RegExp(words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|'), 'giu');
  const ranges = [];
  const walk = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    for (const match of walk.currentNode.data.matchAll(pattern)) {
      const range = new Range();
      range.setStart(walk.currentNode, match.index);
      range.setEnd(walk.currentNode, match.index + match[0].length);
      ranges.push(range);
    }
  }
  CSS.highlights.set('found', new Highlight(...ranges));
}

/** Brings a turn of the branch that is shown into sight, with what was found marked. */
function show(screen, turn, hit) {
  const answer = turn.view.element;
  const question = answer.previousElementSibling;
  const words = wordsOf(hit);
  const draw = () => mark(screen.column, words);
  // Where the words of the answer are not laid out yet they are marked when they are.
  screen.column.addEventListener('grown', draw);
  draw();
  (question?.matches('.turn.you') ? question : answer).scrollIntoView({ block: 'start' });
  announce(`${w.foundHere}: ${words.join(', ')}`);
  // They are looked at once.
  addEventListener('hashchange', () => globalThis.CSS?.highlights?.delete('found'), { once: true });
}

/** Shows what was looked for in the conversation of `root`, on whatever branch it lies. */
export function reveal(screen, root, draw) {
  const { hit } = sought;
  sought.hit = null;
  const turn = hit && turnOf(root, hit);
  if (!turn || !screen.column.isConnected) return;
  choose(turn);
  screen.follows = false;
  draw();
  show(screen, turn, hit);
}
