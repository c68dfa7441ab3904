/** One pinned head as a heatmap: cells and bars on a canvas, words as elements that can be pointed at and locked. */

import { inkOver } from "../lib/chart.js";
import { rampAt } from "../lib/colour.js";
import { FULL, cellUnder, cellNumber, edged, longestLabel, masked, paintCells, sheet } from "../lib/map.js";
import { element } from "../lib/spans.js";

const SLANTED = 24; // px of a column, from which on a slanted word ends left of what stands beside the map
const BARS = 84; // px for the bars of what was set aside, and their numbers
const BARS_NARROW = 56;
const WIDE_CELL = 38; // px, which holds three digits on a projector
const BAR = { wide: 46, narrow: 26 }; // px of a bar of 100 %
const LEAST_NUMBERED = 13; // px of a row that has a number behind its bar
const ASIDE = 10; // px between map and bars

const LARGEST_CELL = 52;
const WHOLE_FROM = 2; // px of a cell, below which it is no whole number: a phone's page stays as wide as its screen
const SMALLEST_CELL = 0.5;
const NUMBERS_FROM = 24; // px a cell needs to hold three digits
const LABEL_ROOM = { query: 17, key: 26 }; // px between axis labels; those of the keys are turned

/**
 * Where everything stands in one map; `whole` is the width of all.
 * @param {{column: number, rows: number, columns: number, label: number, bars: number}} room px of the longest label, and
 * for the bars
 */
export function mapLayout({ column, rows, columns, label, bars }) {
  const left = label + 14;
  const room = left + bars + 12;
  const fits = (column - room) / columns;
  const cell = fits < WHOLE_FROM ? Math.max(SMALLEST_CELL, fits) : Math.min(LARGEST_CELL, Math.floor(fits));
  const every = { query: Math.ceil(LABEL_ROOM.query / cell), key: Math.ceil(LABEL_ROOM.key / cell) };
  return {
    left,
    above: label * 0.72 + 22,
    cell,
    every,
    whole: room + cell * columns,
    width: cell * columns,
    height: cell * rows,
    numbers: cell >= NUMBERS_FROM,
  };
}

/** What is said of a cell, in whole per cents: its share of all attention, and the share of its row that is excluded. */
export function cellNumbers(value, mass, row) {
  const whole = (share) => Math.round(100 * share);
  return { share: whole(value / FULL), excluded: mass ? whole(mass[row] / FULL) : null };
}

const px = (places) =>
  Object.entries(places)
    .map(([name, value]) => `${name}:${value}px`)
    .join(";");

export function heatmapView(parent, { weights, mass, rows, columns }, label) {
  const canvas = element("canvas", { role: "img", "aria-label": label, tabindex: "0" });
  const locked = element("div.locked-word");
  const edge = element("div.cell-edge", { hidden: "" });
  const band = { q: element("div.band"), k: element("div.band") };
  const words = element("div.axis-words", { role: "group", "aria-label": "words" });
  const way = [
    element("span", { "aria-hidden": "true" }, "from ↓  to →"),
    element("span.unseen", "rows look at columns"),
  ];
  const axis = element("div.axis-note", ...way);
  const aside = element("div.aside-note");
  const map = element("div.map", canvas, band.q, band.k, locked, edge, words, aside, axis);
  parent.append(map);
  let layout = null;

  /** Where cells stand on the map: those of a row, of a column, or one. */
  function boxOf(q, k) {
    const { left, above, cell, width, height } = layout;
    const [x, wide] = k === null ? [0, width] : [k * cell, cell];
    const [y, tall] = q === null ? [0, height] : [q * cell, cell];
    return { left: left + x, top: above + y, width: wide, height: tall };
  }

  function wordNode(text, at, kind, spec) {
    const framed = at === spec.lock && kind === (spec.look === "at" ? "key" : "query");
    const of = kind === "key" ? "column" : "row";
    const button = { role: "button", "aria-pressed": framed, "aria-label": `${text}: frame its ${of}` };
    const said = spec.same_words ? { dir: "auto", ...button, tabindex: at ? -1 : 0 } : { dir: "auto" };
    const word = element("span", { class: `axis-word ${kind}`, [`data-${kind}`]: at, ...said }, text);
    word.classList.toggle("locked", at === spec.lock);
    return word;
  }

  function placeWords(spec, size) {
    const { left, above, cell, every } = layout;
    const lean = size * 0.3;
    const side = `right:calc(100% - ${left - 10}px)`;
    const places = {
      key: (k) => {
        const x = left + (k + 0.5) * cell + lean;
        return `left:${x}px;bottom:calc(100% - ${above - 5}px)`;
      },
      query: (q) => `${side};top:${above + (q + 0.5) * cell}px`,
    };
    words.replaceChildren();
    for (const [kind, texts] of [
      ["key", spec.keys],
      ["query", spec.queries],
    ])
      texts.forEach((text, at) => {
        if (at % every[kind]) return;
        const word = wordNode(text, at, kind, spec);
        word.style.cssText = `font-size:${Math.min(size, Math.max(12, cell * every.query - 4))}px;${places[kind](at)}`;
        words.append(word);
      });
  }

  function paint(spec, colours, bars) {
    const { cell, width, height } = layout;
    const { pen } = sheet(width + bars + 12, height + 1, canvas);
    canvas.style.left = `${layout.left}px`;
    canvas.style.top = `${layout.above}px`;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.font = `400 ${spec.large ? (cell >= WIDE_CELL ? 18 : 14) : 12}px "Source Code Pro", "Source Code", monospace`;
    const colour = (q, k) => rampAt(colours.ramp, weights[q * columns + k] / FULL);
    paintCells(pen, { rows, columns, cell, colours, hidden: masked(spec.causal), colour }, (q, k, on, x, y) => {
      const number = layout.numbers ? cellNumber(weights[q * columns + k] / FULL) : "";
      if (!number) return;
      pen.fillStyle = inkOver(on, colours);
      pen.fillText(number, x + cell / 2 - 0.5, y + cell / 2 + 0.5);
    });
    edged(pen, width, height, colours.border);
    if (bars) paintBars(pen, colours, bars === BARS_NARROW ? BAR.narrow : BAR.wide, bars !== BARS_NARROW);
  }

  /** Bars behind the end of each row. */
  function paintBars(pen, colours, length, numbers) {
    pen.textAlign = "left";
    const placed = (x) => layout.width + x;
    const thick = Math.min(8, Math.max(1, layout.cell - 1));
    mass.forEach((part, q) => {
      const [share, middle] = [part / FULL, (q + 0.5) * layout.cell];
      const y = Math.round(middle - thick / 2);
      pen.fillStyle = colours.aside;
      pen.fillRect(placed(ASIDE), y, length * share, thick);
      if (thick >= 6) pen.strokeRect(placed(ASIDE) - 0.5, y - 0.5, length, thick + 1);
      pen.fillStyle = colours.muted;
      if (numbers && layout.cell >= LEAST_NUMBERED)
        pen.fillText(String(Math.round(100 * share)), placed(ASIDE + length + 6), middle + 0.5);
    });
  }

  /** Where the locked word's row or column is framed. */
  function frame({ lock, look }) {
    const line = layout.cell < 10 ? 1 : 2;
    const { left, top, width, height } = look === "at" ? boxOf(null, lock) : boxOf(lock, null);
    const around = { left: left - line, top: top - line, width: width + 2 * line - 1, height: height + 2 * line - 1 };
    return `border-width:${line}px;${px(around)}`;
  }

  return {
    node: map,
    draw(spec, colours, column, narrow) {
      const size = narrow ? 13 : spec.large ? 20 : 14;
      const bars = mass ? (narrow ? BARS_NARROW : BARS) : 0;
      const label = Math.min(longestLabel([...spec.queries, ...spec.keys], size), column * 0.3);
      layout = mapLayout({ column, rows, columns, label, bars });
      const end = layout.left + layout.width;
      map.style.cssText = `${px({ width: layout.whole, height: layout.above + layout.height + 34 })};--label:${label + 2}px`;
      paint(spec, colours, bars);
      placeWords(spec, size);
      axis.style.cssText = px({
        left: layout.left,
        top: layout.above + layout.height + 10,
        "max-width": column - layout.left,
      });
      aside.textContent = bars ? spec.aside_label : "";
      const small = layout.width < SLANTED * columns; // there the last slanted word would lie on it
      const top = small ? layout.above + layout.height + 10 : layout.above - 24;
      aside.style.cssText = px({ left: end + ASIDE, top });
      locked.hidden = spec.lock === null;
      if (spec.lock !== null) locked.style.cssText = frame(spec);
    },
    /** The cell under the mouse, or null. */
    at(event) {
      const box = canvas.getBoundingClientRect();
      const { width, height } = layout;
      return cellUnder({ left: box.left, top: box.top, width, height }, event.clientX, event.clientY, {
        rows,
        columns,
      });
    },
    /** Lights a row, a column, or both. */
    light({ q, k }) {
      const [row, column] = [q !== null && q < rows, k !== null && k < columns];
      for (const [node, shown, place] of [
        [band.q, row, [q, null]],
        [band.k, column, [null, k]],
        [edge, row && column, [q, k]],
      ]) {
        node.hidden = !shown;
        if (shown) node.style.cssText = px(boxOf(...place));
      }
      for (const word of words.children)
        word.classList.toggle("lit", word.dataset.key === String(k) || word.dataset.query === String(q));
    },
  };
}
