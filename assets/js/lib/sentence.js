/** A sentence: how large its words are, where they stand, what tints them, and the arcs over them as nodes. */

import { inkOver } from "./chart.js";
import { css, rampAt } from "./colour.js";
import { element, percentText, svg } from "./spans.js";
/** @import { Box } from "./arcs.js" */

/** @typedef {{text?: string, space?: boolean, at?: number | null}} Piece with white space before it; `at` is a word's place */

const SMALLEST = 34; // of a sentence on one line
const LARGEST = { screen: 74, lecture: 118 }; // and the largest
const LARGEST_ON = 0.075; // of a low window, so that what is below the sentence is seen as well
const BLOCK_SIZES = [34, 28, 23, 19, 17]; // of a sentence on several lines
const BLOCK_LINES = 4;
const EDGES = { up: 0.13, down: 1.33 }; // of the size, from the top of a line to where arcs begin
const ARC_TONE = 0.72; // of the ramp

/** The ink of arcs that belong to no reading. */
export const arcInk = (colours) => css(rampAt(colours.ramp, ARC_TONE));

/** The largest type of a sentence in a window of a height in px; in a lecture hall it is the sentence that counts. */
export function largestType(lecture, height) {
  return lecture ? LARGEST.lecture : Math.max(SMALLEST, Math.min(LARGEST.screen, Math.round(LARGEST_ON * height)));
}

/** How wide words are on one line, in sizes. @param {Element} gauge an unseen element @param {(Element | string)[]} words */
export function wholeWidth(gauge, words) {
  const line = element("div.sentence", ...words);
  gauge.replaceChildren(line);
  const width = line.offsetWidth / 100; // of 100 px
  gauge.replaceChildren();
  return width;
}

/** The largest half px at which words of a width in sizes fit a line, or null when even the smallest is too wide. */
export function lineSize(whole, column, largest, smallest = SMALLEST) {
  const size = Math.min(largest, Math.floor((2 * column) / Math.max(whole, 0.01)) / 2);
  return size >= Math.min(smallest, largest) ? size : null;
}

/** The size for several lines: the largest that needs no more than four of them, else the smallest. */
export function blockSize(whole, column, largest = SMALLEST) {
  const sizes = BLOCK_SIZES.filter((size) => size <= largest);
  return sizes.find((size) => Math.ceil((1.08 * whole * size) / column) <= BLOCK_LINES) ?? BLOCK_SIZES.at(-1);
}

/** Where a word stands in what holds its line; no matter how large a printer makes the page. @returns {Box} */
export const boxOf = (/** @type {HTMLElement} */ { offsetLeft: x, offsetWidth: width }) => ({ x, width });

/** Where arcs above and below a line begin: its top and size, in px. */
export const edgesOf = (top, size) => ({
  up: { y: top + EDGES.up * size, up: true },
  down: { y: top + EDGES.down * size, up: false },
});

/** Pieces as nodes with the white space between them. @param {Piece[]} pieces @param {(piece: Piece) => Element} nodeOf */
export const flowed = (pieces, nodeOf) => pieces.flatMap((piece, i) => [piece.space && i ? " " : "", nodeOf(piece)]);

/** Gives a node a colour as its ground, and ink that is read on it; none takes both away. @param {HTMLElement} node */
export function tint(node, colour, colours) {
  node.style.background = colour ? css(colour) : "";
  node.style.color = colour ? inkOver(colour, colours) : "";
}

/** A bar of a share in whole per cents, with a tick at what is usual, if that is known. */
export function shareBar(percent, usual, { side = "", ink = "" } = {}) {
  return element(
    "span",
    { class: `share-bar ${side && `of-${side}`}` },
    element("i", { style: `width:${percent}%${ink && `;background:${ink}`}` }),
    Number.isFinite(usual) && element("u", { style: `left:${usual}%` }),
  );
}

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
