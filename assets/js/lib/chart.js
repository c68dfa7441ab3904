/** What charts are made of: numbers, a scale, an axis, labels and marks, rows of them, piles of dots, a key. */

import { css, inkOn } from "./colour.js";
import { element, styled, svg } from "./spans.js";

/** A number with so many digits, a true minus, and no sign before zero; `plus` is what stands before one above it. */
export function fixed(value, digits, plus = "") {
  const text = Math.abs(value).toFixed(digits);
  return Number(text) === 0 ? text : `${value < 0 ? "\u2212" : plus}${text}`;
}

/** A number with its sign, which zero has none of. */
export const signedNumber = (value, digits = 2) => fixed(value, digits, "+");

/** Whole per cents. */
export function wholePercent(share) {
  return `${pointsText(share) || "0"}\u00a0%`;
}

/** Whole points of a share with a true minus, without the sign for per cent; nothing for what rounds to zero. */
export function pointsText(share, plus = "") {
  const whole = Math.round(Math.abs(share) * 100);
  return whole ? `${share < 0 ? "\u2212" : plus}${whole}` : "";
}

/** How a tick is written that is no zero; zero is written alone. @param {(value: number) => string} text */
export const tick = (text) => (value) => (value ? text(value) : "0");

/** How a signed tick is written. @param {number} digits */
export const signed = (digits) => tick((value) => signedNumber(value, digits));

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

/** The sheet that marks are put on, with its text alternative. */
export function drawing(width, height, description, ...marks) {
  const about = { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": description ?? "" };
  return svg("svg", { width, height, ...about }, ...marks);
}

/**
 * A text; `look` has what a style sheet knows: code, serif, bold, italic, muted-ink, halo, and middle or end for its anchor.
 * @param {number} x @param {number} y @param {string | number | Element[]} text or its parts
 */
export function written(x, y, text, look = "", size = 13, more = {}) {
  return svg("text", { x, y, "font-size": size, class: look || null, ...more }, text);
}

/** A part of a text, which may look different. */
export function part(text, look = "", size = null, more = {}) {
  return svg("tspan", { class: look || null, "font-size": size, ...more }, text);
}

export function level(y, x1, x2, stroke, more = {}) {
  return svg("line", { x1, x2, y1: y, y2: y, stroke, ...more });
}

export function upright(x, y1, y2, stroke, more = {}) {
  return svg("line", { x1: x, x2: x, y1, y2, stroke, ...more });
}

/** A disc; one that is open has the page's colour as its fill. */
export function dot(x, y, r, fill, stroke = null, width = null, more = {}) {
  return svg("circle", { cx: x, cy: y, r, fill, stroke, "stroke-width": width, ...more });
}

/** A filled rectangle. */
export function box(x, y, width, height, fill, more = {}) {
  return svg("rect", { x, y, width, height, fill, ...more });
}

/** A rectangle of a line. */
export function frame(x, y, width, height, stroke, thick = null, more = {}) {
  return box(x, y, width, height, "none", { stroke, "stroke-width": thick, ...more });
}

/** A bar from one place to another, either way, around a height; never nothing. */
export function bar(from, to, y, thick, fill, more = {}) {
  return box(Math.min(from, to), y - thick / 2, Math.max(1, Math.abs(to - from)), thick, fill, more);
}

/** A line along a path. */
export function stroked(d, stroke, width = null, more = {}) {
  return svg("path", { d, fill: "none", stroke, "stroke-width": width, ...more });
}

/** The ink of a number on a colour. @param {number[]} colour */
export function inkOver(colour, colours) {
  return inkOn(colour, colours.number_on_light, colours.number_on_dark);
}

/** The 45 degree hairlines of what is not there; every picture has its own copy, by id. */
export function hatchDefs(id, colours) {
  const line = svg("line", { x1: 0, y1: 0, x2: 0, y2: 6, stroke: colours.hatch, "stroke-width": 0.8 });
  const pattern = { id, width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" };
  return svg("defs", svg("pattern", pattern, line));
}

/**
 * The numbers under or above an axis, behind a line at each where it has some.
 * @param {(value: number) => number} X @param {number[]} values
 * @param {{at: number, text: (value: number) => string, lines?: number[], stroke?: string, zero?: string, look?: string, size?: number}} axis
 * their baseline, how they are written, from where to where lines go, in which colour, and that of zero
 */
export function axis(
  X,
  values,
  { at, text, lines = null, stroke = "", zero = stroke, look = "muted-ink", size = 12.5 },
) {
  return [
    ...(lines ? values.map((value) => upright(X(value), lines[0], lines[1], value ? stroke : zero)) : []),
    ...values.map((value) => written(X(value), at, text(value), `middle ${look}`, size)),
  ];
}

/** The background of a ramp, from left to right. @param {number[][]} ramp */
export function gradient(ramp) {
  return `linear-gradient(90deg,${ramp.map(css).join(",")})`;
}

/** A ramp of a key. @param {number[][]} ramp */
export function rampKey(ramp) {
  return element("i.ramp", { style: `background:${gradient(ramp)}` });
}

/** The same in a line of text. @param {number[][]} ramp */
export function rampBar(ramp) {
  return styled(element("span.ramp", { "aria-hidden": "true" }), `background:${gradient(ramp)}`);
}

/** What marks, ramps and colours mean: a line of entries, each some nodes and words. @param {(Node | string)[][]} entries */
export function key(...entries) {
  return element("div.legend", ...keyEntries(...entries));
}

/** The entries of a key alone, where a block is one. @param {(Node | string)[][]} entries */
export function keyEntries(...entries) {
  return entries.map((nodes) => element("span", ...nodes));
}

/** A small sheet for the marks of a key. */
export function sample(width, height, ...marks) {
  return svg("svg", { width, height, "aria-hidden": "true" }, ...marks);
}
