/** Both sentences with equal words above each other, and where one word looks in each. */

import { arcPath, arrowSize, sideBySide, WIDEST } from "../../lib/arcs.js";
import { css, rampAt } from "../../lib/colour.js";
import { element, svg } from "../../lib/spans.js";
import { canvas, label, wholePercent } from "../draw.js";
import { ink } from "./marks.js";
/** @import { Blocks } from "../../blocks.d.ts" */
/** @import { Drawer } from "../../drawers.d.ts" */

const TONE = 0.72;
const GAP = 0.3; // of the size, between words
const SIDE = 96; // px for "original" and "changed"
const LARGEST = 62;
const SMALLEST = 22;
const EDGE = 8; // px right of the last word, for the wash behind it
const RISE = 74;

/** The size of both lines and where each column stands, or null where they do not fit. */
export function columnsLine(widths, column, largest = LARGEST, smallest = SMALLEST) {
  const total = widths.reduce((sum, width) => sum + width, 0) + GAP * Math.max(0, widths.length - 1);
  const size = Math.min(largest, Math.floor((2 * column) / Math.max(total, 0.01)) / 2);
  if (size < smallest) return null;
  let x = 0;
  const places = widths.map((width) => {
    const place = { x, width: width * size };
    x += (width + GAP) * size;
    return place;
  });
  return { size, places };
}

/** The same columns for sentences that run from right to left: the first word has the rightmost. */
export function fromRight({ size, places }) {
  const end = places.at(-1).x + places.at(-1).width;
  return { size, places: places.map((one) => ({ ...one, x: end - one.x - one.width, right: true })) };
}

/** @type {Drawer<"change_hero">} */
export function hero(place, block, { colours, width, narrow, gauge, legend }) {
  const widths = block.columns.map(({ first, second }) => Math.max(gauge(first ?? ""), gauge(second ?? "")));
  const line = narrow ? null : columnsLine(widths, width - SIDE - EDGE);
  if (!line) return place.append(tinted(block, "first", colours, legend), tinted(block, "second", colours, legend));
  return place.append(picture(block, block.rtl ? fromRight(line) : line, colours, width, gauge, legend));
}

/** @param {Blocks["change_hero"]} block */
function picture(block, { size, places }, colours, width, gauge, legend) {
  const above = RISE + 52;
  const [first, second] = [above + size * 0.86, above + size * 2.26];
  const height = second + size * 0.3 + RISE + 56;
  const drawn = canvas(width, height, block.label);
  const strong = css(rampAt(colours.ramp, TONE));
  const box = (at, side) => {
    const wide = gauge(block.columns[at][side]) * size;
    return { x: SIDE + places[at].x + (places[at].right ? places[at].width - wide : 0), width: wide };
  };
  const sides = [{ side: "first", y: first, up: true, edge: above - 2 }, { side: "second", y: second, up: false, edge: second + size * 0.32 }];
  for (const { side, y, up, edge } of sides) {
    drawn.append(label(0, y, legend[side], { "font-size": 20, class: "serif", "font-style": "italic" }));
    block.columns.forEach((column, at) => {
      const text = column[side];
      if (text === null || text === undefined) return;
      const { x, width: wide } = box(at, side);
      if (!column.same) drawn.append(svg("rect", { x: x - 7, y: y - size * 0.84, width: wide + 14, height: size * 1.14, rx: 4, fill: colours.changed }));
      drawn.append(label(x, y, text, { "font-size": size, class: side === "second" && column.same && at !== block.query ? "serif muted-ink" : "serif" }));
      if (at === block.query) drawn.append(svg("rect", { x, y: y + size * 0.16, width: wide, height: 3, fill: "currentColor" }));
    });
    drawn.append(...arcs(block, side, (at) => box(at, side), { up, edge, strong, colours }));
  }
  drawn.append(label(0, 20, block.head, { "font-size": 15, class: "code" }));
  return drawn;
}

/** @param {Blocks["change_hero"]} block */
function arcs(block, side, box, { up, edge, strong, colours }) {
  const middle = (at) => box(at).x + box(at).width / 2;
  const looks = block[side].filter(([at]) => block.columns[at][side] !== null);
  const from = middle(block.query);
  const widest = Math.max(1, ...looks.map(([at]) => Math.abs(middle(at) - from)));
  const nodes = [];
  for (const [at, share] of [...looks].sort(([a], [b]) => Number(a === block.key) - Number(b === block.key))) {
    const wide = Math.max(1.2, share * WIDEST);
    const [to] = sideBySide([share], middle(at));
    const chosen = at === block.key;
    const rise = RISE * (Math.abs(to - from) / widest) ** 0.62;
    const { path, arrow } = arcPath({ from, to, y: edge, up, arrow: arrowSize(share, wide), rise });
    const paint = chosen ? strong : colours.control_border;
    const opacity = chosen ? 1 : 0.55;
    nodes.push(svg("path", { d: path, fill: "none", stroke: paint, "stroke-width": wide, "stroke-opacity": opacity }), svg("path", { d: arrow, fill: paint, "fill-opacity": opacity }));
    const top = edge + (up ? -1 : 1) * (rise + wide / 2 + 8);
    if (chosen) nodes.push(label((from + to) / 2, top + (up ? -6 : 18), wholePercent(share), { "font-size": 16, "font-weight": 600, class: "halo", "text-anchor": "middle" }));
  }
  return nodes;
}

/**
 * A sentence that flows, its words tinted by what the word gives them: for a phone, and for long sentences.
 * @param {Blocks["change_hero"]} block
 */
function tinted(block, side, colours, legend) {
  const shares = new Map(block[side]);
  const words = block.columns.flatMap((column, at) => {
    if (column[side] === null || column[side] === undefined) return [];
    const share = shares.get(at) ?? 0;
    const colour = rampAt(colours.ramp, share);
    const paint = share ? `background:${css(colour)};color:${ink(colour, colours)};` : "";
    const node = element("span", { class: `tinted${at === block.query ? " looking" : ""}${column.same ? "" : " changed"}`, style: paint }, column[side]);
    return [node, ...(at === block.key ? [element("b", {}, ` ${wholePercent(share)}`)] : []), " "];
  });
  return element("div", { class: "change-line" }, element("p", { class: "change-side" }, element("i", {}, legend[side]), " ", element("span", { class: "say-head" }, block.head)), element("p", { class: "change-words", dir: block.rtl ? "rtl" : "ltr" }, ...words));
}
