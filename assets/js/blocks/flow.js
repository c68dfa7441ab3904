/** A tree of arrays, arrows, rows, columns, boxes and sentences: the flow of numbers through one step. */

import { css, parseColour, rampAt } from "../lib/colour.js";
import { element } from "../lib/spans.js";
import { box, drawing, fixed, inkOver, level } from "../lib/chart.js";
/** @import { Arrow, Calculation, Group, Said, Sentence } from "../blocks.d.ts" */

const DEEPEST = 0.6; // of the ramp: where the largest signed number ends, so that shares keep the darkest ink
const NEGATIVE = 0.9; // of the way to the grey of negative numbers
const POSITIVE = 2 / 3; // of the ramp: a bar of a positive number
const CARRIED = { part: 4, whole: 5 }; // steps of the ramp of what is carried
const BARS = { tall: 80, gap: 0.18, from: 100 }; // px; of a bar's place, and from how many bars on there is none
const DRAWN = {
  array: arrayNode,
  arrow: arrowNode,
  row: groupNode,
  column: groupNode,
  box: boxNode,
  said: saidNode,
  sentence: sentenceNode,
  calculation: calculationNode,
};

/** Draws the tree; a weight that can be followed names its cell. @type {Drawer<"flow">} */
export function flow({ root, ink, label, compact }, { colours }) {
  return element(
    "div",
    { class: `steps-flow${compact ? " compact" : ""}`, role: "group", "aria-label": label, "data-ready": "" },
    treeNode(root, { ink, colours }),
  );
}

/** The head, query and key of the cell that was clicked, or null. */
export function cellOf(target) {
  const cell = target.closest?.("[data-head]");
  return cell && { head: Number(cell.dataset.head), query: Number(cell.dataset.query), key: Number(cell.dataset.key) };
}

/** A bar that is so large a part of its place, and what stands at it. */
export function barNode(part, text, style) {
  const bar = element("i", { style: `width:calc((100% - 4.2em) * ${Math.round(1e4 * part) / 1e4});${style}` });
  return element("span.cell-bar", bar, element("span.number", text));
}

/** @param {{kind: string}} node @param {{ink: number, colours: object}} look */
function treeNode(node, look) {
  return DRAWN[node.kind](node, look);
}

function spans(marked) {
  return marked.map(([kind, text]) => element(kind === "sub" ? "sub" : "span", { class: `say-${kind}` }, text));
}

/** @param {Group} node */
function groupNode(node, look) {
  const name = node.kind + (node.spread ? " spread" : "");
  return element("div", { class: name }, ...node.parts.map((part) => treeNode(part, look)));
}

/** @param {Group} node */
function boxNode(node, look) {
  return element(
    "section.box",
    { "aria-label": node.title },
    element("p.box-title", node.title),
    ...node.parts.map((part) => treeNode(part, look)),
  );
}

/** @param {Arrow} node */
function arrowNode(node) {
  const plain = node.sign === "→";
  const words = /^[a-z]/.test(node.sign);
  return element(
    "span",
    { class: `arrow${plain ? " turns" : ""}${words ? " words" : ""}`, "aria-hidden": plain ? "true" : null },
    node.sign,
  );
}

/** @param {Said} node */
function saidNode(node) {
  return element(node.style.endsWith("lead") ? "h1" : "p", { class: `say ${node.style}` }, ...spans(node.spans));
}

/** @param {Sentence} node */
function sentenceNode(node) {
  const words = node.words.flatMap((word, i) => {
    const role = i === node.asking ? "asking" : i === node.asked ? "asked" : null;
    const kind = [role, node.quiet.includes(i) && "quiet"].filter(Boolean).join(" ") || null;
    return [
      " ",
      element("span", { class: kind, title: role && { asking: "looks", asked: "is looked at" }[role] }, word),
    ];
  });
  return element("p.large-words", { dir: node.rtl ? "rtl" : null }, ...words);
}

/** @param {Calculation} node */
function calculationNode(node, { colours }) {
  const longest = Math.max(1e-9, ...(node.bars ?? []).map(([value]) => Math.abs(value)));
  const paint = {
    aside: colours.aside,
    whole: css(colours.carried[CARRIED.whole]),
    part: css(colours.carried[CARRIED.part]),
  };
  const bar = ([value, tone], text) =>
    barNode(
      Math.abs(value) / longest,
      text,
      value < 0 ? `background:none;border:1.5px solid ${colours.carried_negative}` : `background:${paint[tone]}`,
    );
  const lines = node.lines.map(([what, number, how], i) => {
    const last = i === node.lines.length - 1 && number ? " last" : "";
    const name = typeof what === "string" ? what : element("span", ...spans(what));
    if (node.bars)
      return element("div", { class: node.bars[i][1] }, element("dt", name), element("dd", bar(node.bars[i], number)));
    return element(
      "div",
      element("dt", { class: last.trim() || null }, name),
      element("dd", { class: `value${last}` }, number),
      element("dd.how", how),
    );
  });
  return element("dl.calculation", { "data-name": node.name }, ...lines);
}

/** @param {Blocks["array"]} node */
function arrayNode(node, look) {
  if (node.drawn === "bars") return barsNode(node, look);
  const title = element(
    "p.array-title",
    element("span.name", ...spans(node.title)),
    " ",
    element("span.say-muted", node.shape),
  );
  const table = element(
    "table",
    { "aria-label": arrayLabel(node), "data-name": node.name },
    ...headRow(node),
    element("tbody", ...node.values.map((_, r) => bodyRow(node, r, look))),
  );
  const scroller = element("div.array-scroller", table);
  return element(
    "div",
    { class: `array${node.now ? " now" : ""}${node.decimals > 1 ? " precise" : ""}` },
    title,
    scroller,
  );
}

/** A vector as bars over one line, as wide as its place, on a scale of its own. @param {Blocks["array"]} node */
function barsNode({ title, shape, values: [low, high] }, { colours }) {
  const largest = Math.max(1e-9, ...high, ...low.map((value) => -value));
  const wide = high.length < BARS.from ? 1 - BARS.gap : 1;
  const zero = BARS.tall / 2;
  const picture = drawing(high.length, BARS.tall, shape);
  picture.setAttribute("preserveAspectRatio", "none");
  picture.setAttribute("width", "100%");
  const bar = (i, value, fill) =>
    value && picture.append(box(i, zero - Math.max(0, value), wide, Math.abs(value), fill));
  high.forEach((value, i) => {
    bar(i, (value / largest) * zero, css(rampAt(colours.ramp, POSITIVE)));
    bar(i, (low[i] / largest) * zero, colours.negative);
  });
  const line = { "stroke-width": 0.75, "vector-effect": "non-scaling-stroke" };
  picture.append(level(zero, 0, high.length, colours.control_border, line));
  const name = element("div.vector-title", element("b", ...spans(title)), element("span.say-muted", shape));
  return element("div.vector-bars", name, picture);
}

/** @param {Blocks["array"]} node */
function headRow(node) {
  if (!node.columns.length && !node.sums) return [];
  const corner = node.rows.length ? [element("td.corner")] : [];
  const names = node.columns.map((name) => element("th", { scope: "col" }, name));
  const sum = node.sums ? [element("th", { scope: "col" }, node.sums)] : [];
  return [element("thead", element("tr", ...corner, ...names, ...sum))];
}

/** @param {Blocks["array"]} node */
function bodyRow(node, r, look) {
  const name = node.rows.length ? [element("th", { scope: "row" }, node.rows[r] ?? "")] : [];
  const cells = node.values[r].map((value, c) => cellNode(node, value, r, c, look));
  const sum = node.sums ? [element("td.sum", cellText(node.total[r], node))] : [];
  return element("tr", ...name, ...cells, ...sum);
}

/** @param {Blocks["array"]} node */
function cellNode(node, value, r, c, { ink, colours }) {
  const framed = node.cell && node.cell[0] === r && node.cell[1] === c;
  const picks =
    node.picks !== null && node.picks !== undefined ? { "data-head": node.picks, "data-query": r, "data-key": c } : {};
  const cell = element(
    "td",
    { class: ["number", framed && "framed", value === null && "absent"].filter(Boolean).join(" "), ...picks },
    cellText(value, node),
  );
  if (value !== null) {
    const colour = cellColour(value, node, ink, colours);
    cell.style.background = css(colour);
    cell.style.color = inkOver(colour, colours);
  }
  return cell;
}

/** A signed number with a true minus and no minus before zero; a share as whole per cents; "" for what is not there. */
export function cellText(value, { shares, decimals }) {
  if (value === null) return "";
  if (shares) return `${Math.round(value * 100)}\u00a0%`;
  return fixed(value, decimals);
}

/**
 * The colour of a cell: shares and positive numbers in the ink of weights, negative ones towards warm grey.
 * @param {number} value @param {{shares: boolean}} array @param {number} ink the number that has full colour
 * @param {{ramp: number[][], background: string, negative: string}} colours
 */
export function cellColour(value, { shares }, ink, colours) {
  if (shares) return rampAt(colours.ramp, value);
  const depth = Math.min(1, Math.abs(value) / ink) * DEEPEST;
  if (value >= 0) return rampAt(colours.ramp, depth);
  return rampAt([parseColour(colours.background), parseColour(colours.negative)], depth * NEGATIVE);
}

/** A table's text alternative: its name, its size and what is framed in it. @param {Blocks["array"]} array */
export function arrayLabel(array) {
  const title = array.title
    .map(([, text]) => text)
    .join("")
    .replace(/,$/, ""); // beside the shape it may end with one
  const framed = array.cell
    ? `; framed: ${cellText(array.values[array.cell[0]][array.cell[1]], array) || "masked"}`
    : "";
  const rows = array.values.length === 1 ? "1 row" : `${array.values.length} rows`;
  return `${title}, ${rows} of ${array.values[0]?.length ?? 0}${framed}${array.now ? "; this step" : ""}`;
}
