/** All keys of one query as a table: the score on an axis, attention and what it brings as bars. */

import { barNode } from "../blocks/flow.js";
import { dot, fixed, level, sample, tickStep, ticks, upright, written } from "../lib/chart.js";
import { css, rampAt } from "../lib/colour.js";
import { element, svg } from "../lib/spans.js";

const TONE = 2 / 3;
const FAINTEST = 0.15; // of the ramp, for a weight that is there at all
const SCORE = { wide: 280, narrow: 84 }; // px of the column of scores
const BRINGS = 4; // step of the ramp of what is carried

/** Where scores stand on their axis, from the lowest to the highest of some. */
export function scoreScale(scores, width, room) {
  const [low, high] = [Math.min(...scores), Math.max(...scores)];
  return (score) => room + ((score - low) / Math.max(1e-9, high - low)) * (width - 2 * room);
}

function scoreNode(score, X, values, width, colours, narrow) {
  const lines = narrow ? [] : values.map((value) => upright(X(value), 0, 30, colours.border));
  const picture = sample(width, 30, lines);
  if (!score) return picture;
  const [value, text] = score;
  const paint = value > 0 ? css(rampAt(colours.ramp, TONE)) : colours.negative;
  picture.append(
    level(15, X(0), X(value), paint, { "stroke-width": 1.5 }),
    dot(X(value), 15, narrow ? 3.5 : 4.5, paint),
  );
  if (!narrow) picture.append(written(X(value) + (value > 0 ? 10 : -10), 19.5, text, value > 0 ? "code" : "code end"));
  return picture;
}

/** @type {Drawer<"cell_keys">} */
export function keys(block, { colours, narrow }) {
  const width = narrow ? SCORE.narrow : SCORE.wide;
  const { told, reach } = block;
  const step = tickStep(Math.max(reach[1] - reach[0], 1e-6));
  const values = ticks(reach[0], reach[1], step);
  const scores = block.rows.flatMap(({ score }) => (score ? [score[0]] : []));
  const X = scoreScale([...scores, ...values], width, narrow ? 6 : 44);
  const head = (...name) => element("th", { scope: "col" }, ...name);
  const heads = [
    head("token"),
    head("score", !narrow && axis(values, step, X, width)),
    head("attention"),
    told && !narrow && head("size after W", element("sub", "O")),
    told && head(narrow ? "contribution" : "attention × size: contribution"),
  ];
  const cell = (bar, style) => element("td", bar?.[1] && barNode(bar[0], bar[1], style));
  const rows = block.rows.map((row) => {
    const ink = css(rampAt(colours.ramp, Math.max(FAINTEST, row.weight[0])));
    const text = row.score?.[1] ?? (row.style === "rest" ? "" : "hidden");
    return element(
      "tr",
      { class: row.style || null },
      element("th", { scope: "row" }, row.name),
      element(
        text === "hidden" ? "td.score.absent" : "td.score",
        scoreNode(row.score, X, values, width, colours, narrow),
        element("span.unseen", text),
      ),
      cell(row.weight, `background:${ink}`),
      told && !narrow && cell(row.length, `background:${colours.aside};height:10px`),
      told && cell(row.brought, `background:${css(colours.carried[BRINGS])}`),
    );
  });
  const caption = element("caption.unseen", block.label);
  const table = element(
    told ? "table.cell-keys" : "table.cell-keys.untold",
    caption,
    element("thead", element("tr", heads)),
    element("tbody", rows),
  );
  return element("div.scroll-x", table);
}

function axis(values, step, X, width) {
  const digits = Math.max(0, -Math.floor(Math.log10(step)));
  const texts = values.map((value) => written(X(value), 14, fixed(value, digits), "code muted-ink middle", 12));
  return svg("svg.cell-axis", { width, height: 18, "aria-hidden": "true" }, texts);
}
