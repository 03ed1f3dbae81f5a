// Every text a person reads on the page stands in one table for each language (Web/words); this is the one in use: chosen in
// Settings, else the first of the browser's that there is. Numbers, dates and plurals are written as that language does.

export const languages = { en: 'English', de: 'Deutsch', fr: 'Français' };

/** As early.js has found it. */
export const language = document.documentElement.lang;

function isKnown(one) {
  // What is no language tag at all throws.
  try { return Intl.DateTimeFormat.supportedLocalesOf(one).length > 0; } catch { return false; }
}
/** As the browser has that language: the United Kingdom writes its times otherwise than the United States. */
export const locale = navigator.languages?.find((one) => one.toLowerCase().split('-')[0] === language && isKnown(one)) ?? language;

const rules = new Intl.PluralRules(language);
const formats = [0, 1, 2].map((digits) => new Intl.NumberFormat(locale, { maximumFractionDigits: digits, minimumFractionDigits: digits }));

/** A number as it is written here, with so many digits after the point. */
export const number = (value, digits = 0) => formats[digits].format(value);
/** Several names in a row, as one says them. */
const listed = (names) => new Intl.ListFormat(language).format(names);
/** `one` or `other`, as many ask for, with how many in place of #. */
export const many = (count, one, other) => (rules.select(count) === 'one' ? one : other).replace('#', number(count));

const moments = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
const days = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' });
export const when = (moment) => moments.format(new Date(moment));
export const day = (moment) => days.format(new Date(moment));

const table = await import(`/words/${language}.js`);
/** What the program says of errors and of reasons, in the words of the page; nothing where that is in English too. */
export const troubles = table.troubles ?? {};
export const reasons = table.reasons ?? {};
export const w = table.default({ listed, many, number });
