/** The same heads with each word: lines from one version to the other, and a table of small ones. */

import { saidNodes } from "./caption.js";
import { drawing, level, readingMark, scale, signedNumber, written } from "../lib/chart.js";
import { headName } from "../lib/grid.js";
import { css, rampAt } from "../lib/colour.js";
import { element, svg } from "../lib/spans.js";

const SMALL_WIDTH = 108;
const SMALL_HEIGHT = 30;
/** @returns {Span[]} */
const plain = (text) => [["plain", text]];
const LEAST = 0.05; // of a small slope's range, so that equal numbers are level

/** Labels at these heights, moved apart by at least `gap`, in their order; heights out, same order as in. */
export function spreadLabels(heights, gap) {
  const order = heights.map((y, i) => ({ y, i })).sort((one, two) => one.y - two.y);
  for (let k = 1; k < order.length; k++) order[k].y = Math.max(order[k].y, order[k - 1].y + gap);
  const found = new Array(heights.length);
  for (const { y, i } of order) found[i] = y;
  return found;
}

/** A line from one upright to another, on one scale of heights. */
const sloped = (ends, Y, values, stroke, more) =>
  svg("line", { x1: ends[0], x2: ends[1], y1: Y(values[0]), y2: Y(values[1]), stroke, ...more });

/** @type {Drawer<"slopes">} */
function slopes(block, { colours, width, narrow }) {
  const height = narrow ? 300 : 340;
  const side = Math.min(120, width * 0.3);
  const lines = block.before.flatMap((leans, layer) => leans.map((lean, head) => [lean, block.after[layer][head]]));
  const limit = Math.max(0.1, ...lines.flat().map(Math.abs)) * 1.05;
  const Y = scale(height - 40, 34, -limit, limit);
  const ends = [side, width - side];
  const picture = drawing(width, height, block.label);
  picture.append(
    ...[block.left, block.right].map((text, i) => written(ends[i], 16, text, "serif italic middle", 16)),
    level(Y(0), ends[0], ends[1], colours.control_border, { "stroke-dasharray": "2 3" }),
    ...lines.map((line) => sloped(ends, Y, line, colours.control_border, { "stroke-opacity": 0.35 })),
  );
  const named = block.named.map(([layer, head]) => ({
    name: headName(layer, head),
    line: [block.before[layer][head], block.after[layer][head]],
  }));
  const heights = [0, 1].map((version) =>
    spreadLabels(
      named.map(({ line }) => Y(line[version]) + 4),
      15,
    ),
  );
  named.forEach(({ name, line }, i) => {
    picture.append(sloped(ends, Y, line, "currentColor", { "stroke-width": 2.5 }));
    line.forEach((lean, version) => {
      const paint = { fill: colours[lean > 0 ? "a" : "b"].graphic, stroke: colours.background };
      const x = ends[version] + (version ? 11 : -11);
      picture.append(
        readingMark(ends[version], Y(lean), 6, lean > 0, paint),
        written(x, heights[version][i], `${name} ${signedNumber(lean)}`, version ? "code halo" : "code halo end"),
      );
    });
  });
  picture.append(written(width / 2, height - 8, block.about, "middle muted-ink"));
  return picture;
}

/**
 * Rows of heads, columns of small slopes; "lean" has its sign, looks are whole per cents. On a phone each head is a card
 * whose cells carry their titles; the roles say that it is a table all the same.
 * @type {Drawer<"slopes_table">}
 */
function slopesTable(block, { colours, narrow, legend }) {
  const role = (name) => (narrow ? { role: name } : {});
  const label = "the same heads with each word";
  const columns = block.columns.map(({ title, of, before, after }) => {
    const [low, high] = [Math.min(...before, ...after), Math.max(...before, ...after)];
    const most = Math.max(high, low + LEAST);
    return {
      title,
      cell: (row) => smallSlope([before[row], after[row]], of, scale(SMALL_HEIGHT - 6, 6, low, most), colours),
    };
  });
  if (block.carries) columns.unshift({ title: [["plain", legend.carries]], cell: (row) => block.carries[row] });
  const titles = [plain(legend.head), ...columns.map(({ title }) => title)];
  const heads = titles.map((title) => element("th", { scope: "col", ...role("columnheader") }, ...saidNodes(title)));
  const rows = block.heads.map(([layer, head], row) => {
    const direct = layer === block.direct && element("span.muted", " direct");
    const cells = columns.map(({ title, cell }) => {
      const of = narrow && element("span.of", { "aria-hidden": "true" }, ...saidNodes(title));
      return element("td", role("cell"), of, cell(row));
    });
    const name = element("th.name", { scope: "row", ...role("rowheader") }, headName(layer, head), direct);
    return element("tr", role("row"), name, ...cells);
  });
  const head = element(
    "thead",
    { class: narrow ? "unseen" : "", ...role("rowgroup") },
    element("tr", role("row"), ...heads),
  );
  const kind = { class: narrow ? "slopes cards" : "slopes", ...role("table"), "aria-label": label };
  const table = element("table", kind, head, element("tbody", role("rowgroup"), ...rows));
  return narrow ? table : element("div.scroll-x", { tabindex: "0", role: "region", "aria-label": label }, table);
}

function smallSlope(values, kind, Y, colours) {
  const lean = kind === "lean";
  const text = (value) => (lean ? signedNumber(value) : String(Math.round(value * 100)));
  const ends = [44, SMALL_WIDTH - 44];
  const picture = drawing(SMALL_WIDTH, SMALL_HEIGHT, `${text(values[0])}, then ${text(values[1])}`);
  const ink = lean ? "currentColor" : kind === "cue" ? css(rampAt(colours.ramp, 0.6)) : colours[kind].graphic;
  picture.append(sloped(ends, Y, values, ink, { "stroke-width": 2 }));
  values.forEach((value, i) => {
    const isA = lean ? value > 0 : kind !== "b";
    picture.append(
      readingMark(ends[i], Y(value), 4, isA, { fill: lean ? colours[isA ? "a" : "b"].graphic : ink }),
      written(ends[i] + (i ? 8 : -8), Y(value) + 4, text(value), i ? "code" : "code end"),
    );
  });
  return picture;
}

export const SLOPE_DRAWERS = { slopes, slopes_table: slopesTable };
