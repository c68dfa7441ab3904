/** One small map with words on both sides, of any number of rows and columns. */

import { shortened, wordMap } from "../lib/map.js";

const LONGEST = 12; // letters of a word beside the map
const [LARGEST, SMALLEST] = [30, 5]; // px of a cell
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

/** A map to draw on: no weights. @type {Drawer<"empty_map">} */
function emptyMap({ words, label }, { place, colours, width }) {
  const texts = words.map(short);
  const size = Math.max(TEXT, Number.parseFloat(getComputedStyle(place).getPropertyValue("--least")) || 0);
  const empty = {
    rows: texts,
    columns: texts,
    ...kindLayout(words, words, width, size),
    label,
    size,
    colours,
    lines: colours.border,
  };
  const { picture } = wordMap({ ...empty, colour: () => colours.ramp[0] });
  picture.style.maxWidth = "100%";
  return picture;
}

export const SMALL_MAP_DRAWERS = { empty_map: emptyMap };
