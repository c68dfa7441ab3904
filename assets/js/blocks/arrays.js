/** Small arrays with their numbers in the cells: positive in ink, negative in warm grey, a row a word. */

import { fixed, inkOver } from "../lib/chart.js";
import { css, parseColour, rampAt } from "../lib/colour.js";
import { element } from "../lib/spans.js";

const STRONGEST = 0.62; // of the ramp: an array's largest number is not drawn in full ink, which belongs to 100 %

/** A number as it stands in a cell, with a true minus and no minus before zero. */
export function cellText(value, kind, decimals) {
  if (kind === "share") return `${Math.floor(100 * value + 0.5)}`;
  return fixed(value, decimals);
}

/** The colour behind a number: shares on the ramp itself, signed numbers on a ramp of their own for each sign. */
export function cellColour(value, kind, largest, ramp, negative) {
  if (kind === "share") return rampAt(ramp, value);
  const part = largest > 0 ? STRONGEST * Math.min(1, Math.abs(value) / largest) : 0;
  return value >= 0 ? rampAt(ramp, part) : rampAt([ramp[0], negative], part);
}

function picture(item, colours) {
  const largest = item.largest ?? Math.max(...item.rows.flat().map(Math.abs));
  const body = item.rows.map((row, place) => {
    const cells = row.map((value, column) => {
      const colour = cellColour(value, item.kind, largest, colours.ramp, colours.negative);
      const style = `background:${css(colour)};color:${inkOver(colour, colours)}`;
      return element(
        "td",
        { style, class: item.split?.includes(column) ? "after" : null },
        cellText(value, item.kind, item.decimals ?? 1),
      );
    });
    const name = item.row_names ? [element("th", { scope: "row" }, item.row_names[place])] : [];
    return element("tr", ...name, ...cells);
  });
  const columns = item.column_names
    ? [
        element(
          "tr",
          item.row_names && element("td.corner"),
          ...item.column_names.map((name) => element("th", { scope: "col" }, name)),
        ),
      ]
    : [];
  const name = element("figcaption", element("b", item.name), item.note ? ` ${item.note}` : "");
  const label = [item.name, item.note].filter(Boolean).join(" ");
  return element(
    "figure",
    name,
    element("table", { "aria-label": label }, element("thead", ...columns), element("tbody", ...body)),
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
