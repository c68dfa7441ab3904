/** Small arrays with their numbers in the cells: positive in ink, negative in warm grey, a row a word. */

import { fixed, inkOver } from "../lib/chart.js";
import { css, parseColour, rampAt } from "../lib/colour.js";
import { element, plainText } from "../lib/spans.js";
/** @import { Array } from "../blocks.d.ts" */

const STRONGEST = 0.62; // of the ramp: an array's largest number is not drawn in full ink, which belongs to 100 %

/** A number as it stands in a cell, with a true minus and no minus before zero. */
export function cellText(value, { shares, decimals }) {
  return shares ? `${Math.floor(100 * value + 0.5)}` : fixed(value, decimals);
}

/** The colour behind a number: shares on the ramp itself, signed numbers on a ramp of their own for each sign. */
export function cellColour(value, { shares }, largest, ramp, negative) {
  if (shares) return rampAt(ramp, value);
  const part = largest > 0 ? STRONGEST * Math.min(1, Math.abs(value) / largest) : 0;
  return value >= 0 ? rampAt(ramp, part) : rampAt([ramp[0], negative], part);
}

/** @param {Array} array */
function picture(array, colours) {
  const { title, shape, values, rows, columns, split } = array;
  const largest = array.largest ?? Math.max(...values.flat().map(Math.abs));
  const body = values.map((row, place) => {
    const cells = row.map((value, column) => {
      const colour = cellColour(value, array, largest, colours.ramp, colours.negative);
      const style = `background:${css(colour)};color:${inkOver(colour, colours)}`;
      return element("td", { style, class: split.includes(column) ? "after" : null }, cellText(value, array));
    });
    return element("tr", rows.length > 0 && element("th", { scope: "row" }, rows[place]), ...cells);
  });
  const names = columns.map((name) => element("th", { scope: "col" }, name));
  const head = names.length > 0 && element("tr", rows.length > 0 && element("td.corner"), ...names);
  const name = plainText(title);
  return element(
    "figure",
    element("figcaption", element("b", name), shape && ` ${shape}`),
    element(
      "table",
      { "aria-label": [name, shape].filter(Boolean).join(" ") },
      element("thead", head),
      element("tbody", ...body),
    ),
  );
}

/** Draws lines of arrays, with operators such as "×" between them. @type {Drawer<"arrays">} */
export function arrays({ lines }, { colours }) {
  const inks = { ...colours, negative: parseColour(colours.negative) };
  const operator = (sign) => element("span.operator", { "aria-hidden": "true" }, sign);
  return lines.map((line) =>
    element("div.line", ...line.map((item) => (typeof item === "string" ? operator(item) : picture(item, inks)))),
  );
}
