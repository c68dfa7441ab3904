/** What charts are made of: numbers, labels and marks, a key. */

import { css, inkOn } from "./colour.js";
import { element, svg } from "./spans.js";

/** A number with so many digits, a true minus, and no sign before zero. */
export function fixed(value, digits) {
  const text = Math.abs(value).toFixed(digits);
  return Number(text) === 0 ? text : `${value < 0 ? "\u2212" : ""}${text}`;
}

/** Whole per cents. */
export const wholePercent = (share) => `${fixed(share * 100, 0)}\u00a0%`;

/**
 * A text; `look` has what a style sheet knows: code, serif, bold, italic, muted-ink, halo, and middle or end for its anchor.
 * @param {number} x @param {number} y @param {string | number | Element[]} text or its parts
 */
export function written(x, y, text, look = "", size = 13, more = {}) {
  return svg("text", { x, y, "font-size": size, class: look || null, ...more }, text);
}

/** A part of a text, which may look different. */
export const part = (text, look = "", size = null) => svg("tspan", { class: look || null, "font-size": size }, text);

/** A filled rectangle. */
export function box(x, y, width, height, fill, more = {}) {
  return svg("rect", { x, y, width, height, fill, ...more });
}

/** The ink of a number on a colour. @param {number[]} colour */
export const inkOver = (colour, colours) => inkOn(colour, colours.number_on_light, colours.number_on_dark);

/** A ramp of a key, from left to right. @param {number[][]} ramp */
export function rampBar(ramp) {
  const background = `background:linear-gradient(90deg,${ramp.map(css).join(",")})`;
  return element("i.ramp", { "aria-hidden": "true", style: background });
}

/** A small sheet for the marks of a key. */
export function sample(width, height, ...marks) {
  return svg("svg", { width, height, "aria-hidden": "true" }, ...marks);
}
