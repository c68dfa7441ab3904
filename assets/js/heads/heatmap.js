/** One pinned head as a heatmap: cells and bars on a canvas, words as elements that can be pointed at and locked. */

import { FULL, QUIET_BELOW, cellAt, cellNumber, inkOf, inkTops, mapLayout } from "./cells.js";
import { css, inkOn, mixed, parseColour, rampAt } from "../lib/colour.js";
import { element } from "../lib/spans.js";

const BARS = 84; // px for the bars of what was set aside, and their numbers
const BARS_NARROW = 56;
const WIDE_CELL = 38; // px, which holds three digits on a projector
const BAR = { wide: 46, narrow: 26 }; // px of a bar of 100 %
const LEAST_NUMBERED = 13; // px of a row that has a number behind its bar
const ASIDE = 10; // px between map and bars
const LEAN = 0.7; // of its length, how far a turned word reaches beside its column

export function heatmapView(parent, { weights, mass, rows, columns }, label) {
  const canvas = element("canvas", { role: "img", "aria-label": label, tabindex: "0" });
  const locked = element("div", { class: "locked-word" });
  const edge = element("div", { class: "cell-edge", hidden: "" });
  const band = { q: element("div", { class: "band" }), k: element("div", { class: "band" }) };
  const words = element("div", { class: "axis-words", role: "group", "aria-label": "words" });
  const axis = element("div", { class: "axis-note" });
  const aside = element("div", { class: "aside-note" });
  const map = element("div", { class: "map" }, canvas, band.q, band.k, locked, edge, words, aside, axis);
  parent.append(map);
  let layout = null;
  let across = (k) => k; // where a column stands, from the left

  function placeWords(spec, size) {
    const smaller = Math.min(size, Math.max(12, layout.cell * layout.every.query - 4));
    words.replaceChildren();
    const add = (text, at, kind, style) => {
      if (at % layout.every[kind]) return;
      const framed = at === spec.lock && kind === (spec.look === "at" ? "key" : "query");
      const word = element("span", { class: `axis-word ${kind}`, role: "button", [`data-${kind}`]: at, "aria-pressed": framed }, text);
      word.style.cssText = `font-size:${smaller}px;${style}`;
      word.tabIndex = words.querySelector(`[data-${kind}]`) ? -1 : 0;
      word.setAttribute("aria-label", `${text}: highlight its ${kind === "key" ? "column" : "row"}`);
      word.classList.toggle("locked", at === spec.lock);
      word.classList.toggle("quiet", kind === "query" && inkOf(mass, at) < QUIET_BELOW);
      words.append(word);
    };
    const from = spec.rtl ? (x) => `right:calc(100% - ${x}px)` : (x) => `left:${x}px`;
    const lean = size * (spec.rtl ? -0.3 : 0.3);
    spec.keys.forEach((text, k) => add(text, k, "key", `${from(layout.left + (across(k) + 0.5) * layout.cell + lean)};bottom:calc(100% - ${layout.above - 5}px)`));
    const side = spec.rtl ? `left:${layout.left + layout.width + 10}px` : `right:calc(100% - ${layout.left - 10}px)`;
    spec.queries.forEach((text, q) => add(text, q, "query", `${side};top:${layout.above + (q + 0.5) * layout.cell}px`));
  }

  function paint(spec, colours, bars) {
    const ratio = Math.max(1, window.devicePixelRatio || 1);
    const page = parseColour(colours.background);
    canvas.width = Math.round((layout.width + bars + 12) * ratio);
    canvas.height = Math.round((layout.height + 1) * ratio);
    canvas.style.cssText = `left:${layout.left - layout.before}px;top:${layout.above}px;width:${canvas.width / ratio}px;height:${canvas.height / ratio}px`;
    const pen = canvas.getContext("2d");
    pen.scale(ratio, ratio);
    pen.translate(layout.before, 0);
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.font = `400 ${spec.large ? (layout.cell >= WIDE_CELL ? 18 : 14) : 12}px "Source Code Pro", "Source Code", monospace`;
    const ink = (q) => inkOf(mass, q);
    paintCells(pen, { weights, rows, columns }, { cell: layout.cell, across, ink, page, ramp: colours.ramp }, spec, (q, k, colour) => {
      const number = layout.numbers ? cellNumber(weights[q * columns + k] / FULL) : "";
      if (!number) return;
      pen.fillStyle = ink(q) < QUIET_BELOW ? colours.muted : inkOn(colour, colours.number_on_light, colours.number_on_dark);
      pen.fillText(number, across(k) * layout.cell + layout.cell / 2 - 0.5, q * layout.cell + layout.cell / 2 + 0.5);
    });
    if (spec.causal) hatch(pen, rows, columns, layout.cell, colours.hatch, spec.rtl);
    pen.strokeStyle = colours.border;
    pen.lineWidth = 1;
    pen.strokeRect(0.5, 0.5, layout.width - 1, layout.height - 1);
    if (bars) paintBars(pen, colours, bars === BARS_NARROW ? BAR.narrow : BAR.wide, bars !== BARS_NARROW, spec.rtl);
  }

  /** Bars behind the end of each row, which is the left one where columns run from right to left. */
  function paintBars(pen, colours, length, numbers, rtl) {
    pen.textAlign = rtl ? "right" : "left";
    const placed = (x, wide) => (rtl ? -x - wide : layout.width + x);
    const thick = Math.min(8, Math.max(1, layout.cell - 1));
    for (let q = 0; q < rows; q++) {
      const y = Math.round((q + 0.5) * layout.cell - thick / 2);
      pen.fillStyle = colours.aside;
      pen.fillRect(placed(ASIDE, (length * mass[q]) / FULL), y, (length * mass[q]) / FULL, thick);
      if (thick >= 6) pen.strokeRect(placed(ASIDE, length) - 0.5, y - 0.5, length, thick + 1);
      pen.fillStyle = colours.muted;
      if (numbers && layout.cell >= LEAST_NUMBERED) pen.fillText(String(Math.round((100 * mass[q]) / FULL)), placed(ASIDE + length + 6, 0), (q + 0.5) * layout.cell + 0.5);
    }
  }

  /** Where the locked word's row or column is framed. */
  function frame({ lock, look }) {
    const line = layout.cell < 10 ? 1 : 2;
    const [start, thick] = [(look === "at" ? across(lock) : lock) * layout.cell - line, layout.cell + 2 * line - 1];
    const at = look === "at" ? { left: start, top: -line, width: thick, height: layout.height + 2 * line - 1 } : { left: -line, top: start, width: layout.width + 2 * line - 1, height: thick };
    return `border-width:${line}px;left:${layout.left + at.left}px;top:${layout.above + at.top}px;width:${at.width}px;height:${at.height}px`;
  }

  return {
    node: map,
    draw(spec, colours, column, narrow) {
      const size = narrow ? 13 : spec.large ? 20 : 14;
      const bars = mass ? (narrow ? BARS_NARROW : BARS) : 0;
      const label = Math.min(longestLabel([...spec.queries, ...spec.keys], size), column * 0.3);
      layout = mapLayout({ column, rows, columns, label, bars, rtl: spec.rtl, lean: LEAN * label });
      across = spec.rtl ? (k) => columns - 1 - k : (k) => k;
      map.classList.toggle("rtl", Boolean(spec.rtl));
      map.style.width = `${layout.whole}px`;
      map.style.height = `${layout.above + layout.height + 34}px`;
      map.style.setProperty("--label", `${label + 2}px`);
      paint(spec, colours, bars);
      placeWords(spec, size);
      axis.replaceChildren(...axisWords(spec.rtl));
      axis.style.cssText = `left:${layout.left}px;top:${layout.above + layout.height + 10}px;max-width:${column - layout.left}px`;
      aside.textContent = bars ? (spec.aside_label) : "";
      aside.style.cssText = `${spec.rtl ? `right:${layout.whole - layout.left + ASIDE}px` : `left:${layout.left + layout.width + ASIDE}px`};top:${layout.above - 24}px`;
      locked.hidden = spec.lock === null;
      if (spec.lock !== null) locked.style.cssText = frame(spec);
    },
    /** The cell under the mouse, or null. */
    at(event) {
      const box = canvas.getBoundingClientRect();
      const cell = cellAt(event.clientX - box.left - layout.before, event.clientY - box.top, layout, rows, columns);
      return cell && { ...cell, k: across(cell.k) };
    },
    /** Lights a row, a column, or both. */
    light({ q, k }) {
      band.q.hidden = q === null || q >= rows;
      band.k.hidden = k === null || k >= columns;
      if (!band.q.hidden) band.q.style.cssText = `left:${layout.left}px;top:${layout.above + q * layout.cell}px;width:${layout.width}px;height:${layout.cell}px`;
      if (!band.k.hidden) band.k.style.cssText = `left:${layout.left + across(k) * layout.cell}px;top:${layout.above}px;width:${layout.cell}px;height:${layout.height}px`;
      edge.hidden = q === null || k === null || q >= rows || k >= columns;
      if (!edge.hidden) edge.style.cssText = `left:${layout.left + across(k) * layout.cell}px;top:${layout.above + q * layout.cell}px;width:${layout.cell}px;height:${layout.cell}px`;
      for (const word of words.children) word.classList.toggle("lit", word.dataset.key === String(k) || word.dataset.query === String(q));
    },
    /** Where a cell stands on the map, in px: its left edge and its lower one. */
    place: ({ q, k }) => ({ left: layout.left + across(k) * layout.cell, below: layout.above + (q + 1) * layout.cell }),
  };
}

/**
 * The cells of a map, those that a causal mask hides left out; of each one `drawn` is told, with its colour.
 * @param {CanvasRenderingContext2D} pen
 * @param {{weights: Uint16Array, rows: number, columns: number}} map
 * @param {{cell: number, across: (k: number) => number, ink: (q: number) => number, page: number[], ramp: number[][]}} look
 * px of a cell, where a column stands, how much of its ink a row keeps, the colours
 * @param {{scale: string, causal: boolean}} spec @param {(q: number, k: number, colour: number[]) => void} drawn
 */
export function paintCells(pen, { weights, rows, columns }, { cell, across, ink, page, ramp }, { scale, causal }, drawn = () => {}) {
  const tops = inkTops(weights, rows, columns, scale);
  const gap = cell > 8 ? 1 : 0;
  for (let q = 0; q < rows; q++)
    for (let k = 0; k < columns && !(causal && k > q); k++) {
      const colour = mixed(page, rampAt(ramp, weights[q * columns + k] / tops[q]), ink(q));
      pen.fillStyle = css(colour);
      pen.fillRect(across(k) * cell, q * cell, cell - gap, cell - gap);
      drawn(q, k, colour);
    }
}

/** Hairlines over the staircase of cells that a causal mask hides. */
export function hatch(pen, rows, columns, cell, colour, rtl) {
  pen.save();
  if (rtl) pen.transform(-1, 0, 0, 1, columns * cell, 0);
  pen.beginPath();
  for (let q = 0; q < rows; q++) if (columns > q + 1) pen.rect((q + 1) * cell, q * cell, (columns - q - 1) * cell, cell);
  pen.clip();
  pen.beginPath();
  for (let x = -rows * cell; x < columns * cell; x += 8.5) {
    pen.moveTo(x, rows * cell);
    pen.lineTo(x + rows * cell, 0);
  }
  pen.strokeStyle = colour;
  pen.lineWidth = 0.8;
  pen.stroke();
  pen.restore();
}

/** Which way a map is read: rows look, columns are looked at. */
export function axisWords(rtl = false) {
  return [element("span", { "aria-hidden": "true" }, `from ↓  to ${rtl ? "←" : "→"}`), element("span", { class: "unseen" }, `rows look at columns${rtl ? ", which run from right to left" : ""}`)];
}

let measuring = null;
/** The px of the longest of some words. */
export function longestLabel(labels, size) {
  measuring ??= document.createElement("canvas").getContext("2d");
  measuring.font = `600 ${size}px "Source Sans", sans-serif`;
  return Math.ceil(Math.max(...labels.map((label) => measuring.measureText(label).width)));
}
