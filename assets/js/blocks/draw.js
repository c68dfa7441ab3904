/** What every picture of the readings page shares: its colours, its numbers, its marks, and the width of words. */

import { css, parseColour, rampAt } from "../lib/colour.js";
import { element, svg } from "../lib/spans.js";

export const WORD_SPACE = 0.3; // of the font size

export function wholePercent(share) {
  const whole = Math.round(Math.abs(share) * 100);
  return `${share < 0 && whole ? "\u2212" : ""}${whole}\u00a0%`;
}

/** A number with its sign: a true minus, no sign before zero. */
export function signedNumber(value, digits = 2) {
  const text = Math.abs(value).toFixed(digits);
  if (Number(text) === 0) return digits ? text : "0";
  return `${value < 0 ? "\u2212" : "+"}${text}`;
}

export function label(x, y, text, attributes = {}) {
  return svg("text", { x, y, "font-size": 13, ...attributes }, text);
}

export function canvas(width, height, description) {
  return svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": description ?? "" });
}

/** An invisible cell over a mark, as large as a finger needs; a click on it names the head. */
export function headButton(x, y, width, height, name, hint) {
  const cell = svg("rect", { x, y, width, height, fill: "transparent", class: "head-button", "data-act": name });
  cell.append(svg("title", {}, `${name}: ${hint}`));
  return cell;
}

/** The 45 degree hairlines of what is not there; every picture has its own copy, by id. */
export function hatchDefs(id, colours) {
  const line = svg("line", { x1: 0, y1: 0, x2: 0, y2: 6, stroke: colours.hatch, "stroke-width": 0.8 });
  return svg("defs", {}, svg("pattern", { id, width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" }, line));
}

/** A row of round dots, the sign of the cue. */
export function cueDots(x, width, y, radius = 1.7, step = 8) {
  const count = Math.max(2, Math.round(width / step));
  const dots = Array.from({ length: count }, (_, i) => svg("circle", { cx: x + (width * (i + 0.5)) / count, cy: y, r: radius, fill: "currentColor" }));
  return svg("g", { class: "cue-dots" }, ...dots);
}

/** A in a disc or B in a square: the letter always stands beside the colour. */
export function letterChip(letter) {
  return element("span", { class: `letter ${letter.toLowerCase()}` }, letter);
}

/** A measurer of serif words as the browser will set them; canvas widths are wrong for fonts with optical sizes. */
export function wordGauge(root) {
  const gauge = element("span", { class: "serif-gauge", "aria-hidden": "true" });
  root.append(gauge);
  const known = new Map();
  return (text) => {
    if (!known.has(text)) {
      gauge.textContent = text;
      known.set(text, gauge.getBoundingClientRect().width / 100);
    }
    return known.get(text);
  };
}

/**
 * Where each piece of a sentence stands on one line, at the largest size that fits.
 * @param {{text: string, space: boolean}[]} pieces @param {(text: string) => number} gauge widths at size 1
 */
export function sentenceLine(pieces, gauge, column, largest, smallest) {
  const total = pieces.reduce((sum, piece, i) => sum + gauge(piece.text) + (piece.space && i ? WORD_SPACE : 0), 0);
  const size = Math.max(smallest, Math.min(largest, Math.floor((2 * column) / Math.max(total, 0.01)) / 2));
  let x = 0;
  const boxes = pieces.map((piece, i) => {
    if (piece.space && i) x += WORD_SPACE * size;
    const box = { x, width: gauge(piece.text) * size };
    x += box.width;
    return box;
  });
  return { size, boxes, fits: total * size <= column + 1 };
}

/** One head's lean: A round, B square, neither a small dotted ring. Area is a + b, colour how the two divide it. */
export function leanMark(x, y, a, b, none, largest, colours) {
  const total = a + b;
  if (none) {
    const [radius, dash] = largest > 12 ? [4, "1.5 2"] : [2.3, "1.2 1.4"];
    return svg("circle", { cx: x, cy: y, r: radius, fill: "none", stroke: colours.abstain, "stroke-width": largest > 12 ? 1.25 : 1, "stroke-dasharray": dash });
  }
  const share = (a - b) / Math.max(total, 1e-9);
  const radius = Math.max(2.5, largest * Math.sqrt(Math.min(1, total)));
  const edge = css(rampAt([parseColour(colours.control_border), parseColour(colours[share > 0 ? "a" : "b"].graphic)], Math.min(1, Math.abs(share) * 2.2)));
  return readingMark(x, y, radius, share > 0, { fill: css(rampAt(colours.lean, (share + 1) / 2)), stroke: edge, "stroke-width": 1.25 });
}

/** A disc for A, a square of the same area for B. */
export function readingMark(x, y, radius, isA, paint) {
  if (isA) return svg("circle", { cx: x, cy: y, r: radius, ...paint });
  const half = radius * 0.886;
  return svg("rect", { x: x - half, y: y - half, width: 2 * half, height: 2 * half, rx: Math.min(1.5, half / 4), ...paint });
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
