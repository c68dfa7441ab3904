/** One cell of a thumbnail: which one the pointer is on, what it is called, and what asks for it. Pure. */

/**
 * The cell under a point of a picture that fills its box, as it is drawn; null beside it, or where the mask hides it.
 * @param {{left: number, top: number, width: number, height: number}} box @param {number} x @param {number} y
 * @param {{rows: number, columns: number, causal?: boolean, rtl?: boolean}} map
 */
export function cellUnder(box, x, y, { rows, columns, causal = false, rtl = false }) {
  const q = Math.floor(((y - box.top) / box.height) * rows);
  const across = Math.floor(((x - box.left) / box.width) * columns);
  const k = rtl ? columns - 1 - across : across;
  return q >= 0 && q < rows && k >= 0 && k < columns && !(causal && k > q) ? { q, k } : null;
}

/** Where a cell stands in its picture, in per cents of it. */
export function cellBox({ q, k }, { rows, columns, rtl = false }) {
  const across = rtl ? columns - 1 - k : k;
  return { left: (100 * across) / columns, top: (100 * q) / rows, width: 100 / columns, height: 100 / rows };
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

/** What a key asks of the head in focus: to "pin" it, its "cell", to show it "only"; null where it means nothing. */
export function asksOf(key, { ctrl, shift }, cells) {
  if (key === "Enter" || key === " ") return cells && shift ? "cell" : "pin";
  return key.toLowerCase() === "s" && !ctrl ? "only" : null;
}
