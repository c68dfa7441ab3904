/** What every picture of the readings page shares: its colours, its numbers, its marks, and the width of words. */

import { arcPath } from "../lib/arcs.js";
import { css, parseColour, rampAt } from "../lib/colour.js";
import { element, svg } from "../lib/spans.js";


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

/** A bar that is so large a part of its place, and what stands at it. */
export function barNode(part, text, style) {
  const bar = element("i", { style: `width:calc((100% - 4.2em) * ${Math.round(1e4 * part) / 1e4});${style}` });
  return element("span", { class: "cell-bar" }, bar, element("span", { class: "number" }, text));
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

/** An arc and its arrow head; `arc` as `arcPath` takes it. */
export function arcNodes(arc, width, paint, opacity = 1) {
  const { path, arrow } = arcPath(arc);
  return [
    svg("path", { d: path, fill: "none", stroke: paint, "stroke-width": width, "stroke-opacity": opacity }),
    svg("path", { d: arrow, fill: paint, "fill-opacity": opacity }),
  ];
}

/** A in a disc or B in a square: the letter always stands beside the colour. */
export function letterChip(letter) {
  return element("span", { class: `letter ${letter.toLowerCase()}` }, letter);
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
