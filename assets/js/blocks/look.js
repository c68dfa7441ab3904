/** Where heads look: one head's arcs and heatmap around the pivot, and the lean of every head. */

import { fainter, middleOf, oneArc, riseOf } from "../lib/arcs.js";
import { css, parseColour, rampAt } from "../lib/colour.js";
import { eachHead, headName, headNumbers, layerNames } from "../lib/grid.js";
import { arcNodes, byPlace, lineIn, lineNodes, sentenceLine } from "../lib/sentence.js";
import { element, svg } from "../lib/spans.js";
import { letterChip } from "./caption.js";
import {
  box,
  dot,
  drawing,
  frame,
  headButton,
  keyEntries,
  level,
  readingMark,
  sample,
  wholePercent,
  written,
} from "../lib/chart.js";
import { cellNumber, masked, shortened, wordMap } from "../lib/map.js";
import { washOf } from "./looks.js";

const MINI_ROOM = 108; // px above the words of a small sentence
const MINI_RISE = 70; // of its highest arc
const MINI_WIDEST = 10; // px of an arc of 100 %
const MINI_FROM = 0.08; // weaker looks have no arc
const LONGEST = 14; // letters of a word beside a map
const NUMBERED = 24; // px of a cell from which on its number is written

/** The looks into and out of the pivot that get an arc: [{q, k, w, side}], side "a", "b" or "", weakest first. */
export function pivotLooks(weights, { pivot, a, b, empty }) {
  const found = [];
  weights.forEach((row, q) =>
    row.forEach((w, k) => {
      if (q === k || w < MINI_FROM || empty.includes(q) || (q !== pivot && k !== pivot)) return;
      const other = q === pivot ? k : q;
      found.push({ q, k, w, side: a.includes(other) ? "a" : b.includes(other) ? "b" : "" });
    }),
  );
  return found.sort((one, two) => one.w - two.w);
}

/**
 * One head's line, with the letter of the side it leans to and what was set aside, and its arcs.
 * @type {Drawer<"mini_sentence">}
 */
function miniSentence(block, { colours, width, narrow, gauge }) {
  const { size, boxes } = sentenceLine(block.pieces, gauge, width - 8, narrow ? 24 : 34, 9);
  const picture = drawing(width, MINI_ROOM + size * 1.5, block.label);
  picture.style.maxWidth = "100%";
  const { base } = lineIn(MINI_ROOM, size);
  const placed = byPlace(block.pieces, boxes);
  const looks = pivotLooks(block.weights, block);
  const span = ({ q, k }) => Math.abs(middleOf(placed[q]) - middleOf(placed[k]));
  const widest = Math.max(1, ...looks.map(span));
  const best = looks.findLast(({ side }) => side);
  const shapes = looks.map((look) => {
    const inwards = middleOf(placed[look.q]) < middleOf(placed[look.k]) ? 4 : -4;
    const arc = oneArc({
      from: middleOf(placed[look.q]) + inwards,
      to: middleOf(placed[look.k]) - inwards,
      y: MINI_ROOM - 4,
      weight: look.w,
      rise: riseOf(span(look), widest, MINI_RISE),
      widest: MINI_WIDEST,
    });
    const label = look === best ? { ...arc.label, y: Math.max(14, arc.label.y) } : null;
    return { ...arc, side: look.side, opacity: look.side ? 1 : fainter(look.w), label };
  });
  const marks = { wash: washOf(block, colours), under: block.pivot, dots: block.cue };
  picture.append(...lineNodes(block.pieces, boxes, { base, size }, marks, arcNodes(shapes, colours.control_border)));
  const name = [element("span.head-name", block.name), element("span.badge", block.badge)];
  return [element("div.head_line", letterChip(block.letter), ...name), picture];
}

/** @type {Drawer<"mini_heatmap">} */
function miniHeatmap(block, { colours, width, narrow, id, legend }) {
  const words = block.words.map((word) => shortened(word, LONGEST));
  const longest = Math.max(...words.map((word) => word.length));
  const [beside, above, bars] = [longest * 7.4 + 16, longest * 5.4 + 26, narrow ? 34 : 48];
  const fitting = Math.floor((width - beside - bars - 26) / words.length);
  const cell = Math.max(6, Math.min(narrow ? 34 : 42, fitting));
  const { picture, rowAt, framed } = wordMap({
    rows: words,
    columns: words,
    label: block.label,
    cell,
    beside,
    above,
    after: bars + 22,
    below: 32,
    size: cell < 13 ? 12 : 14,
    colours,
    hidden: masked(block.causal),
    id,
    colour: (q, k) => rampAt(colours.ramp, block.weights[q][k]),
    text: (q, k) => (cell < NUMBERED ? "" : cellNumber(block.weights[q][k])),
  });
  picture.style.maxWidth = "100%";
  const right = beside + words.length * cell;
  const under = `${legend.axes}${block.causal ? legend.hatched : ""}`;
  picture.append(
    ...block.mass.flatMap((part, q) => [
      box(right + 14, rowAt(q) - 4, bars * part, 8, colours.aside),
      frame(right + 13.5, rowAt(q) - 4.5, bars, 9, colours.border),
    ]),
    written(right + 14, above - 8, narrow ? legend.aside_short : legend.aside, "muted-ink", 12),
    written(beside, above + words.length * cell + 22, under, "muted-ink"),
  );
  for (const side of ["a", "b"])
    for (const partner of block[side])
      picture.append(
        framed(block.pivot, partner, colours[side].graphic, Math.min(3, cell / 8)),
        framed(partner, block.pivot, colours[side].graphic, Math.min(3, cell / 8)),
      );
  return picture;
}

/** One head's lean: A round, B square, neither a small dotted ring. Area is a + b, colour how the two divide it. */
function leanMark(x, y, a, b, none, largest, colours) {
  const total = a + b;
  if (none) {
    const [radius, dash] = largest > 12 ? [4, "1.5 2"] : [2.3, "1.2 1.4"];
    return dot(x, y, radius, "none", colours.abstain, largest > 12 ? 1.25 : 1, { "stroke-dasharray": dash });
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

const ROLE_PATHS = {
  back: "M6,0 H-5 m4,-3.5 l-4,3.5 l4,3.5",
  ahead: "M-6,0 H5 m-4,-3.5 l4,3.5 l-4,3.5",
  itself: "M-3.5,3 a4.2,4.2 0 1 1 6,-.5 m.8,-4 l-.6,4.2 l-4,-.8",
};

/** The arrow of a head that looks at a place: one word back, one ahead, itself. */
function roleArrow(x, y, role) {
  return svg("path", {
    d: ROLE_PATHS[role],
    transform: `translate(${x},${y})`,
    fill: "none",
    stroke: "currentColor",
    "stroke-width": 1.4,
    "stroke-linecap": "round",
    "stroke-linejoin": "round",
  });
}

/**
 * Layers × heads of marks; `a` and `b` are strengths [layer][head], `none` marks heads that look along neither link.
 * @type {Drawer<"lean_map">}
 */
function leanMap(block, { colours, width, narrow, legend }) {
  const heads = block.a[0].length;
  const [left, top] = [narrow ? 30 : 64, 24];
  const pitch = Math.min(46, Math.floor((width - left - 2) / heads));
  const [row, lift] = block.roles ? [pitch + (narrow ? 8 : 6), 4] : [pitch, 0]; // room for the arrows
  const places = { left, top, pitch, row, lift, narrow, size: narrow ? 13 : 14, at: 14, sparse: false };
  const largest = pitch * (block.roles ? 0.37 : 0.44);
  const middle = (x, y) => [x + pitch / 2, y + row / 2 - lift];
  const lines = block.a.map((_, layer) => {
    const [, y] = middle(left, top + layer * row);
    return level(y, left, left + heads * pitch, colours.border, { "stroke-opacity": 0.55 });
  });
  const marks = eachHead(block.a, places, (a, layer, head, x1, y1) => {
    const [x, y] = middle(x1, y1);
    const role = block.roles?.[layer][head];
    const mark = leanMark(x, y, a, block.b[layer][head], block.none[layer][head], largest, colours);
    return [
      dot(x, y, pitch * 0.2, colours.background),
      mark,
      ...(role ? [roleArrow(x, y + (narrow ? 12 : 16), role)] : []),
    ];
  });
  const [layer, head] = block.furthest;
  const [x, y] = middle(left + head * pitch, top + layer * row);
  const button = (_, layer, head, x, y) => headButton(x, y, pitch, row, headName(layer, head), legend.hint);
  const picture = drawing(
    left + heads * pitch + 2,
    top + block.a.length * row + 8,
    block.label,
    layerNames(block.a.length, places),
    headNumbers(heads, places),
    lines,
    marks,
    dot(x, y, pitch * (block.roles ? 0.43 : 0.56), "none", "currentColor", 2),
    eachHead(block.a, places, button),
  );
  picture.style.maxWidth = "100%";
  return picture;
}

/** What the marks of a `lean_map` mean. @type {Drawer<"key">} */
export function marksKey(block, { colours, legend }) {
  const none = dot(7, 10, 4, "none", colours.abstain, 1.25, { "stroke-dasharray": "1.5 2" });
  const arrows = block.arrows === false ? [] : Object.keys(ROLE_PATHS);
  return keyEntries(
    [sample(20, 20, dot(10, 10, 8, colours.a.graphic)), legend.a],
    [sample(20, 20, box(2.5, 2.5, 15, 15, colours.b.graphic)), legend.b],
    [sample(14, 20, none), legend.none],
    [sample(20, 20, dot(10, 10, 8, "none", "currentColor", 2)), legend.ring],
    ...arrows.map((role) => [sample(20, 20, roleArrow(10, 10, role)), legend[role]]),
  );
}

/** What the colours and sizes of a `lean_map` mean. @type {Drawer<"key">} */
export function leanLegend(block, { colours, legend }) {
  const stops = colours.diverging.map((colour, i) =>
    svg("stop", { offset: i / (colours.diverging.length - 1), "stop-color": colour }),
  );
  const ends = [legend.from, legend.even, legend.to];
  const ramp = drawing(
    230,
    30,
    legend.ramp,
    svg("defs", svg("linearGradient", { id: "lean-ramp" }, stops)),
    box(14, 0, 202, 10, "url(#lean-ramp)"),
    ends.map((text, i) => written(14 + 101 * i, 25, text, "muted-ink middle")),
  );
  const sizes = drawing(300, 44, legend.sizes);
  let x = 14;
  for (const share of [0.3, 0.6, 1]) {
    const radius = 19 * Math.sqrt(share);
    sizes.append(
      dot(x + radius, 20, radius, "none", colours.control_border),
      written(x + 2 * radius + 5, 25, wholePercent(share), "muted-ink"),
    );
    x += 2 * radius + 52;
  }
  const part = (text, picture) => element("div", element("div.legend-text", text), picture);
  return [part(legend.colour, ramp), part(legend.size, sizes)];
}

export const LOOK_DRAWERS = {
  mini_sentence: miniSentence,
  mini_heatmap: miniHeatmap,
  lean_map: leanMap,
};
