/** What charts share: scales, ticks, lines and the numbers along an axis. */

import { svg } from "./spans.js";
import { label, signedNumber } from "../blocks/draw.js";

/** A linear scale from values to px, as a function that knows its ends. */
export function scale(x0, x1, low, high) {
  return Object.assign((value) => x0 + ((value - low) / (high - low)) * (x1 - x0), { low, high, x0, x1 });
}

/** Tick values from low to high, in steps of one unit, zero among them. */
export function ticks(low, high, step) {
  const found = [];
  for (let i = Math.ceil(low / step - 1e-9); i <= high / step + 1e-9; i++) found.push(Math.round(i * step * 1e6) / 1e6);
  return found;
}

/** A pleasant step for an axis of this reach: 1, 2 or 5 times a power of ten, about `count` of them. */
export function tickStep(reach, count = 4) {
  const power = 10 ** Math.floor(Math.log10(Math.max(reach, 1e-9) / count));
  return [1, 2, 5, 10].map((k) => k * power).find((step) => reach / step <= count) ?? 10 * power;
}

/** How a signed tick is written; zero has no sign. */
export function signed(digits) {
  return (value) => (value ? signedNumber(value, digits) : "0");
}

export function level(y, x1, x2, stroke, more = {}) {
  return svg("line", { x1, x2, y1: y, y2: y, stroke, ...more });
}

export function upright(x, y1, y2, stroke, more = {}) {
  return svg("line", { x1: x, x2: x, y1, y2, stroke, ...more });
}

/** The numbers under an axis; `values` are ticks, `y` their baseline. */
export function numbersBelow(X, y, values, text, more = {}) {
  return values.map((value) => label(X(value), y, text(value), { "font-size": 12.5, "text-anchor": "middle", class: "muted-ink", ...more }));
}

/** The numbers left of an axis, and where a colour is given for one a line across from there to the right. */
export function numbersLeft(Y, x, values, text, across = null) {
  return values.flatMap((value) => [
    ...(across ? [level(Y(value), x, across.to, value ? across.faint : across.zero)] : []),
    label(x - 8, Y(value) + 4, text(value), { "font-size": 12.5, "text-anchor": "end", class: "muted-ink" }),
  ]);
}
