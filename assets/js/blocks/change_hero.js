/** Both sentences with equal words above each other, and where one word looks in each. */

import { middleOf, oneArc, riseOf } from "../lib/arcs.js";
import { rampAt } from "../lib/colour.js";
import { arcInk, arcNodes, lineBoxes, lineIn, lineNodes, lineSize, tint } from "../lib/sentence.js";
import { element } from "../lib/spans.js";
import { drawing, wholePercent, written } from "../lib/chart.js";

const GAP = 0.3; // of the size, between words
const SIDE = 96; // px for "original" and "changed"
const LARGEST = 62;
const SMALLEST = 22;
const EDGE = 8; // px right of the last word, for the wash behind it
const RISE = 74;
const ABOVE = RISE + 52; // px for the arcs of a line
const GROUND = { x: 7, y: -0.82, height: 1.14 }; // of a word that is another: px beside it, sizes

/** The size of both lines and where each column stands, as wide as the longer word; null where they do not fit. */
export function columnsLine(widths, column, rtl = false, largest = LARGEST, smallest = SMALLEST) {
  const gaps = widths.map((_, i) => (i ? GAP : 0));
  const size = lineSize(widths, gaps, column, largest, smallest);
  return size && { size, places: lineBoxes(widths, gaps, size, rtl) };
}

/** @type {Drawer<"change_hero">} */
export function hero(block, { colours, width, narrow, gauge, legend }) {
  const widths = block.columns.map(({ first, second }) => Math.max(gauge(first ?? ""), gauge(second ?? "")));
  const line = narrow ? null : columnsLine(widths, width - SIDE - EDGE, block.rtl);
  if (!line) return [tinted(block, "first", colours, legend), tinted(block, "second", colours, legend)];
  return picture(block, line, colours, width, gauge, legend);
}

/** @param {Blocks["change_hero"]} block */
function picture(block, { size, places }, colours, width, gauge, legend) {
  const lines = [lineIn(ABOVE, size), lineIn(ABOVE + 1.4 * size, size)];
  const drawn = drawing(width, lines[1].base + size * 0.3 + RISE + 56, block.label);
  drawn.append(written(0, 20, block.head, "code", 15));
  ["first", "second"].forEach((side, i) => {
    const { base, up, down } = lines[i];
    const boxes = block.columns.map((column, at) => {
      const wide = gauge(column[side] ?? "") * size;
      return { x: SIDE + places[at].x + (block.rtl ? places[at].width - wide : 0), width: wide };
    });
    const pieces = block.columns.map((column, at) => ({ text: column[side] ?? "", at }));
    const there = (at) => block.columns[at][side] !== null && block.columns[at][side] !== undefined;
    const marks = {
      wash: (at) => (block.columns[at].same || !there(at) ? undefined : colours.changed),
      under: there(block.query) ? block.query : null,
      muted: ({ at }) => side === "second" && block.columns[at].same && at !== block.query,
    };
    const shapes = looksOf(block, side, boxes, i ? down : up, colours);
    drawn.append(
      written(0, base, legend[side], "serif italic", 20),
      ...lineNodes(pieces, boxes, { base, size, ground: GROUND }, marks, arcNodes(shapes, arcInk(colours))),
    );
  });
  return drawn;
}

/** The looks of one sentence as shapes: grey, and the one that is told in ink with its number. @param {Blocks["change_hero"]} block */
function looksOf(block, side, boxes, { y, up }, colours) {
  const looks = block[side].filter(([at]) => block.columns[at][side] !== null);
  const from = middleOf(boxes[block.query]);
  const span = (at) => Math.abs(middleOf(boxes[at]) - from);
  const widest = Math.max(1, ...looks.map(([at]) => span(at)));
  const ordered = [...looks].sort(([a], [b]) => Number(a === block.key) - Number(b === block.key));
  return ordered.map(([at, weight]) => {
    const arc = oneArc({
      from,
      to: middleOf(boxes[at]),
      y,
      up,
      weight,
      rise: riseOf(span(at), widest, RISE),
      least: 1.2,
    });
    return at === block.key ? arc : { ...arc, ink: colours.control_border, opacity: 0.55, label: null };
  });
}

/**
 * A sentence that flows, its words tinted by what the word gives them: for a phone, and for long sentences.
 * @param {Blocks["change_hero"]} block
 */
function tinted(block, side, colours, legend) {
  const shares = new Map(block[side]);
  const words = block.columns.flatMap((column, at) => {
    if (column[side] === null || column[side] === undefined) return [];
    const node = element(
      "span",
      { class: `tinted${at === block.query ? " looking" : ""}${column.same ? "" : " changed"}` },
      column[side],
    );
    if (shares.get(at)) tint(node, rampAt(colours.ramp, shares.get(at)), colours);
    return [node, ...(at === block.key ? [element("b", ` ${wholePercent(shares.get(at) ?? 0)}`)] : []), " "];
  });
  return element(
    "div.change-line",
    element("p.change-side", element("i", legend[side]), " ", element("span.say-head", block.head)),
    element("p.change-words", { dir: block.rtl ? "rtl" : "ltr" }, ...words),
  );
}

/** The words of both sides as buttons: choose one of each, and they are paired. @type {Drawer<"change_words">} */
export function words(block, { legend }) {
  return ["first", "second"].map((side) => {
    const buttons = block[side].map(([text, at, state]) =>
      element(
        "button",
        {
          class: `pair-word ${state}`,
          "data-act": `${side} ${at}`,
          "aria-pressed": state === "chosen",
          "aria-label": `${text}, ${legend[state]}`,
        },
        text,
      ),
    );
    return element("div.pair-line", { dir: block.rtl ? "rtl" : "ltr" }, element("i", legend[side]), ...buttons);
  });
}
