/** Words that look at words: rows look at columns, cells on a canvas; what is hidden is hatched. */

import { drawing, frame, inkOver, written } from "./chart.js";
import { css } from "./colour.js";
import { element, svg } from "./spans.js";

export const FULL = 65535; // of a weight of 1 as it travels
const GAP_FROM = 8; // px of a cell, above which one px stands between two
const TURN = 46; // degrees
const WORD = 13; // px between two words that do not touch
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

/** Of how many words in a row one is written, so that none touches another. */
export const everyWord = (cell) => Math.max(1, Math.ceil(WORD / cell));

/**
 * A map on a sheet of its own: words on both sides, those of the columns turned, and a cell for each that has a colour.
 * An empty word is not written, and none where they would touch. Cells are one image: thousands of marks are slow.
 * @param {object} map
 * @param {string[]} map.rows @param {string[]} map.columns @param {string} map.label
 * @param {number} map.cell px @param {number} map.beside px for the words of rows @param {number} map.above and of columns
 * @param {number} map.after px behind the last column @param {number} map.below @param {any} map.colours
 * @param {(q: number, k: number) => number[]} map.colour @param {(q: number, k: number) => string} map.text
 */
export function wordMap({ rows, columns, label, cell, beside, above, after, below, colours, colour, text }) {
  const [wide, high] = [columns.length * cell, rows.length * cell];
  const left = (k) => beside + k * cell;
  const rowAt = (q) => above + (q + 0.5) * cell;
  const picture = drawing(beside + wide + after, above + high + below, label);
  const every = everyWord(cell);
  columns.forEach((word, k) => {
    if (!word || k % every) return;
    const [x, y] = [left(k + 0.5), above - 8];
    picture.append(written(x, y, word, "", 13, { transform: `rotate(${-TURN} ${x} ${y})` }));
  });
  rows.forEach((word, q) => {
    if (word && q % every === 0) picture.append(written(beside - 8, rowAt(q) + 4.5, word, "end"));
  });
  const { canvas, pen } = sheet(wide, high);
  const numbers = [];
  const shape = { rows: rows.length, columns: columns.length, cell, colours, hidden: masked(false), colour };
  paintCells(pen, shape, (q, k, paint) => {
    const size = Math.min(13, Math.max(9, cell * 0.45));
    const ink = { style: `fill:${inkOver(paint, colours)}` };
    if (text(q, k)) numbers.push(written(left(k + 0.5), rowAt(q) + 4.5, text(q, k), "code middle", size, ink));
  });
  const cells = { x: beside, y: above, width: wide, height: high, href: canvas.toDataURL() };
  picture.append(svg("image", { ...cells, preserveAspectRatio: "none" }), ...numbers);
  picture.append(frame(beside - 0.5, above - 0.5, wide, high, colours.border));
  return {
    picture,
    /** The middle of a row, in px. */
    rowAt,
    /** A frame around a cell. */
    framed: (q, k, stroke, thick) => frame(left(k) - 1, above + q * cell - 1, cell + 1, cell + 1, stroke, thick),
  };
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
