// What tool servers offer besides tools: "@name /" lists it. A text is read into the conversation or taken into the library, a prepared
// question is written into the composer; each after its card.
import { h, announce } from './dom.js';
import { can, call, one } from './api.js';
import { w } from './words.js';
import { trouble } from './dialog.js';
import { away, button, drop, redraw, utterance } from './command.js';

export const said = utterance;

/** What was listed lately, by server: asking starts the server. */
const lately = new Map();
const fresh = 30_000;

async function offersOf(name) {
  const known = lately.get(name);
  if (known && performance.now() - known.at < fresh) return known.offers;
  const { resources, prompts } = await one('tools', { name, starts: true });
  const offers = { resources: resources ?? [], prompts: prompts ?? [] };
  lately.set(name, { at: performance.now(), offers });
  return offers;
}

const addressed = (value) => /^@([a-z0-9][a-z0-9-]{0,31}) \/([^\n]*)$/.exec(value);

/** As templates: what stands behind "@name /", of which the words that follow are a part. */
export async function offered(value) {
  const [, name, words] = addressed(value) ?? [];
  if (!name || !can('tools')) return [];
  // Where they cannot be had the card says so.
  try {
    const { prompts, resources } = await offersOf(name);
    return [...prompts.map((prompt) => ({ name: prompt.title ?? prompt.name, text: `@${name} /${prompt.name}`, about: prompt.description ?? w.toolOffers.prompt })),
      ...resources.map((resource) => ({ name: resource.title ?? resource.name, text: `@${name} /${resource.uri}`, about: resource.description ?? w.toolOffers.resource }))]
      .filter((offer) => offer.text !== value && `${offer.name} ${offer.text}`.toLocaleLowerCase().includes(words.toLocaleLowerCase())).slice(0, 50);
  } catch { return []; }
}

/** Fills the card with what is meant of that; false where a tool is. */
export async function offer(card, text) {
  const [, server, what] = addressed(text) ?? [];
  if (!server) return false;
  const { prompts, resources } = await offersOf(server);
  const prompt = prompts.find((other) => other.name === what);
  const resource = resources.find((other) => other.uri === what);
  if (prompt) showPrompt(card, text, server, prompt);
  else if (resource) showResource(card, text, server, resource);
  return Boolean(prompt ?? resource);
}

const heading = (server, { title, name }, state) => h('p.command-words', {}, state && [h('span.command-state', {}, state), ' '], h('bdi', {}, `${server}: ${title ?? name}`));
const about = ({ description }) => description && h('p.small.quiet.bidi', {}, description.slice(0, 300));

function showResource(card, text, server, resource) {
  const { uri, title, name } = resource;
  const attempt = (work) => async () => {
    redraw(card, heading(server, resource), said(text), h('p.small.quiet', { role: 'status' }, w.toolWorks));
    try { await work(); } catch (failure) { redraw(card, heading(server, resource), said(text), trouble(failure), h('div.row', {}, away(card))); }
  };
  const read = attempt(async () => {
    const events = await call('tools-read', { server, uri, conversation: card.conversation });
    const { outcome } = events.find((event) => event.outcome);
    const id = events.find((event) => event.kept)?.kept;
    drop(card);
    if (id) card.kept({ id, question: text, record: { answer: outcome.text }, call: { ...outcome, server, tool: uri, title: title ?? name } });
  });
  const take = attempt(async () => {
    const events = await call('tools-import', { server, uri, confirmed: true });
    const failed = events.find((event) => event.event === 'failed');
    if (failed) throw { message: failed.reason, code: failed.code };
    redraw(card, heading(server, resource, w.done), said(text), h('p.small.quiet', { role: 'status' }, w.toolTaken), h('div.row', {}, away(card)));
  });
  redraw(card, heading(server, resource), said(text), about(resource), h('p.small.quiet', {}, w.toolStranger),
    h('div.row', {}, button('main-action', w.toolRead, read), can('tools-import') && button('bordered', w.toolTake, take), button('bordered', w.cancel, () => drop(card))));
  announce(`${server}: ${title ?? name}`);
}

function showPrompt(card, text, server, prompt) {
  const form = h('form.stack', {
    onsubmit: async (submit) => {
      submit.preventDefault();
      const values = Object.fromEntries(prompt.arguments.map(({ name }) => [name, form.elements[name].value]));
      try {
        const filled = await one('tools-prompt', { server, prompt: prompt.name, values });
        drop(card);
        card.compose(filled.text);
      } catch (failure) { card.append(trouble(failure)); }
    },
  }, prompt.arguments.map(({ name, description, required }) => h('div', {}, h('label.bidi', { htmlFor: `prompt-${name}` }, name), h('input.bidi', { type: 'text', id: `prompt-${name}`, name, required }), description && h('p.small.quiet.bidi', {}, description))),
  h('div.row', {}, h('button.main-action', { type: 'submit' }, w.toolFill), button('bordered', w.cancel, () => drop(card))));
  redraw(card, heading(server, prompt), said(text), about(prompt), form);
  announce(`${server}: ${prompt.title ?? prompt.name}`);
}
