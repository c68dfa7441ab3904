/** One pinned head as a heatmap: cells and bars on a canvas, words as elements that can be pointed at and locked. */

import { FULL, cellAt, cellNumber, inkTops, mapLayout } from "./cells.js";
import { css, inkOn, rampAt } from "../lib/colour.js";
import { element } from "../lib/spans.js";

const BARS = 70; // px for the bars of what was set aside
const BARS_NARROW = 44;

export function heatmapView(parent, { weights, mass, rows, columns }, label) {
  const canvas = element("canvas", { role: "img", "aria-label": label });
  const locked = element("div", { class: "locked-column" });
  const band = { q: element("div", { class: "band" }), k: element("div", { class: "band" }) };
  const words = element("div", { class: "axis-words", role: "group", "aria-label": "words" });
  const axis = element("div", { class: "axis-note" });
  const aside = element("div", { class: "aside-note" });
  const map = element("div", { class: "map" }, canvas, band.q, band.k, locked, words, aside, axis);
  parent.append(map);
  let layout = null;

  function placeWords(spec, size) {
    const smaller = Math.min(size, Math.max(12, layout.cell * layout.every.query - 4));
    words.replaceChildren();
    const add = (text, at, kind, style) => {
      if (at % layout.every[kind]) return;
      const word = element("span", { class: `axis-word ${kind}`, role: "button", [`data-${kind}`]: at }, text);
      word.style.cssText = `font-size:${smaller}px;${style}`;
      if (kind === "key") word.tabIndex = words.querySelector("[data-key]") ? -1 : 0;
      if (kind === "key") word.setAttribute("aria-pressed", at === spec.lock);
      word.classList.toggle("locked", at === spec.lock && kind === "key");
      words.append(word);
    };
    spec.keys.forEach((text, k) => add(text, k, "key", `left:${layout.left + (k + 0.5) * layout.cell + size * 0.3}px;bottom:calc(100% - ${layout.above - 5}px)`));
    spec.queries.forEach((text, q) => add(text, q, "query", `right:calc(100% - ${layout.left - 10}px);top:${layout.above + (q + 0.5) * layout.cell}px`));
  }

  function paint(spec, colours, bars) {
    const ratio = Math.max(1, window.devicePixelRatio || 1);
    canvas.width = Math.round((layout.width + bars + 12) * ratio);
    canvas.height = Math.round((layout.height + 1) * ratio);
    canvas.style.cssText = `left:${layout.left}px;top:${layout.above}px;width:${canvas.width / ratio}px;height:${canvas.height / ratio}px`;
    const pen = canvas.getContext("2d");
    pen.scale(ratio, ratio);
    const tops = inkTops(weights, rows, columns, spec.scale);
    const gap = layout.cell > 8 ? 1 : 0;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.font = `400 ${Math.max(12, Math.min(14, layout.cell * 0.29))}px "Source Code Pro", "Source Code", monospace`;
    for (let q = 0; q < rows; q++)
      for (let k = 0; k < columns; k++) {
        const x = k * layout.cell;
        const y = q * layout.cell;
        if (spec.causal && k > q) continue;
        const value = weights[q * columns + k];
        const colour = rampAt(colours.ramp, value / tops[q]);
        pen.fillStyle = css(colour);
        pen.fillRect(x, y, layout.cell - gap, layout.cell - gap);
        const number = layout.numbers ? cellNumber(value / FULL) : "";
        if (!number) continue;
        pen.globalAlpha = value / FULL < 0.1 ? 0.75 : 1;
        pen.fillStyle = inkOn(colour, colours.number_on_light, colours.number_on_dark);
        pen.fillText(number, x + layout.cell / 2 - 0.5, y + layout.cell / 2 + 0.5);
        pen.globalAlpha = 1;
      }
    if (spec.causal) hatch(pen, rows, columns, layout.cell, colours.hatch);
    pen.strokeStyle = colours.border;
    pen.lineWidth = 1;
    pen.strokeRect(0.5, 0.5, layout.width - 1, layout.height - 1);
    if (bars) paintBars(pen, colours, bars - 26);
  }

  function paintBars(pen, colours, length) {
    const thick = Math.min(8, Math.max(1, layout.cell - 1));
    for (let q = 0; q < rows; q++) {
      const y = Math.round((q + 0.5) * layout.cell - thick / 2);
      pen.fillStyle = colours.aside;
      pen.fillRect(layout.width + 14, y, (length * mass[q]) / 255, thick);
      if (thick >= 6) pen.strokeRect(layout.width + 13.5, y - 0.5, length, thick + 1);
    }
  }

  return {
    node: map,
    draw(spec, colours, column, narrow) {
      const size = narrow ? 14 : spec.large ? 20 : 16;
      const bars = mass ? (narrow ? BARS_NARROW + 12 : BARS) : 0;
      const longest = longestLabel([...spec.queries, ...spec.keys], size);
      layout = mapLayout({ column, rows, columns, label: Math.min(longest, column * 0.3), bars });
      map.style.width = `${layout.left + layout.width + bars + 12}px`;
      map.style.height = `${layout.above + layout.height + 34}px`;
      map.style.setProperty("--label", `${layout.left - 12}px`);
      paint(spec, colours, bars);
      placeWords(spec, size);
      axis.textContent = spec.axis;
      axis.style.cssText = `left:${layout.left}px;top:${layout.above + layout.height + 10}px;max-width:${column - layout.left}px`;
      aside.textContent = bars ? (narrow ? "aside" : spec.aside_label) : "";
      aside.style.cssText = `left:${layout.left + layout.width + 13}px;top:${layout.above - 24}px`;
      locked.hidden = spec.lock === null;
      const edge = layout.cell < 10 ? 1 : 2;
      if (spec.lock !== null) locked.style.cssText = `border-width:${edge}px;left:${layout.left + spec.lock * layout.cell - edge}px;top:${layout.above - edge}px;width:${layout.cell + 2 * edge - 1}px;height:${layout.height + 2 * edge - 1}px`;
    },
    /** The cell under the mouse, or null. */
    at(event) {
      const box = canvas.getBoundingClientRect();
      return cellAt(event.clientX - box.left, event.clientY - box.top, layout, rows, columns);
    },
    /** Lights a row, a column, or both. */
    light({ q, k }) {
      band.q.hidden = q === null || q >= rows;
      band.k.hidden = k === null || k >= columns;
      if (!band.q.hidden) band.q.style.cssText = `left:${layout.left}px;top:${layout.above + q * layout.cell}px;width:${layout.width}px;height:${layout.cell}px`;
      if (!band.k.hidden) band.k.style.cssText = `left:${layout.left + k * layout.cell}px;top:${layout.above}px;width:${layout.cell}px;height:${layout.height}px`;
      for (const word of words.children) word.classList.toggle("lit", word.dataset.key === String(k) || word.dataset.query === String(q));
    },
    weight: (q, k) => weights[q * columns + k] / FULL,
  };
}

/** Hairlines over the staircase of cells that a causal mask hides. */
function hatch(pen, rows, columns, cell, colour) {
  pen.save();
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

let measuring = null;
function longestLabel(labels, size) {
  measuring ??= document.createElement("canvas").getContext("2d");
  measuring.font = `600 ${size}px "Source Sans", sans-serif`;
  return Math.ceil(Math.max(...labels.map((label) => measuring.measureText(label).width)));
}
