/**
 * A sentence: how large its words are and where each stands, on one line or several; what marks and tints them; and the
 * arcs over them as nodes. Words come as pieces, white space before them; `at` is a word's place, null for what has none.
 */

import { box, dot, inkOver, stroked, written } from "./chart.js";
import { css, rampAt } from "./colour.js";
import { element, percentText, svg } from "./spans.js";
/** @import { Box } from "./arcs.js" */

/** @typedef {{text?: string, space?: boolean, at?: number | null, rtl?: boolean}} Piece */

const SMALLEST = 34; // of a sentence on one line
const LARGEST = { screen: 74, lecture: 118 }; // and the largest
const LARGEST_ON = 0.075; // of a low window, so that what is below the sentence is seen as well
const BLOCK_SIZES = [34, 28, 23, 19, 17]; // of a sentence on several lines
const BLOCK_LINES = 4;
const WORD_GAP = 0.3; // of the font size
const PIECE_GAP = 0.1; // between the tokens of one word
export const BLOCK_LEADING = 1.42;
export const LEADING = 1.22; // of a sentence on one line, in sizes
const BASE = 0.8; // of the size, from the top of a line to what its words stand on
const UNDER = 0.17; // of the size, from there to the line under a word
const FEET = { above: -2, below: 0.37 }; // px above the top of a line, sizes below what words stand on: where arcs begin
const IN = { base: 0.82, below: 0.34 }; // the same of text in a picture
const WASH = { x: 4, y: -0.75, height: 1.12 }; // behind a word of a picture: px beside it, sizes from what it stands on
const ARC_TONE = 0.72; // of the ramp

/** The ink of arcs that belong to no reading. */
export const arcInk = (colours) => css(rampAt(colours.ramp, ARC_TONE));

// How large words are and where they stand.

/** White space before each piece, in font sizes; pieces that touch in the text touch here unless both carry attention. @param {Piece[]} pieces */
export function gapsBefore(pieces) {
  return pieces.map((piece, i) => {
    if (i === 0) return 0;
    if (piece.space) return WORD_GAP;
    return Number.isInteger(piece.at) && Number.isInteger(pieces[i - 1].at) ? PIECE_GAP : 0;
  });
}

/** The largest type of a sentence in a window of a height in px; in a lecture hall it is the sentence that counts. */
export function largestType(lecture, height) {
  return lecture ? LARGEST.lecture : Math.max(SMALLEST, Math.min(LARGEST.screen, Math.round(LARGEST_ON * height)));
}

/**
 * The size at which all pieces fit one line, or null when even the smallest is too wide.
 * @param {number[]} widths of the pieces at size 1 @param {number[]} gaps in sizes
 */
export function lineSize(widths, gaps, column, largest, smallest = SMALLEST) {
  const size = fittingSize(widths, gaps, column, largest);
  return size >= Math.min(smallest, largest) ? size : null;
}

/**
 * Where each piece of a sentence stands on one line, at the largest size that fits.
 * @param {Piece[]} pieces @param {(text: string) => number} gauge widths at size 1
 */
export function sentenceLine(pieces, gauge, column, largest, smallest) {
  const [widths, gaps] = [pieces.map(({ text }) => gauge(text)), gapsBefore(pieces)];
  const size = Math.max(smallest, fittingSize(widths, gaps, column, largest));
  return {
    size,
    boxes: lineBoxes(widths, gaps, size, pieces[0]?.rtl),
    fits: (sum(widths) + sum(gaps)) * size <= column + 1,
  };
}

/** The largest half px at which one line fits a column. */
function fittingSize(widths, gaps, column, largest) {
  return Math.min(largest, Math.floor((2 * column) / Math.max(sum(widths) + sum(gaps), 0.01)) / 2);
}

/** The size for several lines: the largest that needs no more than four of them, else the smallest. */
export function blockSize(widths, gaps, column) {
  const total = sum(widths) + sum(gaps);
  return BLOCK_SIZES.find((size) => Math.ceil((1.08 * total * size) / column) <= BLOCK_LINES) ?? BLOCK_SIZES.at(-1);
}

/** Left edge and width of each piece on one line, in px; of a text from right to left the first is the rightmost. @returns {Box[]} */
export function lineBoxes(widths, gaps, size, rtl = false) {
  let x = 0;
  const boxes = widths.map((width, i) => {
    x += gaps[i] * size;
    const box = { x, width: width * size };
    x += box.width;
    return box;
  });
  return rtl ? mirrored(boxes) : boxes;
}

/** The same boxes for a text that runs from right to left: the first piece is the rightmost. */
export function mirrored(boxes) {
  const end = boxes.reduce((far, { x, width }) => Math.max(far, x + width), 0);
  return boxes.map((box) => ({ ...box, x: end - box.x - box.width }));
}

/** The boxes of the pieces that have a place, by it. @param {Piece[]} pieces @param {Box[]} boxes */
export function byPlace(pieces, boxes) {
  const found = [];
  pieces.forEach(({ at }, i) => Number.isInteger(at) && (found[at] = boxes[i]));
  return found;
}

function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}

// How wide words are as the browser sets them.

/**
 * The widths of words as the browser sets them, and where their line stands, at size 1.
 * @param {Element} gauge an unseen element that sets a `.sentence` in 100 px @param {Element[]} words to put in it
 */
export function measured(gauge, words) {
  const foot = element("i");
  const line = element("div.sentence", ...words, foot);
  gauge.replaceChildren(line);
  const top = line.getBoundingClientRect().top;
  const found = {
    widths: words.map((word) => word.getBoundingClientRect().width / 100),
    baseline: (foot.getBoundingClientRect().bottom - top) / 100,
  };
  gauge.replaceChildren();
  return found;
}

/**
 * A measurer of serif words as the browser will set them; canvas widths are wrong for fonts with optical sizes. Its
 * `again` measures all that it knows once more and says whether any is set otherwise than it was.
 */
export function wordGauge(root) {
  const gauge = element("span.serif-gauge", { "aria-hidden": "true" });
  root.append(gauge);
  const known = new Map();
  function measure(text) {
    gauge.textContent = text;
    known.set(text, gauge.getBoundingClientRect().width / 100);
  }
  const widthOf = (/** @type {string} */ text) => {
    if (!known.has(text)) measure(text);
    return known.get(text);
  };
  return Object.assign(widthOf, {
    again() {
      const before = [...known];
      for (const [text] of before) measure(text);
      return before.some(([text, width]) => known.get(text) !== width);
    },
  });
}

// Words as elements.

/** Pieces as nodes with the white space between them; `nodesOf` may give several for one. @param {Piece[]} pieces */
export function flowed(pieces, nodesOf) {
  return pieces.flatMap((piece, i) => [...(piece.space && i ? [" "] : []), ...[nodesOf(piece, i)].flat()]);
}

/**
 * Puts words beside each other on one line with room above and below it for arcs.
 * @param {HTMLElement} row that holds them @param {HTMLElement[]} words @param {Box[]} boxes
 * @param {{size: number, baseline: number, above: number, below: number}} line px of type, sizes to what words stand on, px of room
 * @returns {{height: number, up: {y: number, up: boolean}, down: {y: number, up: boolean}}} px of all, and where arcs begin
 */
export function setLine(row, words, boxes, { size, baseline, above, below }) {
  const base = above + size * BASE;
  row.style.cssText = `font-size:${size}px;top:${base - size * baseline}px`;
  words.forEach((word, i) => {
    word.style.left = `${boxes[i].x}px`;
    word.style.setProperty("--under", `${size * (baseline + UNDER)}px`);
  });
  return {
    height: above + size * LEADING + below,
    up: { y: above + FEET.above, up: true },
    down: { y: base + size * FEET.below, up: false },
  };
}

/** Gives a node a colour as its ground, and ink that is read on it; none takes both away. @param {HTMLElement} node */
export function tint(node, colour, colours) {
  node.style.background = colour ? css(colour) : "";
  node.style.color = colour ? inkOver(colour, colours) : "";
}

/** A bar of a share in whole per cents, with a tick at what is usual, if that is known. */
export function shareBar(percent, usual, { side = "", ink = "" } = {}) {
  const tick = usual === null || usual === undefined ? [] : [element("u", { style: `left:${usual}%` })];
  return element(
    "span",
    { class: `share-bar ${side ? `of-${side}` : ""}` },
    element("i", { style: `width:${percent}%${ink && `;background:${ink}`}` }),
    ...tick,
  );
}

// Words as text of a picture.

/** Where the parts of a line stand in a picture: what words stand on, and where arcs above and below it begin. */
export function lineIn(above, size) {
  const base = above + size * IN.base;
  return { base, up: { y: above, up: true }, down: { y: base + size * IN.below, up: false } };
}

/**
 * One line of a picture: behind the words what marks them, then `arcs`, the words, and the lines under them.
 * @param {Piece[]} pieces @param {Box[]} boxes @param {{base: number, size: number, ground?: typeof WASH}} line
 * @param {{wash?: (at: number) => string | undefined, under?: number | null, dots?: number | null, muted?: (piece: Piece) => boolean}} marks
 * colour behind a word; the word with a line under it, and that with dots
 * @param {Element[]} arcs
 */
export function lineNodes(
  pieces,
  boxes,
  { base, size, ground = WASH },
  { wash = () => undefined, under = null, dots = null, muted = ({ at }) => at === null },
  arcs = [],
) {
  const [behind, words, below] = [[], [], []];
  pieces.forEach((piece, i) => {
    const { x, width } = boxes[i];
    const { at } = piece;
    if (!piece.text) return;
    const [left, wide] = [x - ground.x, width + 2 * ground.x];
    if (wash(at)) behind.push(box(left, base + size * ground.y, wide, size * ground.height, wash(at), { rx: 4 }));
    words.push(written(x, base, piece.text, muted(piece) ? "serif muted-ink" : "serif", size));
    if (at !== null && at === under) below.push(box(x, base + size * UNDER, width, size > 34 ? 3 : 2, "currentColor"));
    else if (at !== null && at === dots) below.push(cueDots(x, width, base + size * (UNDER + 0.05), size));
  });
  return [...behind, ...arcs, ...words, ...below];
}

/** A row of round dots, the sign of the cue, under a word of a size. */
export function cueDots(x, width, y, size) {
  const [radius, step] = size > 34 ? [1.9, 9] : [1.2, 5];
  const count = Math.max(2, Math.round(width / step));
  const dots = Array.from({ length: count }, (_, i) => dot(x + (width * (i + 0.5)) / count, y, radius, "currentColor"));
  return svg("g.cue-dots", dots);
}

// Arcs as nodes.

/** Shapes of arcs without their numbers, where more is said of each. */
export const unnumbered = (shapes) => shapes.map((shape) => ({ ...shape, label: null }));

/**
 * Arcs with their arrow heads, and above all of them their numbers.
 * @param {{path: string, arrow: string, width: number, opacity: number, side?: string, ink?: string, link: {weight: number}, label?: any}[]} shapes
 * @param {string} ink of arcs that have none of their own and belong to no reading
 */
export function arcNodes(shapes, ink) {
  const lines = shapes.flatMap(
    ({ path, arrow, width, opacity, side, ink: own = side ? `var(--${side}-graphic)` : ink }) => [
      svg("path", { d: path, fill: "none", style: `stroke:${own}`, "stroke-width": width, "stroke-opacity": opacity }),
      svg("path", { d: arrow, style: `fill:${own}`, "fill-opacity": opacity }),
    ],
  );
  return [...lines, ...shapes.flatMap(({ link, label }) => (label ? [arcNumber(link, label)] : []))];
}

/** The number of an arc, its share or the text of its label, with what is usual where that says so. */
function arcNumber({ weight }, { x, y, anchor, strong, text = percentText(Math.round(weight * 100)), usually = null }) {
  const usual = usually === null ? [] : [svg("tspan.usually", { dx: 8 }, `usually ${percentText(usually)}`)];
  return svg("text", { x, y, class: strong ? "arc-label" : "arc-label other", "text-anchor": anchor }, text, ...usual);
}
