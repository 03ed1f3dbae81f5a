// The program gives its reasons in English; where the page speaks another language they are told in that, sentence by sentence.
import { language, number, reasons as table } from './words.js';

const patterns = Object.entries(table).map(([english, own]) => [
  new RegExp(`^${english.split('{}').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('(.*?)')}$`), own]);

/** A reason of the program in the words of the page; as it was sent where these have none. */
export function reason(said) {
  const text = String(said ?? '');
  for (const [pattern, own] of patterns) {
    const found = text.match(pattern);
    if (!found) continue;
    let next = 0;
    // What fills a gap is often a reason itself.
    return own.replace(/\{\}/g, () => reason(found[(next += 1)]));
  }
  const names = text.split(', ');
  if (names.length > 1 && names.every((name) => name in table)) return names.map((name) => table[name]).join(', ');
  // A measure is written as the language writes numbers.
  return language === 'en' ? text : text.replace(/^(\d+)\.(\d)(?= [A-Za-z°]+$)/, (_, whole, part) => number(Number(`${whole}.${part}`), 1));
}
