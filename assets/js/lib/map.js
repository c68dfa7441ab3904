/** Words that look at words: rows look at columns. A map as marks on a sheet, or as cells on a canvas; what is hidden is hatched. */

import { box, drawing, frame, hatchDefs, inkOver, written } from "./chart.js";
import { css } from "./colour.js";
import { element, svg } from "./spans.js";

export const FULL = 65535; // of a weight of 1 as it travels
const CANVAS_FROM = 24; // rows and columns from which on cells are one image
const GAP_FROM = 8; // px of a cell, above which one px stands between two
const TURN = 46; // degrees
const WORD = 13; // px between two words that do not touch
const HATCH = 7; // px from one hairline to the next
export const LEGIBLE = 0.045; // of a weight, below which none is written

/** The number in a cell: whole per cents; nothing below 4.5. */
export function cellNumber(weight) {
  return weight < LEGIBLE ? "" : String(Math.round(weight * 100));
}

/**
 * The cell under a point of a picture that fills its box, as it is drawn; null beside it, or where the mask hides it.
 * @param {{left: number, top: number, width: number, height: number}} box @param {number} x @param {number} y
 * @param {{rows: number, columns: number, causal?: boolean}} map
 */
export function cellUnder(box, x, y, { rows, columns, causal = false }) {
  const q = Math.floor(((y - box.top) / box.height) * rows);
  const k = Math.floor(((x - box.left) / box.width) * columns);
  return q >= 0 && q < rows && k >= 0 && k < columns && !masked(causal)(q, k) ? { q, k } : null;
}

/** Of how many words in a row one is written, so that none touches another. */
export function everyWord(cell) {
  return Math.max(1, Math.ceil(WORD / cell));
}

/** The first letters of a word that is too long. */
export function shortened(text, most) {
  const letters = [...text];
  return letters.length > most ? `${letters.slice(0, most - 1).join("")}…` : text;
}

/**
 * A map on a sheet of its own: words on both sides, those of the columns turned, and a cell for each that has a colour.
 * An empty word is not written, and none where they would touch.
 * @param {object} map
 * @param {string[]} map.rows @param {string[]} map.columns @param {string} map.label
 * @param {number} map.cell px @param {number} [map.beside] px for the words of rows @param {number} [map.above] and of columns
 * @param {number} [map.after] px behind the last column @param {number} [map.below] @param {number} [map.size] px of words
 * @param {string} [map.look] of words, as `written` takes it @param {(q: number) => string} [map.rowLook]
 * @param {any} map.colours
 * @param {(q: number, k: number) => boolean} [map.hidden] which are hatched @param {string} [map.id] of the hatch
 * @param {string} [map.lines] the colour of a line around each cell
 * @param {(q: number, k: number) => number[] | null} map.colour @param {(q: number, k: number) => string} [map.text]
 */
export function wordMap(map) {
  const { rows, columns, cell, beside = 0, above = 0, after = 0, below = 2, size = 13, look = "", colours } = map;
  const { rowLook = () => "", hidden = () => false, id = "", lines = null, colour, text = () => "" } = map;
  const whole = beside + columns.length * cell + after;
  const left = (k) => beside + k * cell;
  const picture = drawing(whole, above + rows.length * cell + below, map.label);
  const every = everyWord(cell);
  columns.forEach((word, k) => {
    if (!word || k % every) return;
    const [x, y] = [beside + (k + 0.5) * cell, above - 8];
    picture.append(written(x, y, word, look, size, { transform: `rotate(${-TURN} ${x} ${y})` }));
  });
  rows.forEach((word, q) => {
    if (word && q % every === 0)
      picture.append(written(beside - 8, above + (q + 0.5) * cell + 4.5, word, `${look} end ${rowLook(q)}`, size));
  });
  const shape = { rows: rows.length, columns: columns.length, cell, colours, hidden, colour, lines };
  if (id) picture.append(hatchDefs(id, colours));
  if (Math.min(shape.rows, shape.columns) >= CANVAS_FROM) picture.append(asImage(shape, beside, above));
  else
    eachCell(shape, (q, k, paint) => {
      const size = paint ? side(cell) : cell;
      picture.append(box(left(k), above + q * cell, size, size, paint ? css(paint) : `url(#${id})`, { stroke: lines }));
    });
  eachCell(shape, (q, k, paint) => {
    const number = paint ? text(q, k) : "";
    if (!number) return;
    const ink = inkOver(paint, colours);
    picture.append(
      written(
        left(k) + cell / 2,
        above + (q + 0.5) * cell + 4.5,
        number,
        "code middle",
        Math.min(13, Math.max(9, cell * 0.45)),
        { style: `fill:${ink}` },
      ),
    );
  });
  picture.append(frame(beside - 0.5, above - 0.5, columns.length * cell, rows.length * cell, colours.border));
  return {
    picture,
    /** The middle of a row, in px. */
    rowAt: (/** @type {number} */ q) => above + (q + 0.5) * cell,
    /** A frame around cells: of one, or of all columns of a row. */
    framed: (q, k, stroke, thick, wide = 1) =>
      frame(left(k) - 1, above + q * cell - 1, wide * cell + 1, cell + 1, stroke, thick),
  };
}

/** The side of a cell as it is painted: a px less where cells are large, a little more where whole px would leave seams. */
const side = (cell, gap = cell > GAP_FROM) => (gap ? cell - 1 : Number.isInteger(cell) ? cell : cell + 0.4);

/** Calls for each cell with its colour, or with null where it is hidden; not for one without a colour. */
function eachCell({ rows, columns, hidden, colour }, draw) {
  for (let q = 0; q < rows; q++)
    for (let k = 0; k < columns; k++) {
      const paint = hidden(q, k) ? null : colour(q, k);
      if (paint || hidden(q, k)) draw(q, k, paint);
    }
}

/** The cells of a map as one image on a sheet, since thousands of marks are slow. */
function asImage(map, x, y) {
  const [width, height] = [map.columns * map.cell, map.rows * map.cell];
  const { canvas, pen } = sheet(width, height);
  paintCells(pen, map);
  return svg("image", { x, y, width, height, href: canvas.toDataURL(), preserveAspectRatio: "none" });
}

/** A canvas at the screen's own resolution, and its pen. */
export function sheet(width, height, attributes = {}, canvas = element("canvas", attributes)) {
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
 * @param {{rows: number, columns: number, cell: number, gap?: boolean, lines?: string, colours: any, hidden: (q: number, k: number) => boolean, colour: (q: number, k: number) => any}} map
 * a colour is numbers, or as CSS has it @param {(q: number, k: number, colour: any, x: number, y: number) => void} drawn
 */
export function paintCells(pen, map, drawn = () => {}) {
  const { rows, columns, cell, colours } = map;
  const size = side(cell, map.gap);
  const absent = []; // runs of hidden cells
  eachCell(map, (q, k, paint) => {
    const run = absent.at(-1);
    if (!paint) return run?.q === q && run.to === k - 1 ? (run.to = k) : absent.push({ q, from: k, to: k });
    pen.fillStyle = typeof paint === "string" ? paint : css(paint);
    pen.fillRect(k * cell, q * cell, size, size);
    if (map.lines) edged(pen, k * cell, q * cell, cell, cell, map.lines);
    return drawn(q, k, paint, k * cell, q * cell);
  });
  const area = { x: 0, y: 0, width: columns * cell, height: rows * cell };
  const outline = () =>
    absent.forEach(({ q, from, to }) => pen.rect(from * cell, q * cell, (to - from + 1) * cell, cell));
  if (absent.length) hatch(pen, area, colours.hatch, outline);
}

/** Whether a causal mask hides a cell: nothing looks at what comes later. */
export const masked = (causal) => (q, k) => causal && k > q;

/** Hairlines over a rectangle, or over what a path in it encloses. */
export function hatch(pen, { x, y, width, height }, colour, path = () => pen.rect(x, y, width, height)) {
  pen.save();
  pen.beginPath();
  path();
  pen.clip();
  pen.beginPath();
  for (let at = Math.floor((x + y) / HATCH) * HATCH - y - height; at < x + width; at += HATCH) {
    pen.moveTo(at, y + height);
    pen.lineTo(at + height, y);
  }
  pen.strokeStyle = colour;
  pen.lineWidth = 0.8;
  pen.stroke();
  pen.restore();
}

/** A line around a map, on the middle of whole px. */
export function edged(pen, x, y, width, height, colour) {
  pen.strokeStyle = colour;
  pen.lineWidth = 1;
  pen.strokeRect(x + 0.5, y + 0.5, width - 1, height - 1);
}

/** Puts a tip over its picture, as far to the left as keeps it inside. */
export function placeTip(tip, left, top, width) {
  tip.style.top = `${top}px`;
  tip.style.left = `${Math.max(0, Math.min(left, width - tip.offsetWidth))}px`;
}

/** Which way a map is read: rows look, columns are looked at. */
export function axisWords() {
  return [element("span", { "aria-hidden": "true" }, "from ↓  to →"), element("span.unseen", "rows look at columns")];
}

let measuring = null;
/** The px of the longest of some words. */
export function longestLabel(labels, size) {
  measuring ??= document.createElement("canvas").getContext("2d");
  measuring.font = `600 ${size}px "Source Sans", sans-serif`;
  return Math.ceil(Math.max(...labels.map((label) => measuring.measureText(label).width)));
}
