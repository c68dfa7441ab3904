/** The tested arrow: the shaft is the axis, 0 to 100 % of the receiver's turn; large over pairs, thin for this sentence. */

import { saidNodes } from "./caption.js";
import { bar as barOf, dot, drawing, level, part, piled, ruler, scale, wholePercent, written } from "../lib/chart.js";
import { element, svg } from "../lib/spans.js";

const END = 1.12; // of the shaft: an interval may pass 1
const KEPT = 62; // px of the bar of swaps
const SHAFT = 70; // px, where it stands
const ENDS_FROM = 820; // px of width that have room for the steps beside the shaft

/** @type {Drawer<"path_strip">} */
export function pathStrip(block, tools) {
  const wide = tools.width >= ENDS_FROM;
  const ends = wide ? 2 * (Math.min(250, tools.width * 0.24) + 22) : 0;
  const looks = block.looks.map((text) => [["code", text]]);
  const shaft = element("div", arrow(block, tools.width - ends, tools));
  const nodes = [step(1, block.first, looks), shaft, step(2, block.second, block.turns)];
  return element("div", { class: wide ? "path-row" : "path-column" }, ...nodes);
}

function step(number, spans, lines) {
  const looks = lines.map((line) => element("span.path-look", ...saidNodes(line)));
  const disc = element("span.step-number", String(number));
  return element("div.path-end", disc, ...saidNodes(spans), ...looks);
}

/** @param {Blocks["path_strip"]} block */
function arrow(block, width, { colours, narrow, legend }) {
  const [share, lowest, highest] = block.share;
  const [x0, x1] = narrow ? [26, width - 30] : [30, width - 34];
  const low = Math.min(0, lowest, ...block.control);
  const X = scale(x0, x1, Math.max(-0.5, low), Math.max(END, Math.min(1.6, highest + 0.02)));
  const inside = (share) => X(Math.max(X.low, Math.min(X.high, share)));
  const lower = block.kept ? KEPT : 0;
  const picture = drawing(width, (narrow ? 208 : 202) + lower, block.label);
  const tip = width - 2;
  const from = narrow ? 0 : X(X.low) - 16;
  const ink = "currentColor";
  picture.append(
    level(SHAFT, X(X.low) - 16, tip - 14, ink, { "stroke-width": 3 }),
    svg("path", { d: `M${tip},${SHAFT} l-17,-10 v20 Z`, fill: ink }),
    ...ruler(X, [0, 0.5, 1], wholePercent, [SHAFT + 5, SHAFT + 11], SHAFT + 25, colours),
  );
  const others = piled(block.control, inside, 4);
  const pitch = Math.min(3.5, (SHAFT - 8) / Math.max(1, ...others.map(({ row }) => row)));
  picture.append(...others.map(({ x, row }) => dot(x, SHAFT - 5 - row * pitch, 1.7, colours.muted)));
  picture.append(interval(inside(lowest), Math.min(inside(highest), tip - 4), SHAFT, 10, ink, colours));
  picture.append(dot(inside(share), SHAFT, 7.5, ink, colours.background, 1.5));
  if (block.direct !== null) {
    const x = inside(block.direct);
    picture.append(dot(x, SHAFT, 6, colours.background, ink, 2));
    picture.append(written(x, SHAFT + 25, `direct ${wholePercent(block.direct)}`, "middle halo"));
  }
  const follows = narrow ? legend.follows_short : legend.follows;
  const large = part(wholePercent(share), "bold", narrow ? 20 : 24);
  const title = written(
    narrow ? width : tip - 2,
    22,
    [large, part(follows, "", null, { dx: 6 })],
    "end halo",
    narrow ? 15 : 17,
  );
  picture.append(title, written(from, SHAFT + 46, block.others, "", narrow ? 13.5 : 14));
  if (block.kept) picture.append(...kept(block.kept, block.kept_says, inside, X, SHAFT + 78, from, colours));
  const y = SHAFT + (narrow ? 82 : 86) + lower;
  if (block.own) picture.append(...thin(block, inside, X, y, from, colours, narrow));
  else picture.append(written(from, y, block.own_says, "muted-ink"));
  return picture;
}

function interval(from, to, y, thick, stroke, colours) {
  const more = { width: Math.max(2, to - from), rx: thick / 2, stroke, "stroke-width": 1.25 };
  return barOf(from, to, y, thick, colours.background, more);
}

/** The same path where the reading is kept: a second bar on the same axis; `bar` is a share and its interval. */
function kept(bar, says, inside, X, y, from, colours) {
  const [share, low, high] = bar;
  return [
    level(y, X(0), X(1), colours.border),
    interval(inside(low), inside(high), y, 8, colours.muted, colours),
    dot(inside(share), y, 5.5, colours.muted, colours.background, 1.5),
    written(inside(share), y + 18, wholePercent(share), "middle muted-ink halo"),
    written(from, y + 34, says, "muted-ink halo"),
  ];
}

/** @param {Blocks["path_strip"]} block */
function thin({ own: [share, low, high], own_direct: direct, own_says: says }, inside, X, y, from, colours, narrow) {
  const marks = [[share, 4.5, colours.muted], ...(direct === null ? [] : [[direct, 4, colours.background]])];
  const between = low === null ? [] : [level(y, inside(low), inside(high), colours.aside, { "stroke-width": 5 })];
  return [
    level(y, X(0), X(1), colours.border),
    ...between,
    ...marks.flatMap(([share, radius, fill]) => [
      dot(inside(share), y, radius, fill, colours.muted, 1.5),
      written(inside(share), y + 18, wholePercent(share), "middle muted-ink halo"),
    ]),
    written(from, y + (narrow ? 38 : 34), says, "muted-ink halo"),
  ];
}
