/** What every picture of the readings page shares: its colours, its numbers, its marks, and the width of words. */

import { arcPath } from "../lib/arcs.js";
import { readingMark } from "../lib/chart.js";
import { css, parseColour, rampAt } from "../lib/colour.js";
import { element, svg } from "../lib/spans.js";

export function label(x, y, text, attributes = {}) {
  return svg("text", { x, y, "font-size": 13, ...attributes }, text);
}

/** A bar that is so large a part of its place, and what stands at it. */
export function barNode(part, text, style) {
  const bar = element("i", { style: `width:calc((100% - 4.2em) * ${Math.round(1e4 * part) / 1e4});${style}` });
  return element("span", { class: "cell-bar" }, bar, element("span", { class: "number" }, text));
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
    return svg("circle", {
      cx: x,
      cy: y,
      r: radius,
      fill: "none",
      stroke: colours.abstain,
      "stroke-width": largest > 12 ? 1.25 : 1,
      "stroke-dasharray": dash,
    });
  }
  const share = (a - b) / Math.max(total, 1e-9);
  const radius = Math.max(2.5, largest * Math.sqrt(Math.min(1, total)));
  const edge = css(
    rampAt(
      [parseColour(colours.control_border), parseColour(colours[share > 0 ? "a" : "b"].graphic)],
      Math.min(1, Math.abs(share) * 2.2),
    ),
  );
  return readingMark(x, y, radius, share > 0, {
    fill: css(rampAt(colours.lean, (share + 1) / 2)),
    stroke: edge,
    "stroke-width": 1.25,
  });
}
