// One page of a document as it is seen: its picture, its words over it so that they can be selected, and what is marked on it.
import { h, svg, fill } from './dom.js';
import { one } from './api.js';
import { w } from './words.js';

/** For each UTF-8 byte of a text the place of its letter in the string. */
export function letterPlaces(text) {
  const places = [];
  let at = 0;
  for (const letter of text) {
    const code = letter.codePointAt(0);
    for (let bytes = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4; bytes > 0; bytes -= 1) places.push(at);
    at += letter.length;
  }
  places.push(at);
  return (byte) => places[Math.max(0, Math.min(byte, places.length - 1))];
}

/** Words as `documents-page` tells them, with letters for bytes. */
export function wordsOf(page) {
  const place = letterPlaces(page.text);
  return page.words.map(([from, to, x0, y0, x1, y1]) => ({ from: place(from), to: place(to), x0, y0, x1, y1 }));
}

/** Words that stand in one line, in their order. */
export function lines(words) {
  const found = [];
  for (const word of words) {
    const line = found.at(-1);
    const last = line?.at(-1);
    if (last && Math.abs(last.y1 - word.y1) < 1 && word.x0 >= last.x1 - 1) line.push(word);
    else found.push([word]);
  }
  return found;
}

/** One box for each line of a stretch of letters; a word that is covered in part is cut in proportion. */
export function boxesOf(words, from, to) {
  const boxes = [];
  for (const word of words) {
    if (word.to <= from || word.from >= to) continue;
    const each = (word.x1 - word.x0) / Math.max(1, word.to - word.from);
    const [x0, x1] = [word.x0 + each * Math.max(0, from - word.from), word.x1 - each * Math.max(0, word.to - to)];
    const last = boxes.at(-1);
    if (last && Math.abs(last[3] - word.y1) < 1 && x0 >= last[2] - 1) [last[1], last[2], last[3]] = [Math.min(last[1], word.y0), x1, Math.max(last[3], word.y1)];
    else boxes.push([x0, word.y0, x1, word.y1]);
  }
  return boxes;
}

function lettersOver(page, words) {
  return lines(words).map((line) => {
    const height = line[0].y1 - line[0].y0;
    return svg('text', { y: line[0].y0 + height * 0.8, 'font-size': height }, line.map((word, place) => {
      const next = line[place + 1];
      // Up to the next word, so that what is selected has no holes.
      const wide = Math.max(0.5, (next?.x0 ?? word.x1) - word.x0);
      return svg('tspan', { x: word.x0, textLength: wide, lengthAdjust: 'spacingAndGlyphs' }, page.text.slice(word.from, word.to) + (next ? ' ' : ''));
    }), '\n');
  });
}

const rects = (boxes, kind) => boxes.map(([x0, y0, x1, y1]) => svg('rect', { class: kind, x: x0 - 1, y: y0 - 1, width: x1 - x0 + 2, height: y1 - y0 + 2 }));

/**
 * Page `number` of the document `id`, named `title` to who does not see it. `marks` are boxes in points that stay marked;
 * `drawn` is called when picture and words are there.
 */
export function sheet({ id, number, title, marks = [], drawn }) {
  const marked = svg('svg', { class: 'marks', 'aria-hidden': 'true' });
  const letters = svg('svg', { class: 'letters' });
  const element = h('div.sheet', { dir: 'ltr' });
  let [page, words, shown, wanted, stop, address, picture] = [null, [], 0, 0, null, null, null];
  let found = [];

  function mark() {
    if (!page) return;
    marked.replaceChildren(...rects(marks, 'passage'), ...found.flatMap(({ from, to, isNow }) => rects(boxesOf(words, from, to), isNow ? 'hit now' : 'hit')));
  }

  function show(next) {
    if (!page) {
      page = next;
      words = wordsOf(page);
      for (const layer of [marked, letters]) layer.setAttribute('viewBox', `0 0 ${page.width} ${page.height}`);
      letters.replaceChildren(...lettersOver(page, words));
    }
    const bytes = Uint8Array.from(atob(next.picture), (letter) => letter.charCodeAt(0));
    const before = address;
    address = URL.createObjectURL(new Blob([bytes], { type: 'image/png' }));
    picture = h('img', { src: address, alt: w.pageImage(title, number), draggable: false, onload: () => { if (before) URL.revokeObjectURL(before); drawn?.(page); } });
    fill(element, picture, marked, letters);
    mark();
  }

  return {
    element,
    number,
    get page() { return page; },
    /** Draws it at so many pixels for a point, unless it is drawn so already. */
    async draw(scale) {
      if (wanted === scale || shown === scale) return;
      stop?.abort();
      wanted = scale;
      const mine = stop = new AbortController();
      try {
        const next = await one('documents-page', { id, page: number, scale }, mine.signal);
        if (mine.signal.aborted) return;
        if (!next.picture) throw new Error('no picture');
        shown = scale;
        show(next);
      } finally { if (stop === mine) [wanted, stop] = [0, null]; }
    },
    /** What is found on it: letters from and to, and whether it is the one that is looked at. */
    find(hits) { found = hits; mark(); },
    /** Where a stretch of letters begins, or what is marked, as shares of the page's width and height. */
    spot(from, to) {
      const boxes = page ? (from === undefined ? marks : boxesOf(words, from, to)) : [];
      if (!boxes.length) return { x: 0, y: 0 };
      return { x: Math.min(...boxes.map((box) => box[0])) / page.width, y: Math.min(...boxes.map((box) => box[1])) / page.height };
    },
    /** Far out of sight it keeps nothing. */
    leave() {
      stop?.abort();
      if (address) URL.revokeObjectURL(address);
      [page, words, shown, wanted, stop, address, picture] = [null, [], 0, 0, null, null, null];
      fill(element);
    },
  };
}
