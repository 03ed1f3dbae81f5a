// What the program says of errors is English; where the page speaks another language it says the most frequent ones in that, by
// their codes. What a table leaves out of the program's words (a name, a number) is still shown, below.
import { troubles as table } from './words.js';

/** An error as the program sent it, in the words of the page; `said` is what the program said where there is more in it. */
export function inOwnWords({ code, message, remedy }) {
  const own = Object.hasOwn(table, code ?? '') ? table[code] : null;
  if (!own) return { code, message, remedy };
  return { code, message: own[0], remedy: own[1] ?? null, said: /[\d“"/]/.test(message ?? '') ? message : undefined };
}
