/** What the pictures of Change a word share: sizes of discs, colours of differences, numbers. Pure. */

import { luminance, parseColour, rampAt } from "../../lib/colour.js";

const SMALLEST = 1.4; // px of a disc, so that no head is missing
export const FULL_DIFFERENCE = 0.5; // share points in full colour
const FULL = 1.0;

/** The radius of a disc whose area is a change in bits; `top` fills a cell. */
export function discRadius(value, top, largest) {
  return Math.max(SMALLEST, largest * Math.sqrt(Math.max(0, value) / top));
}

/** How far a head lies beyond its floor: "named" more than twice, "beyond", "within"; "plain" where there is no floor. */
export function standing(change, floor) {
  if (floor === null || floor === undefined) return "plain";
  if (change > 2 * floor) return "named";
  return change > floor ? "beyond" : "within";
}

/** The two ramps of a difference: ink for more, grey for less, equally dark at equal size. */
export function differenceRamps(colours) {
  const dark = luminance(parseColour(colours.background)) < 0.2;
  return {
    more: colours.ramp.slice(0, dark ? 6 : 7),
    less: [parseColour(colours.background), parseColour(colours.negative)],
  };
}

export function differenceColour(value, { more, less }) {
  return rampAt(value >= 0 ? more : less, Math.min(FULL, Math.abs(value) / FULL_DIFFERENCE));
}

/** Whole points with a sign for what is more or less, nothing for what rounds to zero. */
export function pointsText(value, plus = false) {
  const whole = Math.round(Math.abs(value) * 100);
  if (!whole) return "";
  return `${value < 0 ? "\u2212" : plus ? "+" : ""}${whole}`;
}

export { inkOver as ink } from "../../lib/chart.js";
