/**
 * The rank of a word after each layer, on a logarithmic axis with 1 on top, and perhaps its rank before a change as a
 * dashed line. Above a grid with layers from left to right it has the columns of the grid, else an axis of its own. A
 * click on a layer selects it in the grid.
 */

import { isSideways, selectLayer } from "../lib/layers.js";
import { viewOf } from "../lib/view.js";
import { element, refill, svg } from "../lib/spans.js";

const GUTTER = 52; // px for the numbers of the axis, as for the names of the grid's rows
const GAP = 1; // px between columns of the grid
const HEIGHT = 66;
const OWN_AXIS = { height: 112, foot: 20, right: 8 }; // px; layers below the line
const TOP = 6; // px above rank 1
const FOOT = 3;
const LABELLED = [1, 100, 10_000];
const FEWEST_DECADES = 1;

/**
 * @typedef {{title: [string, string, string], ranks: number[], drops: number[], label: string, before: number[], legend: string[]}} RankLineData
 *   `drops` are layers that divide the rank by more than ten; `legend` names the line and the dashed one
 */

/** The middle of each layer's column in px, and the width of a column. @param {number} layers @param {number} width px */
export function columnsOf(layers, width, sideways) {
  if (sideways) {
    const column = (width - GUTTER - layers * GAP) / layers;
    return {
      column,
      middles: Array.from({ length: layers }, (_, i) => GUTTER + GAP + i * (column + GAP) + column / 2),
    };
  }
  const room = width - GUTTER - OWN_AXIS.right;
  const column = room / layers;
  return { column, middles: Array.from({ length: layers }, (_, i) => GUTTER + (i + 0.5) * column) };
}

/** How far below rank 1 a rank is, as a share of the axis. @param {number} rank @param {number} decades */
export const depthOf = (rank, decades) => Math.log10(rank) / decades;

/** Layers that have a label on an axis of their own: the first, the last, drops and every tenth, none on another. */
export function labelledLayers(layers, drops, column, width = 26) {
  const kept = /** @type {number[]} */ ([]);
  const tens = Array.from({ length: layers }, (_, i) => i).filter((i) => i % 10 === 0);
  for (const layer of [0, layers - 1, ...drops, ...tens])
    if (kept.every((other) => Math.abs(other - layer) * column >= width)) kept.push(layer);
  return kept.sort((a, b) => a - b);
}

/** Mounts the line into a place. @param {Element} parent */
export default function rankLine(parent, tokens) {
  const root = element("div.parallax.rank-line");

  function draw(/** @type {RankLineData} */ { title, ranks, drops, label, before, legend }) {
    const width = root.clientWidth;
    const sideways = isSideways(ranks.length, width);
    const height = sideways ? HEIGHT : OWN_AXIS.height;
    const foot = sideways ? FOOT : OWN_AXIS.foot;
    const { column, middles } = columnsOf(ranks.length, width, sideways);
    const decades = Math.max(FEWEST_DECADES, ...[...ranks, ...before, 12_000].map(Math.log10));
    const y = (rank) => TOP + depthOf(rank, decades) * (height - TOP - foot - 4);
    const [left, right] = [middles[0] - column / 2, middles[ranks.length - 1] + column / 2];
    const shaded = drops.map((layer) =>
      svg("rect.drop", { x: middles[layer] - column / 2, y: 0, width: column, height: height - foot + 3 }),
    );
    const lines = [1, 10, 100, 1000, 10_000].flatMap((rank) => [
      svg("line.rule", { x1: left, x2: right, y1: y(rank), y2: y(rank) }),
      LABELLED.includes(rank) &&
        svg(
          "text.axis",
          { x: left - 6, y: y(rank) + 4, "text-anchor": "end", "font-size": 12 },
          rank.toLocaleString("en"),
        ),
    ]);
    const points = (course) => course.map((rank, layer) => `${middles[layer]},${y(rank)}`).join(" ");
    const falls = drops.flatMap((layer) => fall(layer, middles, ranks, y));
    const dots = ranks.map((rank, layer) =>
      svg("circle", {
        cx: middles[layer],
        cy: y(rank),
        r: drops.includes(layer) || drops.includes(layer + 1) ? 3 : 1.8,
      }),
    );
    const names = sideways
      ? []
      : labelledLayers(ranks.length, drops, column).map((layer) => nameOf(layer, middles, height));
    const clickable = ranks.map((_, layer) =>
      svg(
        "rect.layer",
        {
          x: middles[layer] - column / 2,
          y: 0,
          width: column,
          height,
          "data-layer": layer,
        },
        svg("title", `Layer ${layer}: rank ${ranks[layer].toLocaleString("en")}`),
      ),
    );
    const picture = svg(
      "svg",
      { width, height, role: "img", "aria-label": label },
      shaded,
      lines,
      before.length > 0 && svg("polyline.before", { points: points(before), fill: "none" }),
      svg("polyline.course", { points: points(ranks), fill: "none" }),
      falls,
      dots,
      names,
      clickable,
    );
    const [start, word, end] = title;
    const entries = [
      ...legend.map((text, number) => entry(number ? "before" : "course", text)),
      drops.length > 0 && entry("fall", "rank divided by more than ten in one layer"),
    ];
    refill(
      root,
      element("p.title", element("span", start, element("em", word), end), element("span.legend", entries)),
      picture,
    );
  }

  /** A kind of line and its meaning. */
  const entry = (kind, text) =>
    element(
      "span.entry",
      svg("svg", { width: 26, height: 8, "aria-hidden": "true" }, svg(`line.${kind}`, { x1: 1, x2: 25, y1: 4, y2: 4 })),
      text,
    );

  /** A drop by more than ten: bold, with its factor. */
  function fall(layer, middles, ranks, y) {
    const [from, to] = [y(ranks[layer - 1]), y(ranks[layer])];
    const factor = Math.round(ranks[layer - 1] / ranks[layer]);
    const isLeft = middles[layer - 1] - 60 < GUTTER;
    return [
      svg("line.fall", { x1: middles[layer - 1], y1: from, x2: middles[layer], y2: to }),
      svg(
        "text.factor",
        {
          x: isLeft ? middles[layer] + 6 : middles[layer - 1] - 4,
          y: (from + to) / 2 - 2,
          "text-anchor": isLeft ? "start" : "end",
          "font-size": 14,
        },
        `÷\u00a0${factor.toLocaleString("en")}`,
      ),
    ];
  }

  const nameOf = (layer, middles, height) =>
    svg(
      "text.axis",
      { x: middles[layer], y: height - 4, "text-anchor": layer ? "middle" : "start", "font-size": 12 },
      layer ? `${layer}` : "layer 0",
    );

  root.addEventListener("click", (event) => {
    const layer = /** @type {SVGElement} */ (event.target).closest("[data-layer]")?.getAttribute("data-layer");
    if (layer) selectLayer(Number(layer));
  });
  return viewOf(parent, root, tokens, draw);
}
