/** One cell of a thumbnail: which one a click with Shift would open, what it is called, and what keys ask for. */

import { cellUnder } from "../lib/map.js";

/**
 * The cell that is aimed at: known while Shift is down over it.
 * @param {(name: string, handler: (event: any) => void, node?: EventTarget) => void} listen
 * @param {object} grid of the heads @param {() => object | null} map of every head: rows, columns, causal; null where none opens
 * @param {() => void} changed called when another cell is aimed at, or none
 */
export function aiming(listen, grid, map, changed) {
  let mouse = null; // where it was last, and on what
  let aimed = null;
  let pressed = null; // where the button went down: what stands above may go with the click, and all moves

  /** The head and the cell at a place of the screen, or null. */
  function cellAt({ target, clientX, clientY }) {
    const [index, shape] = [grid.headAt(target), map()];
    const cell = shape && index >= 0 ? cellUnder(grid.boxOf(index), clientX, clientY, shape) : null;
    return cell && { index, cell };
  }

  function aim(shift) {
    const next = shift && mouse ? cellAt(mouse) : null;
    if (!next && !aimed) return;
    aimed = next;
    changed();
  }

  listen("pointermove", (event) => {
    if (event.pointerType !== "mouse") return;
    mouse = { target: event.target, clientX: event.clientX, clientY: event.clientY };
    aim(event.shiftKey);
  });
  listen("pointerdown", (event) => (pressed = event.pointerType === "mouse" ? cellAt(event) : null));
  listen("pointerleave", () => {
    mouse = null;
    aim(false);
  });
  for (const name of ["keydown", "keyup"])
    listen(name, (event) => event.key === "Shift" && aim(name === "keydown"), document);

  return {
    /** The head and the cell on which the mouse was pressed last, or null. */
    get pressed() {
      return pressed;
    },
    /** What is aimed at: the head's number and the cell; null where nothing is. */
    get at() {
      return aimed;
    },
    /** Forgets it: other heads are drawn. */
    forget() {
      [aimed, pressed] = [null, null];
    },
  };
}

/** What Shift and a click would open, as spans; of neighbours that share a cell, the first and the last. */
export function cellLine({ queries, keys, steps }, { q, k }) {
  const named = (labels, at, step) => {
    const [first, last] = [labels[at * step], labels[Math.min(at * step + step, labels.length) - 1]];
    return first === last
      ? [["word", first]]
      : [
          ["word", first],
          ["plain", " to "],
          ["word", last],
        ];
  };
  return [["plain", "Open row "], ...named(queries, q, steps[0]), ["plain", ", column "], ...named(keys, k, steps[1])];
}

/** What a key asks of the head in focus: to "pin" it, or its "cell"; null where it means nothing. */
export function asksOf(key, shift, cells) {
  if (key !== "Enter" && key !== " ") return null;
  return cells && shift ? "cell" : "pin";
}
