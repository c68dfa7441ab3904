/** One small map with words on both sides, of any number of rows and columns; what a mask hides is hatched. */

import { rampAt } from "../lib/colour.js";
import { cellNumber, masked, shortened, wordMap } from "../lib/map.js";

const LONGEST = 12; // letters of a word beside the map
const [LARGEST, SMALLEST, NUMBERED] = [30, 5, 24]; // px of a cell
const TEXT = 12.5; // px, or what a projector asks for at least

const short = (text) => shortened(text, LONGEST);

/** How large a cell is, and how many px the words of so many px beside and above the map take. */
export function kindLayout(rows, columns, width, size = TEXT) {
  const grown = size / TEXT;
  const longest = (words) => grown * Math.max(1, ...words.map((word) => short(word).length));
  const [beside, above] = [longest(rows) * 7.2 + 14, longest(columns) * 5.2 + 24];
  const lean = longest(columns) * 5.2; // of the last word, beyond its column
  const largest = Math.round(LARGEST * grown);
  const cell = Math.max(SMALLEST, Math.min(largest, Math.floor((width - beside - lean) / columns.length)));
  return { beside, above, cell, width: beside + cell * columns.length + lean, after: lean };
}

/** @type {Drawer<"kind_map">} */
function kindMap({ rows, columns, weights, left, causal, rtl, label }, { colours, width, id }) {
  const layout = kindLayout(rows, columns, width);
  const { picture } = wordMap({
    rows: rows.map(short),
    columns: columns.map(short),
    ...layout,
    label,
    rtl,
    size: TEXT,
    rowLook: (q) => (left[q] ? "" : "muted-ink"),
    colours,
    id,
    hidden: masked(causal),
    colour: (q, k) => (left[q] ? rampAt(colours.ramp, weights[q][k]) : null),
    text: (q, k) => (layout.cell < NUMBERED ? "" : cellNumber(weights[q][k])),
  });
  picture.style.maxWidth = "100%";
  return picture;
}

/** A map to draw on: no weights. @type {Drawer<"empty_map">} */
function emptyMap({ words, rtl, label }, { place, colours, width }) {
  const texts = words.map(short);
  const size = Math.max(TEXT, Number.parseFloat(getComputedStyle(place).getPropertyValue("--least")) || 0);
  const empty = {
    rows: texts,
    columns: texts,
    ...kindLayout(words, words, width, size),
    label,
    rtl,
    size,
    colours,
    lines: colours.border,
  };
  const { picture } = wordMap({ ...empty, colour: () => colours.ramp[0] });
  picture.style.maxWidth = "100%";
  return picture;
}

export const SMALL_MAP_DRAWERS = { kind_map: kindMap, empty_map: emptyMap };
