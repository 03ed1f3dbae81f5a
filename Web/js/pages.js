// The pages of a document below each other: drawn as they come into view, made larger, turned, gone to.
import { h, fill, icon, announce } from './dom.js';
import { w } from './words.js';
import { trouble } from './dialog.js';
import { sheet } from './sheet.js';

/** Pages lie at most so wide at their usual size, in points of the screen for one of the page. */
const usual = 1.5;
const between = (least, value, most) => Math.min(most, Math.max(least, value));
const size = (one) => ({ width: one.width || 595, height: one.height || 842 });

export class Pages {
  #scroll;
  #leaves;
  #larger = 1;
  #angle = 0;
  #factor = 1;
  #due = null;
  #isLaid = false;
  #closed = false;
  #at = h('input.page-number', { type: 'text', inputMode: 'numeric', 'aria-label': w.pageNumber, value: '1', onchange: () => this.#turnTo(Number(this.#at.value)) });
  #size100 = h('output.small', {}, '100 %');
  #looking;

  constructor(scroll, outline, { id, title }) {
    const cited = outline.citation;
    this.#scroll = scroll;
    this.#leaves = outline.sheets.map((one) => {
      const view = sheet({ id, number: one.number, title, marks: one.number === cited?.page ? cited.boxes : [], drawn: () => this.#drawn(one.number) });
      return { ...size(one), view, number: one.number, isNear: false, due: null, element: h('div.leaf', { role: 'group', 'aria-label': w.pageLong(one.number) }, view.element) };
    });
    fill(scroll, this.#leaves.map((leaf) => leaf.element));
    this.#looking = new IntersectionObserver((entries) => this.#seen(entries), { root: scroll, rootMargin: '600px 200px' });
    addEventListener('resize', this.#resized);
    scroll.addEventListener('scroll', () => this.#tell(), { passive: true });
    scroll.addEventListener('wheel', (event) => { if (event.ctrlKey) { event.preventDefault(); this.zoom(event.deltaY < 0 ? 1.1 : 0.9); } }, { passive: false });
    pinch(scroll, (by) => this.zoom(by));
    this.tools = [h('label.row.tight', {}, this.#at, h('span.small.quiet', {}, w.ofPages(this.#leaves.length))), icon('minus', w.smaller, () => this.zoom(0.8)), this.#size100, icon('plus', w.larger, () => this.zoom(1.25)), icon('fit', w.fitWidth, () => this.zoom(0)), icon('turn', w.turn, () => this.turn(90))];
  }

  // What the viewer asks

  page() { return this.#place().leaf.number; }

  zoom(by) {
    this.#larger = by ? between(0.25, this.#larger * by, 6) : 1;
    if (Math.abs(this.#larger - 1) < 0.03) this.#larger = 1;
    this.#lay();
  }

  turn(by) {
    this.#angle = (this.#angle + by) % 360;
    this.#lay();
    announce(w.turned(this.#angle));
  }

  go(heading) { this.#turnTo(heading.page ?? 1); }

  begin(citation) {
    this.#lay();
    for (const leaf of this.#leaves) this.#looking.observe(leaf.element);
    if (citation?.page) this.#show(citation.page).then(() => announce(w.passageOnPage(citation.page)));
  }

  /** Hits by their page, and which of them is looked at. */
  find(all, now) {
    const hits = Map.groupBy(all.map((hit, index) => ({ ...hit, isNow: index === now })), (hit) => hit.sheet);
    this.#leaves.forEach((leaf, index) => leaf.view.find(hits.get(index) ?? []));
    const hit = all[now];
    if (hit) this.#show(this.#leaves[hit.sheet].number, hit.from, hit.to);
  }

  end() {
    this.#closed = true;
    this.#looking.disconnect();
    removeEventListener('resize', this.#resized);
    for (const leaf of this.#leaves) { clearTimeout(leaf.due); leaf.view.leave(); }
  }

  /** By its number: pages that could not be read are not among them. */
  #leaf(number) { return this.#leaves.find((leaf) => leaf.number === number); }

  // Drawing

  /** How many pixels of the picture for a point of the page; steps, so that little changes draw nothing anew. */
  #sharpness() { return between(0.5, Math.ceil(this.#factor * (devicePixelRatio || 1) * 2) / 2, 4); }

  #drawn(number) {
    const leaf = this.#leaf(number);
    // The real page says how large it is.
    if (leaf.view.page && Math.abs(leaf.view.page.width / leaf.view.page.height - leaf.width / leaf.height) > 0.01) {
      Object.assign(leaf, size(leaf.view.page));
      this.#lay();
    }
  }

  #draw(leaf) {
    clearTimeout(leaf.due);
    const { offsetTop, offsetHeight } = leaf.element;
    const away = Math.abs(offsetTop + offsetHeight / 2 - this.#scroll.scrollTop - this.#scroll.clientHeight / 2);
    // What only runs past is not drawn, and what is looked at comes first.
    leaf.due = setTimeout(async () => {
      try { await leaf.view.draw(this.#sharpness()); } catch (failure) {
        if (leaf.isNear && failure.name !== 'AbortError') fill(leaf.view.element, trouble(failure, () => this.#draw(leaf)));
      }
    }, 40 + Math.min(400, away / 4));
  }

  #seen(entries) {
    for (const entry of entries) {
      const leaf = this.#leaves.find((one) => one.element === entry.target);
      leaf.isNear = entry.isIntersecting;
      if (leaf.isNear) this.#draw(leaf);
      else { clearTimeout(leaf.due); leaf.view.leave(); }
    }
  }

  // Where the pages lie

  /** The page in sight and how far down it one is. */
  #place() {
    const line = this.#scroll.scrollTop + this.#scroll.clientHeight / 3;
    const index = this.#leaves.findLastIndex((leaf) => leaf.element.offsetTop <= line);
    const leaf = this.#leaves[Math.max(0, index)];
    return { leaf, share: (line - leaf.element.offsetTop) / Math.max(1, leaf.element.offsetHeight) };
  }

  #to(leaf, share) { this.#scroll.scrollTop = leaf.element.offsetTop + share * leaf.element.offsetHeight - this.#scroll.clientHeight / 3; }

  #lay() {
    const held = this.#isLaid ? this.#place() : null;
    const isSideways = this.#angle % 180 !== 0;
    const widest = Math.max(...this.#leaves.map((leaf) => (isSideways ? leaf.height : leaf.width)));
    this.#factor = Math.min(usual, Math.max(40, this.#scroll.clientWidth - 32) / widest) * this.#larger;
    this.#scroll.style.setProperty('--turn', `${this.#angle}deg`);
    for (const leaf of this.#leaves) {
      const [wide, high] = isSideways ? [leaf.height, leaf.width] : [leaf.width, leaf.height];
      leaf.element.style.width = `${wide * this.#factor}px`;
      leaf.element.style.height = `${high * this.#factor}px`;
      leaf.view.element.style.width = `${leaf.width * this.#factor}px`;
      leaf.view.element.style.height = `${leaf.height * this.#factor}px`;
    }
    this.#isLaid = true;
    if (held) this.#to(held.leaf, held.share);
    fill(this.#size100, w.percent(this.#larger));
    clearTimeout(this.#due);
    this.#due = setTimeout(() => { for (const leaf of this.#leaves) if (leaf.isNear) this.#draw(leaf); }, 200);
  }

  #resized = () => { if (this.#scroll.clientWidth) this.#lay(); };

  #turnTo(number) {
    const leaf = this.#leaves.find((one) => one.number >= (Math.round(number) || 1)) ?? this.#leaves.at(-1);
    this.#scroll.scrollTop = leaf.element.offsetTop - 8;
    this.#tell();
  }

  #tell() {
    if (document.activeElement !== this.#at) this.#at.value = this.page();
  }

  /** A place on a page comes into sight, once the page is there to say where it is. */
  async #show(number, from, to) {
    const leaf = this.#leaf(number);
    if (!leaf) return;
    leaf.isNear = true;
    if (!leaf.view.page) this.#to(leaf, 0.3);
    try { await leaf.view.draw(this.#sharpness()); } catch (failure) { if (failure.name !== 'AbortError') fill(leaf.view.element, trouble(failure)); return; }
    if (this.#closed) return;
    const spot = leaf.view.spot(from, to);
    // On a turned page its middle is near enough.
    this.#to(leaf, this.#angle ? 0.5 : spot.y);
    if (!this.#angle) this.#scroll.scrollLeft = spot.x * leaf.element.offsetWidth - 32;
  }
}

/** Two fingers make larger and smaller. */
function pinch(element, zoom) {
  const fingers = new Map();
  let apart = 0;
  const distance = () => { const [a, b] = [...fingers.values()]; return Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY); };
  const up = (event) => { fingers.delete(event.pointerId); apart = 0; };
  element.addEventListener('pointerdown', (event) => { if (event.pointerType === 'touch') fingers.set(event.pointerId, event); if (fingers.size === 2) apart = distance(); });
  element.addEventListener('pointermove', (event) => {
    if (!fingers.has(event.pointerId)) return;
    fingers.set(event.pointerId, event);
    if (fingers.size !== 2 || !apart) return;
    const now = distance();
    if (Math.abs(now / apart - 1) > 0.08) { zoom(now / apart); apart = now; }
  });
  for (const name of ['pointerup', 'pointercancel', 'pointerleave']) element.addEventListener(name, up);
}
