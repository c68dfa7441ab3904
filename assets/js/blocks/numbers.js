/** How a number of the walk is written and coloured. Pure. */

import { parseColour, rampAt } from "./colour.js";

const DEEPEST = 0.6; // of the ramp: where the largest signed number ends, so that shares keep the darkest ink
const NEGATIVE = 0.9; // of the way to the grey of negative numbers

/** A signed number with a true minus and no minus before zero; a share as whole per cents; "" for what is not there. */
export function cellText(value, { shares, decimals }) {
  if (value === null) return "";
  if (shares) return `${Math.round(value * 100)}\u00a0%`;
  const digits = Math.abs(value).toFixed(decimals);
  return (value < 0 && Number(digits) > 0 ? "−" : "") + digits;
}

/**
 * The colour of a cell: shares and positive numbers in the ink of weights, negative ones towards warm grey.
 * @param {number} ink the number that has full colour @param {{ramp: number[][], background: string, negative: string}} colours
 */
export function cellColour(value, { shares }, ink, colours) {
  if (shares) return rampAt(colours.ramp, value);
  const depth = Math.min(1, Math.abs(value) / ink) * DEEPEST;
  if (value >= 0) return rampAt(colours.ramp, depth);
  return rampAt([parseColour(colours.background), parseColour(colours.negative)], depth * NEGATIVE);
}

/** A table's text alternative: its name, its size and what is framed in it. */
export function arrayLabel(array) {
  const title = array.title.map(([, text]) => text).join("");
  const framed = array.cell ? `; framed: ${cellText(array.values[array.cell[0]][array.cell[1]], array) || "masked"}` : "";
  return `${title}, ${array.values.length} rows of ${array.values[0]?.length ?? 0}${framed}${array.now ? "; this step" : ""}`;
}
