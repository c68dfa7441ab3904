/** All keys of one query as a table: the score on an axis, attention and what it brings as bars. */

import { barNode, label } from "../blocks/draw.js";
import { css, rampAt } from "../lib/colour.js";
import { element, svg } from "../lib/spans.js";
/** @import { Drawer } from "../drawers.d.ts" */

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

function scoreNode(row, X, width, colours, narrow, ticks) {
  const picture = svg("svg", { width, height: 30, "aria-hidden": "true" });
  for (const [tick] of narrow ? [] : ticks)
    picture.append(svg("line", { x1: X(tick), x2: X(tick), y1: 0, y2: 30, stroke: colours.border }));
  if (row.score === null || row.score === undefined) return picture;
  const paint = row.score > 0 ? css(rampAt(colours.ramp, TONE)) : colours.negative;
  picture.append(
    svg("line", { x1: X(0), x2: X(row.score), y1: 15, y2: 15, stroke: paint, "stroke-width": 1.5 }),
    svg("circle", { cx: X(row.score), cy: 15, r: narrow ? 3.5 : 4.5, fill: paint }),
  );
  if (!narrow)
    picture.append(
      label(X(row.score) + (row.score > 0 ? 10 : -10), 19.5, row.score_text, {
        "font-size": 13,
        class: "code",
        "text-anchor": row.score > 0 ? "start" : "end",
      }),
    );
  return picture;
}

/** @type {Drawer<"cell_keys">} */
export function keys(place, block, { colours, narrow }) {
  const width = narrow ? SCORE.narrow : SCORE.wide;
  const X = scoreScale(block.rows, block.ticks, width, narrow ? 6 : 44);
  const told = block.told;
  const names = [
    "token",
    block.score_title,
    "attention",
    ...(told ? (narrow ? ["contribution"] : ["size after W", "attention × size: contribution"]) : []),
  ];
  const heads = names.map((name, i) =>
    element(
      "th",
      { scope: "col" },
      ...(name.endsWith("after W")
        ? [name, element("sub", {}, "O")]
        : i === 1 && !narrow
          ? [name, axis(block.ticks, X, width)]
          : [name]),
    ),
  );
  const rows = block.rows.map((row) => {
    const ink = css(rampAt(colours.ramp, Math.max(FAINTEST, row.weight)));
    const brings = css(colours.carried[BRINGS]);
    const score = element(
      "td",
      { class: "score" },
      scoreNode(row, X, width, colours, narrow, block.ticks),
      element("span", { class: "unseen" }, row.score_text),
    );
    if (row.score_text === "hidden") score.classList.add("absent");
    const cells = [
      score,
      element("td", {}, row.weight_text ? barNode(row.weight, row.weight_text, `background:${ink}`) : ""),
    ];
    if (told && !narrow)
      cells.push(
        element(
          "td",
          {},
          row.length === null || row.length === undefined
            ? ""
            : barNode(row.length, row.length_text, `background:${colours.aside};height:10px`),
        ),
      );
    if (told)
      cells.push(
        element("td", {}, row.brought_text ? barNode(row.brought, row.brought_text, `background:${brings}`) : ""),
      );
    return element(
      "tr",
      {
        class: [row.chosen && "chosen", row.special && "special", row.rest && "rest"].filter(Boolean).join(" ") || null,
      },
      element("th", { scope: "row" }, row.name),
      ...cells,
    );
  });
  const caption = element("caption", { class: "unseen" }, block.label);
  place.append(
    element(
      "div",
      { class: "scroll-x" },
      element(
        "table",
        { class: `cell-keys${told ? "" : " untold"}` },
        caption,
        element("thead", {}, element("tr", {}, ...heads)),
        element("tbody", {}, ...rows),
      ),
    ),
  );
}

function axis(ticks, X, width) {
  return svg(
    "svg",
    { class: "cell-axis", width, height: 18, "aria-hidden": "true" },
    ...ticks.map(([value, text]) =>
      label(X(value), 14, text, { "font-size": 12, "text-anchor": "middle", class: "code muted-ink" }),
    ),
  );
}
