// A conversation as the page knows it: a tree of turns, of which one branch is shown.

export function fresh(id = crypto.randomUUID()) { return { id, title: '', root: { children: [], chosen: 0 } }; }

/** The turns of the branch that is shown. */
export function path(talk) {
  const turns = [];
  for (let node = talk.root.children[talk.root.chosen]; node; node = node.children[node.chosen]) turns.push(node);
  return turns;
}

/** Every turn below one, before those that follow it. A conversation may be thousands of turns deep. */
export function everyTurn(node) {
  const turns = [];
  const waiting = [...node.children].reverse();
  while (waiting.length) {
    const turn = waiting.pop();
    turns.push(turn);
    for (let place = turn.children.length - 1; place >= 0; place -= 1) waiting.push(turn.children[place]);
  }
  return turns;
}

/** A turn beside those that follow `parent` already; it is the one that is shown. */
export function grow(parent, question, attachments = []) {
  const node = { question, attachments, children: [], chosen: 0, parent };
  parent.children.push(node);
  parent.chosen = parent.children.length - 1;
  return node;
}

/** A stored conversation: turns that name the one they follow; the branch that was shown is shown again. */
export function restore(into, stored) {
  into.title = stored.title;
  into.attached = stored.attached ?? [];
  const known = new Map();
  for (const turn of stored.turns ?? []) {
    const parent = known.get(turn.parent) ?? into.root;
    const node = { id: turn.id, created: turn.created, question: turn.question, attachments: turn.attachments ?? [], record: turn.record ?? (turn.answer ? { answer: turn.answer } : undefined), call: turn.call, children: [], chosen: 0, parent };
    known.set(turn.id, node);
    parent.children.push(node);
    if (turn.shown) parent.chosen = parent.children.length - 1;
  }
}
