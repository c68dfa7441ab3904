/** The furthest lean of any head in each order of the same words, a dot each, and where this sentence stands. */

import { dot, drawing, level, part, piled, ruler, scale, upright, written } from "../lib/chart.js";
import { filledText } from "../lib/spans.js";

const STEP = 7; // px between columns of dots
const TALLEST = 24; // dots of one value; more go into the next columns
const TICKS = [0, 0.2, 0.4, 0.6, 0.8, 1];

/** @type {Drawer<"maxima">} */
export function maxima(block, { colours, width, narrow, legend }) {
  const height = narrow ? 270 : 300;
  const foot = height - 52;
  const X = scale(8, width - 8, 0, Math.max(0.65, block.here, ...block.furthest) * 1.02);
  const picture = drawing(width, height, block.label);
  for (const { x, row, value } of piled(block.furthest, X, STEP, TALLEST))
    picture.append(dot(x, foot - 6 - row * 5.6, 2.5, value >= block.here ? colours.muted : "none", colours.muted));
  const values = TICKS.filter((value) => value <= X.high);
  picture.append(
    level(foot, 8, width - 8, colours.control_border),
    ...ruler(X, values, (value) => value.toFixed(1), [foot, foot + 5], foot + 20, colours),
  );
  const x = X(block.here);
  const late = x > width * 0.55;
  const side = late ? "end halo" : "halo";
  const from = late ? x - 9 : x + 9;
  const name = [part(block.name, "code", 13), part(filledText(legend.here, { lean: block.here.toFixed(2) }))];
  picture.append(
    written(width - 8, foot + 40, legend.axis, "end muted-ink"),
    upright(x, 8, foot + 5, "currentColor", { "stroke-width": 2 }),
    written(from, 18, name, side, 14),
    written(from, 36, block.reached, `bold ${side}`, 14),
  );
  if (block.often) {
    const often = block.often.map(([kind, text]) => (kind === "head" ? part(text, "code", 12.5) : part(text)));
    picture.append(written(width - 2, 62, often, "end halo"));
  }
  return picture;
}
