/** Words that look at words: rows look at columns, cells on a canvas; what is hidden is hatched. */

import { css } from "./colour.js";
import { element } from "./spans.js";

export const FULL = 65535; // of a weight of 1 as it travels
const GAP_FROM = 8; // px of a cell, above which one px stands between two
const HATCH = 7; // px from one hairline to the next
const LEGIBLE = 0.045; // of a weight, below which none is written

/** The number in a cell: whole per cents; nothing below 4.5. */
export const cellNumber = (weight) => (weight < LEGIBLE ? "" : String(Math.round(weight * 100)));

/** The cell under a point of a picture that fills its box, as it is drawn; null beside it. */
export function cellUnder(box, x, y, { rows, columns }) {
  const q = Math.floor(((y - box.top) / box.height) * rows);
  const k = Math.floor(((x - box.left) / box.width) * columns);
  return q >= 0 && q < rows && k >= 0 && k < columns ? { q, k } : null;
}

/** The side of a cell as it is painted: a px less where cells are large, a little more where whole px would leave seams. */
const side = (cell) => (cell > GAP_FROM ? cell - 1 : Number.isInteger(cell) ? cell : cell + 0.4);

/** A canvas at the screen's own resolution, and its pen. */
export function sheet(width, height, canvas = element("canvas")) {
  const ratio = Math.max(1, globalThis.devicePixelRatio || 1);
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.cssText = `width:${width}px;height:${height}px`;
  const pen = canvas.getContext("2d");
  pen.scale(ratio, ratio);
  return { canvas, pen };
}

/**
 * The cells of a map on a canvas, those that are hidden hatched together; `drawn` is told of each that has a colour.
 * @param {CanvasRenderingContext2D} pen
 * @param {{rows: number, columns: number, cell: number, colours: any, hidden: (q: number, k: number) => boolean, colour: (q: number, k: number) => number[]}} map
 * @param {(q: number, k: number, colour: number[], x: number, y: number) => void} drawn
 */
export function paintCells(pen, { rows, columns, cell, colours, hidden, colour }, drawn = () => {}) {
  const size = side(cell);
  const absent = []; // runs of hidden cells
  for (let q = 0; q < rows; q++)
    for (let k = 0; k < columns; k++) {
      const [x, y] = [k * cell, q * cell];
      if (!hidden(q, k)) {
        const paint = colour(q, k);
        pen.fillStyle = css(paint);
        pen.fillRect(x, y, size, size);
        drawn(q, k, paint, x, y);
      } else if (absent.at(-1)?.q === q) absent.at(-1).to = k;
      else absent.push({ q, from: k, to: k });
    }
  if (absent.length) hatch(pen, columns * cell, rows * cell, colours.hatch, absent, cell);
}

/** Whether a causal mask hides a cell: nothing looks at what comes later. */
export const masked = (causal) => (q, k) => causal && k > q;

/** Hairlines over runs of cells. @param {{q: number, from: number, to: number}[]} runs */
function hatch(pen, width, height, colour, runs, cell) {
  pen.save();
  pen.beginPath();
  for (const { q, from, to } of runs) pen.rect(from * cell, q * cell, (to - from + 1) * cell, cell);
  pen.clip();
  pen.beginPath();
  for (let at = -height; at < width; at += HATCH) {
    pen.moveTo(at, height);
    pen.lineTo(at + height, 0);
  }
  pen.strokeStyle = colour;
  pen.lineWidth = 0.8;
  pen.stroke();
  pen.restore();
}

/** A line around a map, on the middle of whole px. */
export function edged(pen, width, height, colour) {
  pen.strokeStyle = colour;
  pen.lineWidth = 1;
  pen.strokeRect(0.5, 0.5, width - 1, height - 1);
}

let measuring = null;
/** The px of the longest of some words. */
export function longestLabel(labels, size) {
  measuring ??= document.createElement("canvas").getContext("2d");
  measuring.font = `600 ${size}px "Source Sans", sans-serif`;
  return Math.ceil(Math.max(...labels.map((label) => measuring.measureText(label).width)));
}
