/** All keys of one query as a table: the score on an axis, attention and what it brings as bars. */

import { barNode } from "../blocks/flow.js";
import { dot, level, sample, upright, written } from "../lib/chart.js";
import { css, rampAt } from "../lib/colour.js";
import { element, svg } from "../lib/spans.js";

const TONE = 2 / 3;
const FAINTEST = 0.15; // of the ramp, for a weight that is there at all
const SCORE = { wide: 280, narrow: 84 }; // px of the column of scores
const BRINGS = 4; // step of the ramp of what is carried

/** Where scores stand on their axis, with zero on it. */
export function scoreScale(rows, ticks, width, room) {
  const scores = [
    0,
    ...rows.map(({ score }) => score).filter((score) => score !== null && score !== undefined),
    ...ticks.map(([value]) => value),
  ];
  const [low, high] = [Math.min(...scores), Math.max(...scores)];
  return (score) => room + ((score - low) / Math.max(1e-9, high - low)) * (width - 2 * room);
}

function scoreNode({ score, score_text: text }, X, width, colours, narrow, ticks) {
  const lines = narrow ? [] : ticks.map(([value]) => upright(X(value), 0, 30, colours.border));
  const picture = sample(width, 30, lines);
  if (score === null || score === undefined) return picture;
  const paint = score > 0 ? css(rampAt(colours.ramp, TONE)) : colours.negative;
  picture.append(
    level(15, X(0), X(score), paint, { "stroke-width": 1.5 }),
    dot(X(score), 15, narrow ? 3.5 : 4.5, paint),
  );
  if (!narrow) picture.append(written(X(score) + (score > 0 ? 10 : -10), 19.5, text, score > 0 ? "code" : "code end"));
  return picture;
}

/** @type {Drawer<"cell_keys">} */
export function keys(block, { colours, narrow }) {
  const width = narrow ? SCORE.narrow : SCORE.wide;
  const X = scoreScale(block.rows, block.ticks, width, narrow ? 6 : 44);
  const { told } = block;
  const head = (...name) => element("th", { scope: "col" }, ...name);
  const heads = [
    head("token"),
    head(block.score_title, !narrow && axis(block.ticks, X, width)),
    head("attention"),
    told && !narrow && head("size after W", element("sub", "O")),
    told && head(narrow ? "contribution" : "attention × size: contribution"),
  ];
  const cell = (part, text, style) => element("td", text && barNode(part, text, style));
  const rows = block.rows.map((row) => {
    const ink = css(rampAt(colours.ramp, Math.max(FAINTEST, row.weight)));
    const kind = [row.chosen && "chosen", row.special && "special", row.rest && "rest"].filter(Boolean).join(" ");
    return element(
      "tr",
      { class: kind || null },
      element("th", { scope: "row" }, row.name),
      element(
        row.score_text === "hidden" ? "td.score.absent" : "td.score",
        scoreNode(row, X, width, colours, narrow, block.ticks),
        element("span.unseen", row.score_text),
      ),
      cell(row.weight, row.weight_text, `background:${ink}`),
      told && !narrow && cell(row.length, row.length_text, `background:${colours.aside};height:10px`),
      told && cell(row.brought, row.brought_text, `background:${css(colours.carried[BRINGS])}`),
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

function axis(ticks, X, width) {
  const texts = ticks.map(([value, text]) => written(X(value), 14, text, "code muted-ink middle", 12));
  return svg("svg.cell-axis", { width, height: 18, "aria-hidden": "true" }, texts);
}
