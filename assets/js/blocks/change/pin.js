/** One head in the first, in the second, and the difference; and one head over several words in one place. */

import { element, filledText, spanNodes, svg } from "../../lib/spans.js";
import { canvas, label } from "../draw.js";
import { css, differenceColour, differenceRamps, FULL_DIFFERENCE, ink, pointsText, rampAt } from "./marks.js";
/** @import { Blocks } from "../../blocks.d.ts" */
/** @import { Drawer } from "../../drawers.d.ts" */

const LARGEST = 40;
const BAR = 44;
const ASIDE = 20; // px around the bars
const BARE = 10; // px left of a panel without words
const BETWEEN = 28;
const COLUMNS_FROM = 820;
const NUMBERS_FROM = 20;
const TURN = -48;

/** @type {Drawer<"change_pin">} */
export function pin(place, block, { colours, width, narrow, legend }) {
  const columns = narrow || width < COLUMNS_FROM ? 1 : 3;
  const line = element("div", { class: "head_line" }, element("span", { class: "disc" }, String(block.number)), element("span", { class: "head-name" }, block.head), ...(block.badge ? [element("span", { class: "badge" }, block.badge)] : []));
  const unpin = element("button", { type: "button", class: "quiet", "data-act": block.head, "aria-label": `Unpin: ${block.head}` }, "Unpin");
  line.append(unpin);
  const longest = Math.max(...[...block.keys_first, ...block.keys_second, ...block.rows].map((text) => text.length));
  const layout = panelLayout(width, block.rows.length, longest, columns);
  const panels = [
    [block.copy ? legend.original : legend.first, block.first, block.rest_first, block.keys_first],
    [block.copy ? legend.copy : legend.second, block.second, block.rest_second, block.keys_second],
    [legend.difference, difference(block.first, block.second), block.rest_first.map((value, i) => block.rest_second[i] - value), block.keys],
  ].map(([title, cells, rest, keys], i) => panel(title, cells, rest, keys, block, { colours, legend, layout: columns === 1 || i === 0 ? layout : { ...layout, left: BARE } }));
  place.append(line, element("div", { class: columns === 1 ? "change-panels stacked" : "change-panels" }, ...panels), element("p", { class: "change-note" }, ...spanNodes(block.spans)));
}

export function difference(first, second) {
  return first.map((row, q) => row.map((value, k) => second[q][k] - value));
}

/** Where everything stands in the panels, so that cells are equally large in all of them. */
export function panelLayout(width, count, longest, columns) {
  const left = Math.min(110, longest * 7.4 + 14);
  const labels = left + (columns - 1) * BARE;
  const room = width - labels - columns * (BAR + ASIDE) - (columns - 1) * BETWEEN;
  const cell = Math.max(4, Math.min(LARGEST, Math.floor(room / (columns * count))));
  return { left, cell, above: Math.min(120, longest * 5.4 + 26) };
}

/** @param {Blocks["change_pin"]} block */
function panel(title, cells, rest, keys, block, { colours, legend, layout: { left, cell, above } }) {
  const count = keys.length;
  const labels = left > BARE;
  const diff = title === legend.difference;
  const ramps = differenceRamps(colours);
  const whole = left + count * cell + BAR + ASIDE;
  const picture = canvas(whole, above + count * cell + 6, `${block.label}: ${title}`);
  const X = (x, wide = 0) => (block.rtl ? whole - x - wide : x); // from right to left, as the text reads
  const [near, far, turn] = block.rtl ? ["end", "start", -TURN] : ["start", "end", TURN];
  const size = Math.min(14, Math.max(9, cell * 0.45));
  const every = Math.ceil(13 / cell);
  keys.forEach((text, k) => {
    const x = X(left + (k + 0.5) * cell + 3);
    if (k % every === 0) picture.append(label(x, above - 8, text, { "font-size": 13, "text-anchor": near, transform: `rotate(${turn} ${x} ${above - 8})` }));
  });
  block.rows.forEach((text, q) => {
    const y = above + (q + 0.5) * cell;
    if (labels && q % every === 0) picture.append(label(X(left - 8), y + 4.5, text, { "font-size": 13, "text-anchor": far }));
    cells[q].forEach((value, k) => {
      const colour = diff ? differenceColour(value, ramps) : rampAt(colours.ramp, value);
      picture.append(svg("rect", { x: X(left + k * cell, cell), y: above + q * cell, width: cell - (cell > 8 ? 1 : 0), height: cell - (cell > 8 ? 1 : 0), fill: css(colour) }));
      const text = pointsText(value);
      if (text && cell >= NUMBERS_FROM) picture.append(label(X(left + (k + 0.5) * cell), y + 4.5, text, { "font-size": size, class: "code", "text-anchor": "middle", style: `fill:${ink(colour, colours)}` }));
    });
    if (!diff || q % every === 0) picture.append(...aside(rest[q], X(left + count * cell + 8, BAR), y, cell, diff, colours, block.rtl));
  });
  picture.append(label(X(left + count * cell + 8), above - 8, legend.rest, { "font-size": 12, class: "muted-ink", "text-anchor": near }));
  picture.append(svg("rect", { x: X(left, count * cell) - 0.5, y: above - 0.5, width: count * cell, height: count * cell, fill: "none", stroke: colours.border }));
  const [q, k] = block.cell;
  picture.append(svg("rect", { x: X(left + k * cell, cell) - 1, y: above + q * cell - 1, width: cell + 1, height: cell + 1, fill: "none", stroke: "currentColor", "stroke-width": 2 }));
  const about = diff ? ` ${legend.points}` : "";
  return element("div", {}, element("p", { class: "change-title" }, element("i", {}, title), element("span", { class: "muted" }, about)), picture);
}

function aside(value, x, y, cell, diff, colours, rtl) {
  const height = Math.max(2, Math.min(8, cell - 2));
  if (diff) return [label(x + 34, y + 4.5, pointsText(value, true) || "0", { "font-size": 13, class: "code muted-ink", "text-anchor": "end" })];
  return [svg("rect", { x: rtl ? x + BAR * (1 - value) : x, y: y - height / 2, width: BAR * value, height, fill: colours.aside }), svg("rect", { x: x - 0.5, y: y - height / 2 - 0.5, width: BAR, height: height + 1, fill: "none", stroke: colours.border })];
}

/** What the colours of the panels say, and both ends of each. @type {Drawer<"change_scale">} */
export function scale(place, block, { colours, legend }) {
  const { more, less } = differenceRamps(colours);
  const bar = (ramp) => element("i", { class: "change-ramp", style: `background:linear-gradient(90deg,${ramp.map(css).join(",")})` });
  const both = element("span", { class: "change-ramps" }, bar([...less].reverse()), bar(more));
  const most = Math.round(FULL_DIFFERENCE * 100);
  place.append(
    element(
      "div",
      { class: "change-legend" },
      element("span", {}, legend.share, bar(colours.ramp), "100\u00a0%"),
      element("span", {}, filledText(legend.less, { points: most }), both, filledText(legend.more, { points: most })),
    ),
  );
}

/** @type {Drawer<"change_variants">} */
export function variants(place, block, { colours, width, narrow }) {
  const columns = Math.max(1, Math.min(6, block.variants.length, Math.floor(width / (narrow ? 150 : 160))));
  const room = Math.floor((width - (columns - 1) * 24) / columns);
  const cards = block.variants.map((variant) => {
    const n = variant.cells.length;
    const cell = Math.min(24, Math.floor((Math.min(room, 190) - 2) / n));
    const picture = canvas(n * cell + 2, n * cell + 2, `${block.label}: ${variant.word}, ${variant.percent} %`);
    variant.cells.forEach((row, q) => row.forEach((value, k) => picture.append(svg("rect", { x: 1 + (block.rtl ? n - 1 - k : k) * cell, y: 1 + q * cell, width: cell, height: cell, fill: css(rampAt(colours.ramp, value)) }))));
    picture.append(svg("rect", { x: 0.5, y: 0.5, width: n * cell + 1, height: n * cell + 1, fill: "none", stroke: colours.border }));
    picture.append(svg("rect", { x: 1, y: 1 + (variant.row ?? block.row) * cell, width: n * cell, height: cell, fill: "none", stroke: "currentColor", "stroke-width": 1.5 }));
    const bar = element("i", { class: "change-bar", style: `width:${Math.round(variant.share * 70)}px;background:${css(rampAt(colours.ramp, 0.72))}` });
    return element("figure", { class: "change-variant" }, element("figcaption", {}, variant.word), picture, element("p", {}, bar, ` ${variant.at ? `${variant.at} ` : ""}${variant.percent}\u00a0%`));
  });
  place.append(element("div", { class: "change-variants", style: `grid-template-columns:repeat(${columns},minmax(0,1fr))` }, ...cards));
}
