/** Every head of every run as a map of the whole sentence, to be watched while they learn. */

import { rowOf } from "./pivot.js";
import { written } from "../lib/chart.js";
import { rampAt } from "../lib/colour.js";
import { wordMap } from "../lib/map.js";
import { element } from "../lib/spans.js";

const LARGEST_CELL = 24;
const TEXT = 12.5; // px, or what a projector asks for at least
const BETWEEN = 20;
const LETTER = 0.53; // of the size of a text, how wide a letter of a word is
const SLANT = Math.cos((46 * Math.PI) / 180) + 0.06; // of its width, what a slanted word takes up across, with its height
const BARE = 2; // px left of a map without words of its own
const NARROW_COLUMN = 420; // px under which maps stand under each other

/**
 * How large the cells are when so many maps stand in a column of the page. `slant` is how far the last word above a map
 * reaches to the right from the middle of its column, 0 where there is room beside the column.
 */
export function mapSizes({ column, count, words, label, slant = 0 }) {
  const across = column < NARROW_COLUMN ? 1 : Math.min(count, 2);
  const room = column - label - (across - 1) * BETWEEN;
  const cells = across * words;
  const fits = Math.floor(Math.min(room / cells, (room - slant) / (cells - 0.5)));
  return { across, cell: Math.max(8, Math.min(LARGEST_CELL, fits)), label };
}

export function mapsView(parent) {
  const box = element("div.maps");
  parent.append(box);

  function oneMap({ words, pivot }, { run, array, moment }, head, { cell, beside, above, size, colours }) {
    const rows = words.map((_, q) => rowOf(array, moment, head, q));
    const best = rows[pivot].indexOf(Math.max(...rows[pivot]));
    const looks = `${words[pivot]} looks most at ${words[best]}, ${Math.round(rows[pivot][best] * 100)} per cent`;
    const { picture, framed } = wordMap({
      rows: beside > BARE ? words : words.map(() => ""),
      columns: words,
      label: `${run.title}, ${run.heads[head]}, step ${run.steps[moment]}: ${looks}`,
      cell,
      beside,
      above,
      size,
      rowLook: (q) => (q === pivot ? "strong" : ""),
      colours,
      colour: (q, k) => rampAt(colours.ramp, rows[q][k]),
    });
    picture.append(
      written(beside, size, run.heads[head], "map-name", size),
      framed(pivot, 0, colours.text, 1.5, words.length),
    );
    return picture;
  }

  return {
    draw(spec, runs, colours, width, narrow) {
      const column = narrow ? width : (width - 48) / 2;
      const size = Math.max(TEXT, Number.parseFloat(getComputedStyle(box).getPropertyValue("--least")) || 0);
      const wide = (/** @type {string} */ word) => word.length * LETTER * size;
      const label = Math.ceil(Math.max(...spec.words.map(wide))) + 12;
      const slant = narrow ? Math.ceil(wide(spec.words.at(-1)) * SLANT) : 0;
      const parts = runs.map((one) => {
        const { heads, title } = one.run;
        const { across, cell } = mapSizes({ column, count: heads.length, words: spec.words.length, label, slant });
        const look = { cell, above: 1.6 * size + label * 0.74, size, colours };
        const maps = heads.map((_, head) => oneMap(spec, one, head, { ...look, beside: head % across ? BARE : label }));
        const row = element("div.maps-row", { style: `gap:18px ${BETWEEN}px` }, ...maps);
        return element("div.maps-run", element("h3", title), row);
      });
      box.replaceChildren(...parts);
    },
  };
}
