/** Layers × heads: thumbnails in rows that screen readers and a keyboard walk, or marks in one picture. */

import { element, svg } from "./spans.js";

const WIDEST = 137; // px from one thumbnail to the next
const WIDEST_ALONE = 226; // of a grid that stands alone
const HIGHEST_ALONE = 500; // px of all its rows, about, where they are wider

/**
 * The side of a thumbnail, how far apart their columns stand, in px, and whether the grid scrolls inside itself.
 * Rounded down to whole cells, unless that would waste a fifth of the room. `layers` is given where the grid stands alone
 * and few rows may take more room.
 */
export function thumbnailSize({ column, heads, cells, narrow, large, layers = Infinity }) {
  const labels = narrow ? 34 : large ? 84 : 56;
  if (narrow) return { labels, pitch: 76, side: wholeCells(65, cells), scrolls: true };
  const most = Math.max(WIDEST, Math.min(WIDEST_ALONE, Math.floor(HIGHEST_ALONE / layers)));
  const pitch = Math.max(54, Math.min(most, Math.floor((column - labels) / heads)));
  return { labels, pitch, side: wholeCells(pitch - 17, cells), scrolls: labels + pitch * heads > column };
}

/** Down to whole cells, unless that would waste a fifth of the room. */
function wholeCells(room, cells) {
  const side = Math.floor(room / cells) * cells;
  return side >= 0.8 * room ? side : room;
}

export const headName = (layer, head) => `L${layer}H${head}`;

/**
 * The rows of a grid of heads: the names of its columns, then a layer each; every cell is what `cellOf` makes of a head.
 * @param {{layers: number, heads: number, narrow: boolean}} shape @param {(layer: number, head: number) => Element} cellOf
 */
export function headRows({ layers, heads, narrow }, cellOf) {
  const each = Array.from({ length: heads }, (_, head) => head);
  const corner = element("span", { class: "corner", role: "columnheader" }, element("span", { class: "unseen" }, "layer"));
  const names = each.map((head) => element("span", { role: "columnheader", class: "column-label" }, `H${head}`));
  const rows = Array.from({ length: layers }, (_, layer) => {
    const name = element("span", { role: "rowheader", class: "row-label" }, narrow ? `L${layer}` : `Layer ${layer}`);
    return element("div", { role: "row", class: "row" }, name, ...each.map((head) => cellOf(layer, head)));
  });
  return [element("div", { role: "row", class: "row" }, corner, ...names), ...rows];
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

/**
 * @typedef {{layer: number, head: number, name: string, x: number, y: number, left: number, top: number, width: number, height: number}} Cell
 * one head of a picture: the middle of its cell, its corner and its size, in px
 */

/**
 * Layers × heads as marks in one picture, with the names of both.
 * @param {{label: string, layers: number, heads: number, narrow: boolean, left?: number, top?: number, pitch: number, row: number, width?: number, below?: number, lift?: number, sparse?: boolean}} grid
 * px for the names of layers and of heads, of a cell, of all, from the middle of a row up to its marks; whether in small
 * cells only every other head is named
 * @param {(cell: Cell) => Element[]} marks of one head @param {(cell: Cell) => Element[]} over what lies above all marks
 */
export function markGrid({ label, layers, heads, narrow, left = narrow ? 28 : 64, top = 24, pitch, row, width = left + heads * pitch, below = 6, lift = 0, sparse = false }, marks, over = () => []) {
  const height = top + layers * row + below;
  const picture = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label ?? "" });
  picture.style.maxWidth = "100%";
  const text = (x, y, said, attributes) => svg("text", { x, y, ...attributes }, said);
  const above = [];
  for (let layer = 0; layer < layers; layer++) {
    if (left) picture.append(text(0, top + (layer + 0.5) * row - lift + 5, narrow ? `L${layer}` : `Layer ${layer}`, { "font-size": narrow ? 13 : 14 }));
    for (let head = 0; head < heads; head++) {
      const cell = { layer, head, name: headName(layer, head), left: left + head * pitch, top: top + layer * row, width: pitch, height: row, x: left + (head + 0.5) * pitch, y: top + (layer + 0.5) * row - lift };
      if (!layer && top > 2 && (!sparse || pitch > 22 || head % 2 === 0)) picture.append(text(cell.x, top - 10, narrow ? head : `H${head}`, { "font-size": 12, class: "code muted-ink", "text-anchor": "middle" }));
      picture.append(...marks(cell));
      above.push(...over(cell));
    }
  }
  picture.append(...above);
  return picture;
}

/** An invisible cell over a mark, as large as a finger needs; a click on it names the head. */
export function headButton(x, y, width, height, name, hint) {
  return svg("rect", { x, y, width, height, fill: "transparent", class: "head-button", "data-act": name }, svg("title", {}, `${name}: ${hint}`));
}

/** The same over a whole cell of a grid. @param {Cell} cell */
export const cellButton = ({ left, top, width, height, name }, hint) => headButton(left, top, width, height, name, hint);

/** The frame of a pinned head, with its number where it has one. */
export function pinFrame({ x, y, width, height }, number, colours) {
  const frame = svg("rect", { x, y, width, height, rx: 3, fill: "none", stroke: colours.accent, "stroke-width": 2 });
  if (number === null) return [frame];
  const text = svg("text", { x: x + width, y: y + 4, "font-size": 12, "font-weight": 600, "text-anchor": "middle", style: `fill:${colours.on_accent}` }, number);
  return [frame, svg("circle", { cx: x + width, cy: y, r: 9, fill: colours.accent }), text];
}
