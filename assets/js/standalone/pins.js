/** What acts of `mha/link/acts.py` do, for a page without a server: which heads are pinned or off, what follows. Pure. */

const MOST_PINS = 4;

/**
 * The state after an event of a component: a head is pinned or released, a word is locked.
 * @param {{pins: string[], lock: number | null, look: string}} state @param {string} name of the event
 * @param {{head?: string, position?: number | null}} value its own
 */
export function after(state, name, { head, position = null } = {}) {
  const { pins } = state;
  if (name === "picked" || name === "unpin") {
    return {
      ...state,
      pins: pins.includes(head) ? pins.filter((other) => other !== head) : [...pins, head].slice(-MOST_PINS),
    };
  }
  if (name === "asked") return { ...state, look: position === null ? "from" : state.look };
  if (name === "lock" || name === "row") return { ...state, lock: position, look: name === "row" ? "from" : "at" };
  return state;
}

/** The head that gave way to another between two states, since no more can be pinned; null if none did. */
export function released({ pins }, next) {
  const most = pins.length === MOST_PINS && next.pins.length === MOST_PINS;
  return most && !next.pins.includes(pins[0]) ? pins[0] : null;
}

/**
 * The overview's header for a state: its own, with these pins and the sentences of the first two; its word stays. What is
 * said of the pins that the file came with is said of these alone.
 */
export function overviewHeader({ header }, { pins, look }, sentences, nothing) {
  const finding = pins.length ? pins.slice(0, 2).map((head) => sentences[head]) : [nothing];
  const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
  const asked = look === "ask" ? header.asked : null;
  const told = same(pins, header.pins) ? {} : { finding, note: [], chosen: false };
  return { ...header, pins, asked, look: asked || header.look !== "ask" ? header.look : "from", ...told };
}

/** The pinned heads' header and arrays out of those of all heads: what has a row a head keeps the rows of the pins. */
export function pinnedPart({ header, arrays }, { pins, lock, look = "at" }) {
  const names = header.heads.map(({ name }) => name);
  const rows = pins.map((head) => names.indexOf(head));
  const locked = lock === null ? null : Math.floor(lock / header.steps[look === "at" ? 1 : 0]);
  const own = locked === header.lock && (look === "at") === (header.look === "at"); // the word that all is told of
  const heads = rows.map((row) => {
    const { free, ...entry } = header.heads[row];
    return { ...entry, caption: own ? entry.caption : free };
  });
  const chosen = {};
  for (const [name, { data, shape }] of Object.entries(arrays)) {
    const length = data.length / shape[0];
    const cut = new data.constructor(length * rows.length);
    rows.forEach((row, at) => cut.set(data.subarray(row * length, (row + 1) * length), at * length));
    chosen[name] = { data: cut, shape: [rows.length, ...shape.slice(1)] };
  }
  const title = pins.length > 1 ? "Pinned heads" : "Pinned head";
  const about = own ? header.about : header.free;
  return { header: { ...header, heads, title, about, lock: locked, look }, arrays: chosen };
}
