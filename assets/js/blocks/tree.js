/** Draws a tree of arrays, arrows, rows, columns, boxes and sentences. Text is only ever set as text. */

import { css, inkOn } from "./colour.js";
import { element } from "./spans.js";
import { arrayLabel, cellColour, cellText } from "./steps_numbers.js";

const DRAWN = { array: arrayNode, arrow: arrowNode, row: groupNode, column: groupNode, box: boxNode, say: sayNode, sentence: sentenceNode, calculation: calculationNode };

/** @param {{kind: string}} node @param {{ink: number, colours: object}} look */
export function treeNode(node, look) {
  return DRAWN[node.kind](node, look);
}

function spans(marked) {
  return marked.map(([kind, text]) => element(kind === "sub" ? "sub" : "span", { class: `say-${kind}` }, text));
}

function groupNode(node, look) {
  const name = node.kind + (node.spread ? " spread" : "");
  return element("div", { class: name }, ...node.parts.map((part) => treeNode(part, look)));
}

function boxNode(node, look) {
  return element("section", { class: "box", "aria-label": node.title }, element("p", { class: "box-title" }, node.title), ...node.parts.map((part) => treeNode(part, look)));
}

function arrowNode(node) {
  const plain = node.sign === "→";
  const words = /[a-z]/.test(node.sign);
  return element("span", { class: `arrow${plain ? " turns" : ""}${words ? " words" : ""}`, "aria-hidden": plain ? "true" : null }, node.sign);
}

function sayNode(node) {
  return element("p", { class: `say ${node.style}` }, ...spans(node.spans));
}

function sentenceNode(node) {
  const words = node.words.flatMap((word, i) => {
    const role = i === node.asking ? "asking" : i === node.asked ? "asked" : null;
    const kind = [role, node.quiet.includes(i) && "quiet"].filter(Boolean).join(" ") || null;
    return [" ", element("span", { class: kind, title: role && { asking: "looks", asked: "is looked at" }[role] }, word)];
  });
  return element("p", { class: "large-words" }, ...words);
}

function calculationNode(node) {
  const lines = node.lines.flatMap(([what, number, how], i) => {
    const last = i === node.lines.length - 1 && number ? " last" : "";
    return [element("dt", { class: last.trim() || null }, what), element("dd", { class: `value${last}` }, number), element("dd", { class: "how" }, how)];
  });
  return element("dl", { class: "calculation", "data-name": node.name }, ...lines);
}

function arrayNode(node, look) {
  const title = element("p", { class: "array-title" }, element("span", { class: "name" }, ...spans(node.title)), " ", element("span", { class: "say-muted" }, node.shape));
  const table = element("table", { "aria-label": arrayLabel(node), "data-name": node.name }, ...headRow(node), element("tbody", {}, ...node.values.map((_, r) => bodyRow(node, r, look))));
  const scroller = element("div", { class: "array-scroller" }, table);
  return element("div", { class: `array${node.now ? " now" : ""}${node.decimals > 1 ? " precise" : ""}` }, title, scroller);
}

function headRow(node) {
  if (!node.columns.length && !node.sums) return [];
  const corner = node.rows.length ? [element("td", { class: "corner" })] : [];
  const names = node.columns.map((name) => element("th", { scope: "col" }, name));
  const sum = node.sums ? [element("th", { scope: "col" }, node.sums)] : [];
  return [element("thead", {}, element("tr", {}, ...corner, ...names, ...sum))];
}

function bodyRow(node, r, look) {
  const name = node.rows.length ? [element("th", { scope: "row" }, node.rows[r] ?? "")] : [];
  const cells = node.values[r].map((value, c) => cellNode(node, value, r, c, look));
  const sum = node.sums ? [element("td", { class: "sum" }, cellText(node.total[r], node))] : [];
  return element("tr", {}, ...name, ...cells, ...sum);
}

function cellNode(node, value, r, c, { ink, colours }) {
  const framed = node.cell && node.cell[0] === r && node.cell[1] === c;
  const picks = node.picks !== null && node.picks !== undefined ? { "data-head": node.picks, "data-query": r, "data-key": c } : {};
  const cell = element("td", { class: ["number", framed && "framed", value === null && "absent"].filter(Boolean).join(" "), ...picks }, cellText(value, node));
  if (value !== null) {
    const colour = cellColour(value, node, ink, colours);
    cell.style.background = css(colour);
    cell.style.color = inkOn(colour, colours.number_on_light, colours.number_on_dark);
  }
  return cell;
}
