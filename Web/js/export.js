// A conversation as Markdown to be read: what was asked and answered, citations as footnotes, other versions named. What is to be
// taken in again is saved as JSON.
import { everyTurn, fresh, path, restore } from './tree.js';
import { w } from './words.js';
import { toolLines } from './tools.js';

const line = (text) => String(text ?? '').replace(/\s+/g, ' ').trim();

/** The answer with a footnote behind each sentence that passages carry; `notes` collects them. */
function withNotes(record, notes) {
  const cited = new Map();
  const mark = (place) => {
    const citation = record.citations?.[place];
    if (!citation) return '';
    if (!cited.has(place)) {
      notes.push([line(citation.title || citation.document), citation.page && w.page(citation.page), w.quotes.join(line(citation.text))].filter(Boolean).join(', '));
      cited.set(place, notes.length);
    }
    return `[^${cited.get(place)}]`;
  };
  if (record.abstained) return `*${w.abstained}.*`;
  let text = record.answer ?? '';
  let from = 0;
  for (const sentence of record.sentences ?? []) {
    const at = text.indexOf(sentence.text.trim(), from);
    const marks = (sentence.support ?? []).map(mark).join('');
    if (at < 0) continue;
    const end = at + sentence.text.trim().length;
    text = text.slice(0, end) + marks + text.slice(end);
    from = end + marks.length;
  }
  return text;
}

function turn(node, notes, depth) {
  const { record } = node;
  if (node.call) return [`${'#'.repeat(depth)} ${line(node.question)}`, '', ...toolLines(node), ''];
  const who = record ? [w.modes[record.mode], w.providerNames[record.provider] ?? record.provider].filter(Boolean).join(', ') : '';
  return [`${'#'.repeat(depth)} ${line(node.question)}`, '', ...node.attachments.map((name) => `${w.attached}: ${line(name)}`), node.attachments.length ? '' : null,
    record ? withNotes(record, notes) : `*${w.unanswered}*`, '', who && `*${who}*`, ''].filter((one) => one !== null && one !== false);
}

/** The turns beside those that are shown, each with what it goes back to. */
const others = (root, shown) => everyTurn(root).filter((turn) => !shown.has(turn));

/** A stored conversation as text. */
export function readable(stored) {
  const talk = fresh(stored.id);
  restore(talk, stored);
  const shown = path(talk);
  const notes = [];
  const rest = others(talk.root, new Set(shown));
  const lines = [`# ${line(talk.title) || w.untitled}`, '', ...shown.flatMap((node) => turn(node, notes, 2))];
  if (rest.length) lines.push(`## ${w.otherVersions}`, '', ...rest.flatMap((node) => [...(node.parent.question ? [`${w.after}: ${line(node.parent.question)}`, ''] : []), ...turn(node, notes, 3)]));
  lines.push(...notes.map((note, place) => `[^${place + 1}]: ${note}`));
  return `${lines.join('\n').trimEnd()}\n`;
}
