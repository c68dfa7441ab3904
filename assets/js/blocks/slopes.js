/** The same heads with each word: lines from one version to the other, and a table of small ones. */

import { css, rampAt } from "../lib/colour.js";
import { level, scale } from "../lib/chart.js";
import { canvas, label, letterChip, readingMark, signedNumber } from "./draw.js";
import { saidNodes } from "./caption.js";
import { element, svg } from "../lib/spans.js";
/** @import { Drawer } from "../drawers.d.ts" */

const SMALL_WIDTH = 108;
const SMALL_HEIGHT = 30;

/** Labels at these heights, moved apart by at least `gap`, in their order; heights out, same order as in. */
export function spreadLabels(heights, gap) {
  const order = heights.map((y, i) => ({ y, i })).sort((one, two) => one.y - two.y);
  for (let k = 1; k < order.length; k++) order[k].y = Math.max(order[k].y, order[k - 1].y + gap);
  const found = new Array(heights.length);
  for (const { y, i } of order) found[i] = y;
  return found;
}

/** @type {Drawer<"slopes">} */
function slopes(place, block, { colours, width, narrow }) {
  const height = narrow ? 300 : 340;
  const [top, bottom] = [34, 40];
  const side = Math.min(120, width * 0.3);
  const limit = Math.max(0.1, ...block.lines.flat().map(Math.abs)) * 1.05;
  const Y = scale(height - bottom, top, -limit, limit);
  const [x1, x2] = [side, width - side];
  const picture = canvas(width, height, block.label);
  const word = (x, text) => label(x, 16, text, { "font-size": 16, "text-anchor": "middle", "font-style": "italic", class: "serif" });
  picture.append(word(x1, block.left), word(x2, block.right), level(Y(0), x1, x2, colours.control_border, { "stroke-dasharray": "2 3" }));
  for (const [from, to] of block.lines) picture.append(svg("line", { x1, x2, y1: Y(from), y2: Y(to), stroke: colours.control_border, "stroke-opacity": 0.35 }));
  const named = block.named.map(({ name, index }) => ({ name, from: block.lines[index][0], to: block.lines[index][1] }));
  const lefts = spreadLabels(named.map(({ from }) => Y(from) + 4), 15);
  const rights = spreadLabels(named.map(({ to }) => Y(to) + 4), 15);
  named.forEach(({ name, from, to }, i) => {
    picture.append(svg("line", { x1, x2, y1: Y(from), y2: Y(to), stroke: "currentColor", "stroke-width": 2.5 }));
    for (const [x, lean] of [[x1, from], [x2, to]]) picture.append(readingMark(x, Y(lean), 6, lean > 0, { fill: colours[lean > 0 ? "a" : "b"].graphic, stroke: colours.background }));
    picture.append(label(x1 - 11, lefts[i], `${name} ${signedNumber(from)}`, { "text-anchor": "end", class: "code halo" }));
    picture.append(label(x2 + 11, rights[i], `${name} ${signedNumber(to)}`, { class: "code halo" }));
  });
  picture.append(label(width / 2, height - 8, block.about, { "text-anchor": "middle", class: "muted-ink" }));
  place.append(picture);
}

/**
 * Rows of heads, columns of [before, after]; "lean" has its sign, looks are whole per cents. On a phone each head is a
 * card whose cells carry their titles; the roles say that it is a table all the same.
 * @type {Drawer<"slopes_table">}
 */
function slopesTable(place, block, { colours, narrow }) {
  const title = ({ spans, chip = "" }) => [...saidNodes(spans), ...(chip ? [letterChip(chip)] : [])];
  const role = (name) => (narrow ? { role: name } : {});
  const table = element("table", { class: narrow ? "slopes cards" : "slopes", ...role("table"), "aria-label": "the same heads with each word" });
  table.append(element("thead", { class: narrow ? "unseen" : "", ...role("rowgroup") }, element("tr", role("row"), ...block.columns.map((column) => element("th", { scope: "col", ...role("columnheader") }, ...title(column))))));
  const body = element("tbody", role("rowgroup"));
  for (const row of block.rows) {
    const cells = [element("th", { scope: "row", class: "name", ...role("rowheader") }, row.name, ...(row.direct ? [element("span", { class: "muted" }, " direct")] : []))];
    const cell = (content) => cells.push(element("td", role("cell"), ...(narrow ? [element("span", { class: "of", "aria-hidden": "true" }, ...title(block.columns[cells.length]))] : []), content));
    if (row.carries !== undefined) cell(row.carries);
    for (const { kind, values } of row.values) cell(smallSlope(values, kind, block.reach[kind], colours));
    body.append(element("tr", role("row"), ...cells));
  }
  table.append(body);
  place.append(narrow ? table : element("div", { class: "scroll-x", tabindex: "0", role: "region", "aria-label": "the same heads with each word" }, table));
}

function smallSlope([from, to], kind, [low, high], colours) {
  const Y = (value) => 6 + (SMALL_HEIGHT - 12) * (1 - (value - low) / Math.max(high - low, 1e-9));
  const text = (value) => (kind === "lean" ? signedNumber(value) : String(Math.round(value * 100)));
  const [x1, x2] = [44, SMALL_WIDTH - 44];
  const picture = canvas(SMALL_WIDTH, SMALL_HEIGHT, `${text(from)}, then ${text(to)}`);
  const ink = kind === "cue" ? css(rampAt(colours.ramp, 0.6)) : kind === "a" ? colours.a.graphic : kind === "b" ? colours.b.graphic : "currentColor";
  picture.append(svg("line", { x1, x2, y1: Y(from), y2: Y(to), stroke: ink, "stroke-width": 2 }));
  for (const [x, value] of [[x1, from], [x2, to]]) {
    const isA = kind === "lean" ? value > 0 : kind !== "b";
    const fill = kind === "lean" ? colours[isA ? "a" : "b"].graphic : ink;
    picture.append(readingMark(x, Y(value), 4, isA, { fill }));
  }
  picture.append(label(x1 - 8, Y(from) + 4, text(from), { "text-anchor": "end", class: "code" }), label(x2 + 8, Y(to) + 4, text(to), { class: "code" }));
  return picture;
}

export const SLOPE_DRAWERS = { slopes, slopes_table: slopesTable };
