/** Layers × heads: thumbnails in rows that screen readers and a keyboard walk, or marks in one picture. */

import { element } from "./spans.js";

const WIDEST = 137; // px from one thumbnail to the next

/**
 * The side of a thumbnail, how far apart their columns stand, in px, and whether the grid scrolls inside itself.
 * Rounded down to whole cells, unless that would waste a fifth of the room. ``sideways`` layers run from left to right.
 */
export function thumbnailSize({ column, heads, cells, narrow, large, sideways = 0 }) {
  const labels = narrow || sideways ? 34 : large ? 84 : 56;
  if (narrow) return { labels, pitch: 76, side: wholeCells(65, cells), scrolls: true };
  if (sideways) {
    const pitch = Math.max(24, Math.min(60, Math.floor((column - labels) / sideways)));
    return { labels, pitch, side: pitch - 3, scrolls: labels + pitch * sideways > column };
  }
  const pitch = Math.max(54, Math.min(WIDEST, Math.floor((column - labels) / heads)));
  return { labels, pitch, side: wholeCells(pitch - 17, cells), scrolls: labels + pitch * heads > column };
}

/** Down to whole cells, unless that would waste a fifth of the room. */
function wholeCells(room, cells) {
  const side = Math.floor(room / cells) * cells;
  return side >= 0.8 * room ? side : room;
}

/** What a head is called. */
const headName = (layer, head) => `L${layer}H${head}`;

/** What the head of a number among all is called, where a layer has so many. */
export const nthHead = (index, heads) => headName(Math.floor(index / heads), index % heads);

/**
 * The rows of a grid of heads: the names of its columns, then a layer each, or a head each if layers run `sideways`.
 * Every cell is what `cellOf` makes of a head. Between rows that share keys and values there is no gap (`group` heads).
 * @param {{layers: number, heads: number, narrow: boolean, sideways?: boolean, group?: number}} shape
 * @param {(layer: number, head: number) => Element} cellOf
 */
export function headRows({ layers, heads, narrow, sideways = false, group = 1 }, cellOf) {
  const counted = (length) => Array.from({ length }, (_, number) => number);
  const corner = element("span.corner", { role: "columnheader" }, element("span.unseen", "layer"));
  const named = (number) => (sideways ? `${number}` : `H${number}`);
  const columns = counted(sideways ? layers : heads);
  const names = columns.map((number) => element("span.column-label", { role: "columnheader" }, named(number)));
  const rows = counted(sideways ? heads : layers).map((row) => {
    const name = element("span.row-label", { role: "rowheader" }, sideways ? `H${row}` : layerName(row, narrow));
    const begins = sideways && group > 1 && row > 0 && row % group === 0;
    const cells = columns.map((column) => (sideways ? cellOf(column, row) : cellOf(row, column)));
    return element("div.row", { role: "row", class: begins ? "begins" : "" }, name, ...cells);
  });
  return [element("div.row", { role: "row" }, corner, ...names), ...rows];
}

/** Cells of which the Tab key reaches one: `reach` makes it another, and gives it the focus if asked. */
export function oneReached(cells, current = 0) {
  let now = Math.min(current, cells.length - 1);
  cells.forEach((cell, i) => (cell.tabIndex = i === now ? 0 : -1));
  return {
    get now() {
      return now;
    },
    reach(index, focus) {
      cells[now].tabIndex = -1;
      cells[(now = index)].tabIndex = 0;
      if (focus) cells[now].focus();
    },
  };
}

/** The name of a layer as it stands beside a row. */
const layerName = (layer, narrow) => (narrow ? `L${layer}` : `Layer ${layer}`);
