// Commands in the words of the page: the program sends what is to be done slot by slot, and its own words are English.
import { locale, number, w } from './words.js';
import { reason } from './reasons.js';

const day = { weekday: 'short', day: 'numeric', month: 'long', year: 'numeric' };
const days = new Intl.DateTimeFormat(locale, day);
const moments = new Intl.DateTimeFormat(locale, { ...day, hour: 'numeric', minute: '2-digit' });
const clock = new Intl.DateTimeFormat(locale, { hour: 'numeric', minute: '2-digit' });
const list = new Intl.ListFormat(locale, { type: 'conjunction' });
// A Monday, and the six days that follow it.
const weekdays = [0, 1, 2, 3, 4, 5, 6].map((place) => new Intl.DateTimeFormat(locale, { weekday: 'short' }).format(new Date(2024, 0, 1 + place)));
const codes = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];

const isDay = (local) => /^[^T]*$|T00:00(:00)?$/.test(local);
/** What has a date alone would be read as that of another zone. */
const wall = (local) => new Date(local.includes('T') ? local : `${local}T00:00`);

/** A time as it is written here; `start` and `end` are on the wall clock. What lasts whole days has no hours, unless it rings. */
export function span(start, end, rings = false) {
  const from = wall(start);
  const to = end ? wall(end) : null;
  if (!rings && isDay(start) && (!to || isDay(end))) {
    const last = to && new Date(to.getFullYear(), to.getMonth(), to.getDate() - 1);
    return last > from ? days.formatRange(from, last) : days.format(from);
  }
  return to > from ? moments.formatRange(from, to) : moments.format(from);
}

/** "1 h 30 min". */
export function lasting(seconds) {
  const parts = [[Math.floor(seconds / 3600), w.units.h], [Math.floor(seconds / 60) % 60, w.units.min], [seconds % 60, w.units.s]];
  return parts.filter(([count]) => count > 0).map(([count, unit]) => `${count} ${unit}`).join(' ') || `0 ${w.units.s}`;
}

/** A rule of a calendar (RFC 5545) in words; as it was written where these have none. */
export function repetition(rule) {
  const parts = Object.fromEntries(rule.toUpperCase().split(';').map((part) => part.split('=')));
  const { every, on, nth, monthDay, lastDay, times, until } = w.deeds.repeats;
  if (!every[parts.FREQ]) return rule;
  const words = [every[parts.FREQ](Math.max(1, Number(parts.INTERVAL) || 1))];
  const named = (parts.BYDAY?.split(',') ?? []).map((text) => {
    const name = weekdays[codes.indexOf(text.slice(-2))];
    const which = nth[text.slice(0, -2)];
    return which ? which(name) : name;
  }).filter(Boolean);
  // "On Monday and Wednesday", once each.
  if (parts.FREQ === 'WEEKLY' && !parts.INTERVAL && !parts.UNTIL && parts.COUNT === '2' && named.length === 2) return on(list.format(named));
  if (named.length) words.push(on(list.format(named)));
  const dates = parts.FREQ === 'MONTHLY' ? parts.BYMONTHDAY?.split(',') ?? [] : [];
  if (dates.length) words.push(list.format(dates.map((date) => (date === '-1' ? lastDay : monthDay(Number(date))))));
  const end = parts.UNTIL?.match(/^(\d{4})(\d\d)(\d\d)/);
  return [words.join(' '), parts.COUNT && times(number(Number(parts.COUNT))), end && until(days.format(new Date(end[1], end[2] - 1, end[3])))].filter(Boolean).join(', ');
}

const ringing = (alarm) => w.alarmKinds[alarm ?? 'alarm'];

/** What a card asks for or has done. `all`: every alarm or timer is meant, which only the frame tells. */
export function cardWords(card, all = false) {
  const { deeds } = w;
  const parts = [];
  const title = card.title ?? '…';
  switch (card.intent) {
    case 'create_event': case 'add_reminder': case 'create_note': parts.push(deeds.named(deeds[card.intent], title)); break;
    case 'set_alarm':
      parts.push(card.title ? deeds.named(ringing(card.alarm), card.title) : ringing(card.alarm));
      if (card.duration_s) parts.push(lasting(card.duration_s)); else if (!card.start) parts.push('…');
      break;
    case 'stop_alarm': {
      const act = (card.duration_min == null ? deeds.stop : deeds.later)[card.alarm ?? 'alarm'][all ? 1 : 0];
      parts.push(card.title ? deeds.named(act, card.title) : act);
      break;
    }
    // From whom stands in the program's words alone.
    case 'read_email': parts.push([deeds.read_email, deeds.from(card.words?.match(/^Read mail from (.*?)(?:, |$)/)?.[1])].filter(Boolean).join(' ')); break;
    case 'send_email':
      parts.push((card.draft ? deeds.draftTo : deeds.mailTo)(card.to?.length ? card.to.join(', ') : '…'));
      if (card.subject) parts.push(deeds.about(card.subject));
      if (card.body) parts.push(w.quotes.join(card.body));
      break;
    default: return card.words ?? '';
  }
  if (card.start) parts.push(span(card.start, card.end, card.intent === 'set_alarm'));
  if (!card.end && card.duration_min) parts.push(lasting(card.duration_min * 60));
  if (card.recurrence) parts.push(repetition(card.recurrence));
  return parts.join(', ');
}

/** The words of an answer to a command. */
export const eventWords = (event) => cardWords(event.card, isAll(event.frame));

function slotsOf(frame) {
  try { return JSON.parse(frame).slots ?? {}; } catch { return null; }
}
const isAll = (frame) => Boolean(frame && slotsOf(frame)?.all);

/** What rang, as the program calls it: "Timer, 1:15 PM". */
const rang = (name) => name.replace(/^(Alarm|Timer)\b/, (kind) => ringing(kind.toLowerCase()))
  .replace(/, (\d+):(\d\d)(?:\s(AM|PM))?$/, (_, hour, minute, half) => `, ${clock.format(new Date(2024, 0, 1, (Number(hour) % (half ? 12 : 24)) + (half === 'PM' ? 12 : 0), Number(minute)))}`);

/** What was done, as it is remembered. */
export function actionWords(action) {
  const slots = action.frame && slotsOf(action.frame);
  // What was stopped or put off is named by what rang, and what was read by what came of it.
  const settled = action.summary.match(/^(?:Stopped|Put off by (\d+) min): (.*)$/);
  if (settled) return w.deeds.named(settled[1] ? w.deeds.laterBy(settled[1]) : w.deeds.stopped, settled[2].split('; ').map(rang).join('; '));
  if (!slots || action.intent === 'read_email') return reason(action.summary);
  // When it was entered stands behind the summary: "tomorrow morning" has become nine o'clock.
  const entered = action.summary.match(/, (\d{4}-\d\d-\d\d)(?: (\d\d:\d\d))?$/);
  const start = entered && `${entered[1]}T${entered[2] ?? '00:00'}`;
  const [from, end] = (slots.datetime_range ?? '').split('/');
  return cardWords({
    ...slots, intent: action.intent, words: action.summary, start, end: action.intent === 'create_event' && start === from.slice(0, 16) ? end : undefined,
    recurrence: action.recurrence, to: slots.email_to, subject: slots.email_subject, body: slots.email_body, draft: action.file?.includes('/.Drafts/'),
  });
}

/** A moment of the agenda. */
export const agendaTime = (item) => (item.start ? span(item.start) : '');
