// How one answer came about: its whole record in words.
import { h, time } from './dom.js';
import { number, w } from './words.js';
import { reason } from './reasons.js';
import { home } from './home.js';
import { inform } from './dialog.js';

/** The rest of an answer that looks whole without it; the program's own words for it. */
const rest = 'the rest of the answer';

export const named = (what) => w.limitNames[what] ?? String(what).replaceAll('_', ' ');
export const packName = (id) => home.packs.find((pack) => pack.id === id)?.name.replace(/ (Instruct|Chat)$/i, '') ?? id;
export const writer = (record) => (record.provider === 'local' && record.pack ? packName(record.pack) : w.providerNames[record.provider] ?? record.provider);

/** Why the answer ends before its end, if it does. */
export const ending = (record) => reason(record.dropped?.find((drop) => drop.what === rest)?.reason);

/** It was as long as answers may be, and had not begun to repeat itself. */
export const reachedLimit = (record) => record.dropped?.some((drop) => drop.what === rest && drop.reason.includes('is the most an answer may have'));

/** Words that rest on nothing a person gave: they look unchecked, because they are. */
export const isUnchecked = (record) => ['local', 'platform'].includes(record.provider) && !record.abstained && !record.retrieval_used && ['talk', undefined, null].includes(record.task) || Boolean(record.told);

/** What is said of such an answer before it. */
export const uncheckedWords = (record) => (record.told ? w.toldBy(record.told.join(', ')) : w.unchecked);

/** The passages of an answer, the same number everywhere: those that can be opened. */
export const passagesOf = (record) => record.citations?.length ?? 0;

export const limitLines = (record) => (record.limits ?? []).map((limit) => `${named(limit.what)}: ${reason(limit.value)} – ${reason(limit.reason)}`);
export const changeLines = (record) => (record.changes ?? []).map((change) => `${time(change.at_ms)}: ${named(change.what)} ${reason(change.from)} → ${reason(change.to)} – ${reason(change.reason)}`);
export const droppedLines = (record) => (record.dropped ?? []).map((drop) => `${reason(drop.what)} – ${reason(drop.reason)}`);

/** The quiet line under an answer. */
export function summary(record) {
  const timings = record.timings ?? {};
  return [w.modes[record.mode] ?? record.mode, writer(record), record.task !== 'documents' && w.kindsOfTurn[record.task], record.retrieval_used && w.passages(passagesOf(record)), record.finding === 'probably' && w.findings.probably,
    timings.first_token_ms != null && w.firstWord(time(timings.first_token_ms)), record.provider === 'local' && timings.tokens_per_s && w.speed(timings.tokens_per_s), record.stopped && w.stopped].filter(Boolean).join(' · ');
}

export function showRecord(record) {
  const timings = record.timings ?? {};
  const list = (lines) => lines.length > 0 && h('ul', {}, lines.map((line) => h('li', {}, line)));
  const facts = [
    [w.about.kind, w.kindsOfTurn[record.task]], [w.about.who, w.providerNames[record.provider] ?? record.provider], [w.about.pack, record.pack && packName(record.pack)], [w.mode, w.modes[record.mode]],
    [w.about.question, record.completed_question], [w.about.searched, record.searched?.join(' · ')],
    [w.about.evidence, record.retrieval_used ? [w.passages(passagesOf(record)), record.passages_consulted > passagesOf(record) && w.about.looked(record.passages_consulted)].filter(Boolean).join(', ') : w.about.noEvidence], [w.about.sections, record.sections_read], [w.about.finding, w.findings[record.finding]], [w.about.sure, record.confidence != null && `${Math.round(record.confidence * 100)} %`],
    [w.about.found, timings.first_evidence_ms != null && time(timings.first_evidence_ms)], [w.about.load, timings.load_ms != null && time(timings.load_ms)], [w.about.first, timings.first_token_ms != null && time(timings.first_token_ms)],
    [w.about.speed, record.provider === 'local' && timings.tokens_per_s && w.speed(timings.tokens_per_s)], [w.about.total, timings.total_ms && time(timings.total_ms)],
    [w.about.read, timings.prompt_tokens > 0 && w.about.tokens(timings.prompt_tokens, timings.reused_tokens)], [w.about.written, timings.generated_tokens > 0 && w.about.tokens(timings.generated_tokens)],
    [w.about.energy, timings.tokens_per_joule && number(timings.tokens_per_joule, 1)],
    [w.about.limits, list(limitLines(record)) || w.none], [w.about.changes, list(changeLines(record))], [w.about.left, list(droppedLines(record))],
  ];
  inform(w.about.title, h('dl.facts-list', {}, facts.filter(([, value]) => value).flatMap(([name, value]) => [h('dt', {}, name), h('dd', {}, value)])));
}
