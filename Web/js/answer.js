// One answer: it settles sentence by sentence, shows what carries each, and ends in one quiet line.
import { h, fill, rendered, icon, announce } from './dom.js';
import { render } from './api.js';
import { w } from './words.js';
import { reason } from './reasons.js';
import { show, shortScore } from './evidence.js';
import { inform, note, trouble, troubleNote } from './dialog.js';
import { packOffer } from './beginning.js';
import { home } from './home.js';
import { changeLines, droppedLines, ending, isUnchecked, limitLines, reachedLimit, showRecord, summary, uncheckedWords } from './record.js';
import { made } from './made.js';
import { codeBox } from './code.js';
import { previews } from './preview.js';
import { canSpeak, hush, isSpeaking, programVoice, read } from './speak.js';

/** `live` answers grow through `take(event)`; a stored one is given as its record at once, with the question it answers. `stop`,
    `quote`, `withoutDocuments` and `goOn` are what a person can do about it in its place. */
export function answer({ record, question, tools, live, stop, quote, withoutDocuments, goOn }) {
  const state = { text: '', sentences: [], citations: [], record: null, said: 0, drawn: '', due: null };
  const words = h('div.words');
  const thoughts = h('details.small.quiet', { hidden: true }, h('summary', {}, w.thoughts), h('p.thoughts.bidi', { dir: 'auto' }));
  const chips = h('div.chips', { role: 'group', 'aria-label': w.evidence });
  const facts = h('div.facts');
  const pace = h('p.small.quiet', { role: 'status' });
  pace.hidden = true;
  const lead = h('p.small.quiet');
  lead.hidden = true;
  // The first such answer of a conversation says it whole; those that follow bear a mark, which says it to whoever rests there.
  const unchecked = h('p.small.unchecked.bidi', { hidden: true });
  const mark = h('button.link.mark', { type: 'button', hidden: true, 'aria-expanded': 'false', onclick: () => mark.setAttribute('aria-expanded', String(unchecked.classList.toggle('open'))) }, w.notChecked);
  const making = live ? made({ stop, quote }) : null;
  const bar = h('div.tools');
  const element = h(`article.turn.answer${live ? '.written' : ''}`, { 'aria-label': w.answer }, h('div.who', {}, h('h2', {}, w.answer), mark), lead, unchecked, thoughts, words, chips, making?.element, pace, facts, bar);

  function understood(question) {
    if (!question) return;
    lead.hidden = false;
    fill(lead, w.deeds.named(w.understood, w.quotes.join(question)));
  }

  function chip(citation, place) {
    return previews(h('button', {
      type: 'button', 'aria-pressed': 'false', 'data-citation': citation.id, onclick: () => show(state.citations, place),
    }, h('span.no', {}, place + 1), h('span.ellipsis.bidi', {}, citation.title || citation.document),
      h('span', {}, [citation.page && w.page(citation.page), shortScore(citation.score)].filter(Boolean).join(' · '))), citation);
  }

  /** First what the sentences rest on; what was read besides stands behind a button. Where they rest on nothing, and while that is not
      known, all stand there. */
  function drawChips() {
    const used = new Set(state.sentences.flatMap((sentence) => sentence.support ?? []));
    const all = state.citations.map(chip);
    const besides = state.record && used.size ? all.filter((_, place) => !used.has(place)) : [];
    const more = besides.length > 0 && h('button.link', { type: 'button', 'aria-expanded': 'false', onclick: () => {
      more.replaceWith(...besides);
      besides[0].focus();
    } }, w.readBesides(besides.length));
    fill(chips, all.filter((one) => !besides.includes(one)), more);
  }

  /** Draws what there is, at most every 120 ms; the last drawing always is of everything. */
  function draw(final) {
    if (state.due && !final) return;
    clearTimeout(state.due);
    state.due = setTimeout(async () => {
      const text = state.text;
      const sentences = state.sentences.map((sentence) => sentence.text);
      try {
        // Fetched with the first answer that may have a formula.
        const maths = /\$|\\[([]/.test(text) ? await import('./maths.js') : null;
        const lifted = maths?.lift([text, ...sentences]);
        const [whole, ...parts] = lifted?.texts ?? [text, ...sentences];
        const html = await render(whole, parts);
        if (state.record && !final) return;
        rendered(words, html);
        maths?.settle(words, lifted.formulas());
        decorate(final);
      } catch { words.textContent = text; }
      state.due = null;
      if (!final) words.lastElementChild?.classList.add('caret');
      if (!final && text !== state.text) draw();
      element.dispatchEvent(new CustomEvent('grown', { bubbles: true }));
    }, final ? 0 : 120);
  }

  /** A number stays on the line of the word it stands behind, where that is no longer than words are. */
  function putBehind(piece, number) {
    const last = piece.lastChild;
    if (last?.className === 'joined') return last.append(number);
    const word = last?.nodeType === Node.TEXT_NODE ? last.data.match(/\S{1,30}\s*$/) : null;
    piece.append(h('span.joined', {}, word && !/\S/.test(last.data[word.index - 1] ?? '') ? last.splitText(word.index) : null, number));
  }

  function decorate(final) {
    const marksUnsupported = final && state.record?.retrieval_used && !state.record.abstained;
    state.sentences.forEach((sentence, index) => {
      const pieces = [...words.querySelectorAll(`[data-s="${index}"]`)];
      if (!pieces.length) return;
      if (sentence.answers) for (const piece of pieces) piece.classList.add('answers');
      if (marksUnsupported && !sentence.supported) {
        for (const piece of pieces) { piece.classList.add('unsupported'); piece.title = w.unsupported; }
        pieces.at(-1).append(h('span.quiet-voice', {}, ` (${w.unsupported})`));
      }
      for (const place of sentence.support ?? []) {
        if (state.citations[place]) putBehind(pieces.at(-1), previews(h('button.numeral', { type: 'button', 'aria-label': w.showPassage(place + 1), onclick: () => show(state.citations, place) }, place + 1), state.citations[place]));
      }
    });
    const short = state.record?.short;
    if (short) [...words.children].find((one) => one.textContent.trim() === short)?.classList.add('short');
    for (const block of words.querySelectorAll('pre')) codeBox(block, final, copy);
    // A wide table is moved by itself and not with the page.
    for (const table of words.querySelectorAll('table')) {
      const box = h('div.table', { tabIndex: 0, role: 'group', 'aria-label': w.table });
      table.replaceWith(box);
      box.append(table);
    }
    for (const box of words.querySelectorAll('input')) box.setAttribute('aria-label', box.checked ? w.boxDone : w.boxOpen);
  }

  async function copy(text) {
    try { await navigator.clipboard.writeText(text); note(w.copied); } catch { troubleNote(w.noClipboard); }
  }

  function abstain(record) {
    // What was missing, where the answer names it: "… says nothing of E30".
    const said = record.answer.split('\n')[0];
    fill(words, h('h3', {}, w.abstained), said.includes(': ') && h('p', {}, said), h('p', {}, w.deeds.named(w.lookedFor, w.quotes.join(record.completed_question))),
      record.citations.length > 0 && [h('h4', {}, w.nearest), h('div.passages', {}, record.citations.slice(0, 3).map((citation, place) => h('button', { type: 'button', onclick: () => show(state.citations, place) },
        h('span.small.quiet', {}, [citation.title, citation.page && w.page(citation.page)].filter(Boolean).join(' · ')), h('q.bidi', {}, citation.text))))],
      h('h4', {}, w.whatToTry), h('ul', {}, w.tries.map((line) => h('li', {}, line))),
      withoutDocuments && h('div.row', {}, h('button.bordered', { type: 'button', onclick: withoutDocuments }, w.withoutDocuments)));
    fill(chips);
  }

  // In words while it is written; the numbers stand under the answer.
  const adapted = (changes) => {
    const eases = (one) => (one.what === 'pause_ms' ? Number(one.to) < Number(one.from) : one.to === 'yes' || one.to === 'deep' || Number(one.to) > Number(one.from));
    const words = changes.map((one) => w.adaptations[one.what]?.[eases(one) ? 1 : 0]).filter(Boolean);
    return w.adapted([...new Set(words)].join(', '), reason(changes.at(-1).reason));
  };

  function reasons(summary, lines) {
    return h('button.link', { type: 'button', onclick: () => inform(summary, h('ul', {}, lines.map((line) => h('li', {}, line)))) }, summary);
  }

  /** Said once, when all of it is there. */
  function tell(record) {
    const words = record.abstained ? w.abstained : record.answer.replace(/[*_`#>|[\]]/g, ' ').replace(/\s+/g, ' ').trim();
    const cut = words.length > 600 ? `${words.slice(0, 600)} … ${w.goesOn}` : words;
    announce(`${w.answer}${isUnchecked(record) ? `, ${record.told ? uncheckedWords(record) : w.notChecked}` : ''}: ${cut}`);
  }

  function finish(record, isNew) {
    making?.end();
    if (isNew && !state.record) tell(record);
    unchecked.hidden = mark.hidden = !isUnchecked(record);
    fill(unchecked, uncheckedWords(record));
    previews(mark, { text: uncheckedWords(record) });
    element.classList.toggle('free', isUnchecked(record));
    element.classList.toggle('told', Boolean(record.told));
    element.classList.toggle('written', ['local', 'platform'].includes(record.provider));
    pace.hidden = true;
    Object.assign(state, { record, text: record.answer, sentences: record.sentences ?? [], citations: record.citations ?? [] });
    if (record.abstained) {
      clearTimeout(state.due);
      abstain(record);
      setTimeout(() => element.dispatchEvent(new CustomEvent('grown', { bubbles: true })));
    } else { draw(true); drawChips(); }
    if (question && record.completed_question && record.completed_question !== question) understood(record.completed_question);
    const short = ending(record);
    if (short) {
      pace.hidden = false;
      // What was written freely can be written on; what rests on documents would look for something else.
      fill(pace, w.endsHere(short), goOn && record.task === 'talk' && reachedLimit(record) && [' ', h('button.link', { type: 'button', onclick: goOn }, w.goOn)]);
    }
    // The name of its pack may not be known yet.
    const told = h('span', {}, summary(record));
    const named = () => {
      if (!home.packs.length) return;
      fill(told, summary(record));
      document.removeEventListener('home', named);
    };
    if (!home.packs.length) document.addEventListener('home', named);
    // Nothing is known of an answer that another program has exported but its words.
    fill(facts, record.provider ? h('button.link', { type: 'button', title: w.about.title, onclick: () => showRecord(record) }, told) : h('span', {}, w.fromElsewhere),
      record.limits?.length > 0 && reasons(w.limits(record.limits.length), limitLines(record)),
      record.changes?.length > 0 && reasons(w.changes(record.changes.length), changeLines(record)),
      record.dropped?.length > 0 && reasons(w.left(record.dropped.length), droppedLines(record)));
    // Who is told that a pack is missing can fetch it there.
    const offer = record.provider === 'templates' && !element.querySelector('.notice') && packOffer();
    if (offer) bar.before(offer);
    retool();
    // Whether this program has a voice is asked once, where the browser has none.
    if (!canSpeak()) programVoice().then(() => { if (canSpeak()) retool(); }, () => {});
  }

  /** The tools under the answer; they change when the turn gets a sibling. */
  function retool() {
    fill(bar, state.record && icon('clip', w.copy, () => copy(state.record.answer)), state.record && canSpeak() && aloud(state.record.answer), tools?.() ?? []);
  }

  /** Pressed again it is silent. */
  function aloud(text) {
    const button = icon('sound', w.readAloud, async () => {
      const isPressed = button.getAttribute('aria-pressed') === 'true';
      if (isSpeaking()) hush();
      if (isPressed) return;
      button.setAttribute('aria-pressed', 'true');
      await read(text);
      button.setAttribute('aria-pressed', 'false');
    }, { 'aria-pressed': 'false' });
    return button;
  }

  if (record) finish(record);

  return {
    element,
    state,
    retool,
    /** A question that was never answered. */
    unanswered() {
      fill(facts, h('span', {}, w.unanswered));
      retool();
    },
    take(event, speed) {
      making?.take(event, speed);
      if (event.completed) understood(event.completed);
      if (event.changes?.length) {
        pace.hidden = false;
        fill(pace, adapted(event.changes));
      }
      if (event.notice) { pace.hidden = false; fill(pace, reason(event.notice)); }
      if (event.thought) {
        thoughts.hidden = false;
        thoughts.lastElementChild.append(event.thought);
      }
      if (event.evidence) { state.citations = event.evidence; drawChips(); }
      if (event.piece !== undefined && event.piece !== null) { state.text += event.piece; draw(); }
      if (event.replaced !== undefined && event.replaced !== null) {
        Object.assign(state, { text: event.replaced, sentences: [] });
        draw();
      }
      if (event.sentence) state.sentences.push(event.sentence);
      if (event.done) finish(event.done, true);
    },
    /** Whether the program can be heard while it is made. */
    link(lost) { if (!state.record) making?.link(lost); },
    /** The run ended; without a record what was written stays, and why it ended is said. */
    ended(how, failure) {
      making?.end();
      if (state.record) return;
      clearTimeout(state.due);
      if (state.text) { draw(true); drawChips(); }
      if (how === 'cancelled') { fill(facts, h('span', {}, w.stopped)); announce(w.stopped); }
      if (failure) facts.before(trouble(failure));
      retool();
    },
  };
}
