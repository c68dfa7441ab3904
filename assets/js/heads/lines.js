/** One pinned head as lines from the looking words to the words looked at. */

import { lineLinks } from "./cells.js";
import { css, rampAt } from "../lib/colour.js";
import { svg } from "../lib/spans.js";

const LINE_TONE = 0.7; // of the ramp
const WIDEST = 9; // px of a line of 100 %
const WIDTH = 520;
const LABELS = 118;
const TOP = 30;

export function linesView(parent, { weights, rows, columns }, label) {
  const picture = svg("svg.lines", { role: "img", "aria-label": label.replace("heatmap", "lines") });
  parent.append(picture);

  function draw(spec, colours, column, narrow, focus) {
    const longest = Math.max(rows, columns);
    const step = Math.max(15, Math.min(narrow ? 32 : 38, 1100 / longest));
    const size = Math.max(12, Math.min(spec.large ? 22 : 17, step * 0.8));
    const width = Math.min(column, WIDTH);
    const y = (at) => TOP + (at + 0.5) * step;
    const [from, to] = [LABELS + 8, width - LABELS - 8];
    const attributes = { width, height: longest * step + TOP + 4, viewBox: `0 0 ${width} ${longest * step + TOP + 4}` };
    for (const [name, value] of Object.entries(attributes)) picture.setAttribute(name, value);
    const X = spec.rtl ? (x) => width - x : (x) => x; // from right to left, as the text reads
    const [start, end] = spec.rtl ? ["start", "end"] : ["end", "start"];
    const ink = css(rampAt(colours.ramp, LINE_TONE));
    const lines = lineLinks(weights, rows, columns, focus).map(({ q, k, weight, inked }) =>
      svg("path", {
        d: `M${X(from)},${y(q)} C${X(width * 0.45)},${y(q)} ${X(width * 0.55)},${y(k)} ${X(to)},${y(k)}`,
        fill: "none",
        stroke: inked ? ink : colours.border,
        "stroke-width": Math.max(1, weight * WIDEST),
        "stroke-opacity": inked ? Math.max(0.35, Math.min(1, weight * 1.7)) : 0.75,
      }),
    );
    const word = (text, at, kind, x, anchor) =>
      svg(
        "text",
        {
          x,
          y: y(at) + size * 0.3,
          "font-size": size,
          "text-anchor": anchor,
          class: at === focus ? "line-word lit" : "line-word",
          [`data-${kind}`]: at,
        },
        text,
      );
    picture.replaceChildren(
      svg("text.line-note", { x: X(LABELS), y: 16, "text-anchor": start }, "from"),
      svg("text.line-note", { x: X(width - LABELS), y: 16, "text-anchor": end }, "to"),
      ...lines,
      ...spec.queries.map((text, q) => word(text, q, "query", X(LABELS), start)),
      ...spec.keys.map((text, k) => word(text, k, "key", X(width - LABELS), end)),
    );
  }

  return { node: picture, draw };
}
