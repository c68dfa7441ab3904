/**
 * Two texts with equal words above each other, and where one word looks in each: arcs above the first and below the
 * second. Texts that do not fit one line are written below each other, their words tinted.
 */

import { middleOf, oneArc, riseOf } from "../lib/arcs.js";
import { drawing, wholePercent, written } from "../lib/chart.js";
import { dress, rampAt } from "../lib/colour.js";
import { viewOf } from "../lib/mount.js";
import { arcInk, arcNodes, lineBoxes, lineIn, lineNodes, lineSize, tint, wordGauge } from "../lib/sentence.js";
import { element, refill } from "../lib/spans.js";

const PHONE = 640; // px
const GAP = 0.3; // of the size, between words
const SIDE = 96; // px for the title of a line
const LARGEST = 58;
const SMALLEST = 22;
const EDGE = 8; // px right of the last word, for the wash behind it
const RISE = 64; // px of the widest arc
const ABOVE = RISE + 40; // px for the arcs of a line
const CALM = 12; // px above and below lines without arcs
const GROUND = { x: 7, y: -0.82, height: 1.14 }; // of a changed word: px beside it, sizes

/**
 * @typedef {[string | null, string | null, boolean]} Column the word of each text, and whether it stayed
 * @typedef {{columns: Column[], titles: [string, string], rtl: boolean, label: string, head?: string, query?: number,
 *   key?: number, rows?: [number, number][][]}} VersionsData `rows` has a column and a share for each arc of a text
 */

/** The size of both lines and where each column begins, as wide as the longer word; null if they do not fit. */
export function columnsLine(widths, room, rtl = false, largest = LARGEST, smallest = SMALLEST) {
  const gaps = widths.map((_, i) => (i ? GAP : 0));
  const size = lineSize(widths, gaps, room, largest, smallest);
  return size && { size, places: lineBoxes(widths, gaps, size, rtl) };
}

/** Draws both texts into a root. @param {HTMLElement} root @param {VersionsData} data */
function drawVersions(root, data, colours) {
  const gauge = wordGauge(root);
  const widths = data.columns.map(([first, second]) => Math.max(gauge(first ?? ""), gauge(second ?? "")));
  const width = root.clientWidth;
  const line = width <= PHONE ? null : columnsLine(widths, width - SIDE - EDGE, data.rtl);
  refill(root, line ? picture(data, line, colours, width, gauge) : [0, 1].map((side) => tinted(data, side, colours)));
}

/** @param {VersionsData} data */
function picture(data, { size, places }, colours, width, gauge) {
  const above = data.rows ? ABOVE : CALM;
  const lines = [lineIn(above, size), lineIn(above + 1.4 * size, size)];
  const drawn = drawing(width, lines[1].base + size * 0.3 + above, data.label);
  if (data.head) drawn.append(written(0, 16, data.head, "code", 15));
  [0, 1].forEach((side) => {
    const { base, up, down } = lines[side];
    const boxes = data.columns.map((column, at) => {
      const wide = gauge(column[side] ?? "") * size;
      return { x: SIDE + places[at].x + (data.rtl ? places[at].width - wide : 0), width: wide };
    });
    const pieces = data.columns.map(([...words], at) => ({ text: String(words[side] ?? ""), at }));
    const marks = {
      wash: (at) => (data.columns[at][2] || data.columns[at][side] === null ? undefined : colours.changed),
      under: data.query ?? null,
      muted: ({ at }) => side === 1 && data.columns[at][2] && at !== data.query,
    };
    const shapes = data.rows ? arcsOf(data, side, boxes, side ? down : up, colours) : [];
    drawn.append(
      written(0, base, data.titles[side], "serif italic", 20),
      ...lineNodes(pieces, boxes, { base, size, ground: GROUND }, marks, arcNodes(shapes, arcInk(colours))),
    );
  });
  return drawn;
}

/** The arcs of one text: grey, and the one that changes most in ink with its number. @param {VersionsData} data */
function arcsOf(data, side, boxes, { y, up }, colours) {
  const from = middleOf(boxes[data.query]);
  const span = (at) => Math.abs(middleOf(boxes[at]) - from);
  const widest = Math.max(1, ...data.rows[side].map(([at]) => span(at)));
  const ordered = [...data.rows[side]].sort(([a], [b]) => Number(a === data.key) - Number(b === data.key));
  return ordered.map(([at, weight]) => {
    const rise = riseOf(span(at), widest, RISE);
    const arc = oneArc({ from, to: middleOf(boxes[at]), y, up, weight, rise, least: 1.2 });
    return at === data.key ? arc : { ...arc, ink: colours.control_border, opacity: 0.55, label: null };
  });
}

/** A text that flows, its words tinted by what one word gives them. @param {VersionsData} data */
function tinted(data, side, colours) {
  const shares = new Map(data.rows?.[side] ?? []);
  const words = data.columns.flatMap((column, at) => {
    if (column[side] === null) return [];
    const look = `${at === data.query ? "looking" : ""} ${column[2] ? "" : "changed"}`;
    const node = element("span.tinted", { class: look }, column[side]);
    if (shares.get(at)) tint(node, rampAt(colours.ramp, shares.get(at)), colours);
    return [node, ...(at === data.key ? [element("b", ` ${wholePercent(shares.get(at) ?? 0)}`)] : []), " "];
  });
  return element(
    "div.version",
    element("p.side", element("i", data.titles[side]), " ", element("span.head", data.head ?? "")),
    element("p.flow", { dir: data.rtl ? "rtl" : "ltr" }, ...words),
  );
}

/** Mounts two versions of a text into a place. @param {Element} parent */
export default function versions(parent, tokens) {
  const root = element("div.parallax.versions");
  const draw = (/** @type {VersionsData} */ data) => drawVersions(root, data, dress(root, tokens));
  return viewOf(parent, root, draw, ['400 30px "Source Serif"', '600 15px "Source Sans"']);
}
