/** What clicks do in the file of Heads, which has no server: which heads are pinned, and what follows. Pure. */

import { headSentence } from "../heads/spec.js";

const MOST_PINS = 4;

/** The place of a head among all, layer by layer. */
const headIndex = (name, heads) => {
  const [layer, head] = name.match(/\d+/g).map(Number);
  return layer * heads + head;
};

/**
 * The state after an event of a component: a head is pinned or unpinned, the framed word changes.
 * @param {{pins: string[], lock: number | null, look: string}} state @param {string} name of the event
 * @param {{head?: string, position?: number | null, look?: string}} value its own
 */
export function after(state, name, { head, position = null, look = "at" } = {}) {
  const { pins } = state;
  if (name === "head") {
    const others = pins.filter((other) => other !== head);
    return { ...state, pins: pins.includes(head) ? others : [...pins, head].slice(-MOST_PINS) };
  }
  return name === "word" ? { ...state, lock: position, look } : state;
}

/** The head that gave way to another between two states, since no more can be pinned; null if none did. */
export function released({ pins }, next) {
  const most = pins.length === MOST_PINS && next.pins.length === MOST_PINS;
  return most && !next.pins.includes(pins[0]) ? pins[0] : null;
}

/**
 * The overview's header with the pins of a state, and the sentences of the first two. The finding and the note of the
 * file belong to its own pins.
 */
export function overviewHeader({ header }, { pins }, nothing) {
  if (JSON.stringify(pins) === JSON.stringify(header.pins)) return header;
  const sentences = pins.slice(0, 2).map((name) => headSentence(header, headIndex(name, header.heads)));
  return { ...header, pins, finding: sentences.length ? sentences : [nothing], note: [], chosen: false };
}

/** The large maps of the pinned heads out of those of all heads: header and arrays, which have a row a head. */
export function pinnedPart({ header, arrays }, { pins, lock, look = "at" }) {
  const names = header.heads.map(({ name }) => name);
  const rows = pins.map((head) => names.indexOf(head));
  const locked = lock === null ? null : Math.floor(lock / header.steps[look === "at" ? 1 : 0]);
  const isOwn = locked === header.lock && (locked === null || look === header.look); // the word of the sentences
  const heads = rows.map((row) => {
    const { free, ...entry } = header.heads[row];
    return { ...entry, caption: isOwn ? entry.caption : free };
  });
  const chosen = {};
  for (const [name, { data, shape }] of Object.entries(arrays)) {
    const length = data.length / shape[0];
    const cut = new data.constructor(length * rows.length);
    rows.forEach((row, at) => cut.set(data.subarray(row * length, (row + 1) * length), at * length));
    chosen[name] = { data: cut, shape: [rows.length, ...shape.slice(1)] };
  }
  const title = pins.length > 1 ? "Pinned heads" : "Pinned head";
  const about = isOwn ? header.about : header.free;
  return { header: { ...header, heads, title, about, lock: locked, look }, arrays: chosen };
}
