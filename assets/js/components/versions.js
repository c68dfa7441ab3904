/**
 * Two texts with equal words above each other, and where one word looks in each: arcs above the first and below the
 * second; or two texts with arcs of several heads in the first and from the second to the first. Texts that do not fit
 * one line are written below each other, their words tinted.
 */

import { arrowSize, middleOf, nestedArcs, oneArc, px, riseOf, WIDEST } from "../lib/arcs.js";
import { drawing, wholePercent, written } from "../lib/chart.js";
import { dress, rampAt } from "../lib/colour.js";
import { viewOf } from "../lib/mount.js";
import { arcInk, arcNodes, lineBoxes, lineIn, lineNodes, lineSize, tint, wordGauge } from "../lib/sentence.js";
import { element, percentText, refill, svg } from "../lib/spans.js";

const PHONE = 640; // px
const GAP = 0.3; // of the size, between words
const SIDE = 96; // px for the title of a line
const LARGEST = 58;
const LARGEST_LINKED = 38; // px of texts with arcs between them
const SMALLEST = 22;
const EDGE = 8; // px right of the last word, for the wash behind it
const RISE = 64; // px of the widest arc
const ABOVE = RISE + 40; // px for the arcs of a line
const NESTED_RISE = 44; // px of the outer one of two arcs, each of which has a label
const NESTED_STEP = 26; // px by which the inner one is lower
const ABOVE_NESTED = NESTED_RISE + 36;
const BETWEEN = 38; // px between two texts with an arc between them
const BEND = 16; // px from its ends to the control points of an arc between two texts
const OFF = 0.2; // as thick as this share is the arc of an ablated head
const CALM = 12; // px above and below lines without arcs
const GROUND = { x: 7, y: -0.82, height: 1.14 }; // of a changed word: px beside it, sizes

/**
 * @typedef {[string | null, string | null, boolean]} Column the word of each text, and whether it stayed
 * @typedef {{columns: Column[], titles: [string, string], rtl: boolean, label: string, head?: string, query?: number,
 *   key?: number, rows?: [number, number][][]}} VersionsData `rows` has a column and a share for each arc of a text
 * @typedef {{from: [number, number], to: [number, number], weight: number, name: string, off: boolean}} WordLink the look
 *   of a head, between words by text and number; `off` if the head is ablated
 * @typedef {{lines: string[][], links: WordLink[], under: (number | null)[], changed: number[], titles: string[],
 *   label: string}} LinkedData the words of one or two texts; a word of each with a line under it, changed ones of the second
 */

/** The size of both lines and where each column begins, as wide as the longer word; null if they do not fit. */
export function columnsLine(widths, room, rtl = false, largest = LARGEST, smallest = SMALLEST) {
  const gaps = widths.map((_, i) => (i ? GAP : 0));
  const size = lineSize(widths, gaps, room, largest, smallest);
  return size && { size, places: lineBoxes(widths, gaps, size, rtl) };
}

/** The label of a link: its head and its share. @param {WordLink} link */
export const linkText = ({ name, weight, off }) => `${name} ${off ? "ablated" : percentText(Math.round(100 * weight))}`;

/** Draws texts with arcs of several heads into a root. @param {HTMLElement} root @param {LinkedData} data */
function drawLinked(root, data, colours) {
  const gauge = wordGauge(root);
  const [room, parts] = [root.clientWidth - EDGE, data.lines.map((words) => words.map(gauge))];
  const sizes = parts.map((widths) => columnsLine(widths, room, false, LARGEST_LINKED)?.size ?? 0);
  const size = root.clientWidth <= PHONE ? 0 : Math.min(...sizes);
  if (!size) return refill(root, ...data.lines.map((_, side) => flowing(data, side, colours)));
  const boxes = parts.map((widths) => lineBoxes(widths, widths.map((_, i) => (i ? GAP : 0)), size)); // prettier-ignore
  const inner = data.links.filter(({ from }) => !from[0]);
  const first = lineIn(inner.length ? ABOVE_NESTED : CALM, size);
  const second = lineIn(first.down.y + BETWEEN, size);
  const end = (data.lines.length > 1 ? second : first).base + 0.3 * size;
  const drawn = drawing(root.clientWidth, end, data.label);
  data.lines.forEach((words, side) => {
    const pieces = words.map((text, at) => ({ text, at }));
    const marks = {
      wash: (at) => (side && data.changed.includes(at) ? colours.changed : undefined),
      under: data.under[side],
      muted: () => false,
    };
    const line = { base: (side ? second : first).base, size, ground: GROUND };
    drawn.append(...lineNodes(pieces, boxes[side], line, marks));
  });
  if (inner.length) drawn.append(...innerNodes(inner, boxes[0], first.up, colours));
  for (const link of data.links.filter(({ from }) => from[0]))
    drawn.append(...crossNodes(link, boxes, second.up.y, first.down.y, colours));
  refill(root, drawn);
}

/** The arcs over the first text, between the same two words, the thickest outside. @param {WordLink[]} given */
function innerNodes(given, boxes, { y }, colours) {
  const links = [...given].sort((a, b) => b.weight - a.weight);
  const [from, to] = [middleOf(boxes[links[0].from[1]]), middleOf(boxes[links[0].to[1]])];
  const shapes = nestedArcs(links.map(({ weight, off }) => (off ? OFF : weight)), from, to, { y, up: true, rise: NESTED_RISE, step: NESTED_STEP }); // prettier-ignore
  return shapes.flatMap((shape, i) => {
    const label = { ...shape.label, text: linkText(links[i]) };
    return dashed(links[i], arcNodes([{ ...shape, label }], inkOf(links[i], colours)));
  });
}

/** The arc from a word of the second text up to one of the first, with its label beside it. @param {WordLink} link */
function crossNodes(link, boxes, from, to, colours) {
  const [a, b] = [middleOf(boxes[1][link.from[1]]), middleOf(boxes[0][link.to[1]])];
  const width = Math.max(1, (link.off ? OFF : link.weight) * WIDEST);
  const arrow = arrowSize(link.weight, width);
  const [foot, tip, ink] = [from - 3, to + 2, inkOf(link, colours)];
  const [neck, middle] = [tip + 1.3 * arrow, (from + to) / 2];
  const path = `M${px(a)},${px(foot)} C${px(a)},${px(foot - BEND)} ${px(b)},${px(neck + BEND)} ${px(b)},${px(neck)}`;
  const head = `M${px(b - arrow)},${px(neck)} L${px(b)},${px(tip)} L${px(b + arrow)},${px(neck)} Z`;
  const text = svg("text.arc-label", { x: Math.max(a, b) + 24, y: middle + 5 }, linkText(link));
  const line = svg("path", { d: path, fill: "none", style: `stroke:${ink}`, "stroke-width": width });
  return dashed(link, [line, svg("path", { d: head, style: `fill:${ink}` }), text]);
}

const inkOf = ({ off }, colours) => (off ? colours.control_border : arcInk(colours));

/** The nodes of an arc, its line dashed if the head is ablated. @param {WordLink} link @param {Element[]} nodes */
function dashed({ off }, nodes) {
  for (const node of nodes)
    if (off && node.getAttribute("fill") === "none") node.setAttribute("stroke-dasharray", "9 7");
  return nodes;
}

/** A text that flows, the words that are looked at tinted, with heads and shares. @param {LinkedData} data */
function flowing(data, side, colours) {
  const nodes = data.lines[side].flatMap((word, at) => {
    const looks = data.links.filter(({ to, from }) => to[0] === side && to[1] === at && !from[0]);
    const changed = side && data.changed.includes(at) ? "changed" : "";
    const node = element("span.tinted", { class: `${at === data.under[side] ? "looking" : ""} ${changed}` }, word);
    const most = Math.max(0, ...looks.map(({ weight, off }) => (off ? 0 : weight)));
    if (most) tint(node, rampAt(colours.ramp, most), colours);
    return [node, ...looks.map((link, i) => element("b", `${i ? ", " : " "}${linkText(link)}`)), " "];
  });
  const cross = side ? data.links.filter(({ from }) => from[0]) : [];
  const notes = cross.map((link) => element("p.side", `${linkText(link)}: ${data.lines[1][link.from[1]]} → ${data.lines[0][link.to[1]]}`)); // prettier-ignore
  const title = element("p.side", element("i", data.titles[side]));
  return element("div.version", title, element("p.flow", ...nodes), ...notes);
}

/** Draws both texts into a root. @param {HTMLElement} root @param {VersionsData} data */
function drawVersions(root, data, colours) {
  const gauge = wordGauge(root);
  const widths = data.columns.map(([first, second]) => Math.max(gauge(first ?? ""), gauge(second ?? "")));
  const width = root.clientWidth;
  const line = width <= PHONE ? null : columnsLine(widths, width - SIDE - EDGE, data.rtl);
  refill(root, line ? picture(data, line, colours, width, gauge) : [0, 1].map((side) => tinted(data, side, colours)));
}

/** @param {VersionsData} data */
function picture(data, { size, places }, colours, width, gauge) {
  const above = data.rows ? ABOVE : CALM;
  const lines = [lineIn(above, size), lineIn(above + 1.4 * size, size)];
  const drawn = drawing(width, lines[1].base + size * 0.3 + above, data.label);
  if (data.head) drawn.append(written(0, 16, data.head, "code", 15));
  [0, 1].forEach((side) => {
    const { base, up, down } = lines[side];
    const boxes = data.columns.map((column, at) => {
      const wide = gauge(column[side] ?? "") * size;
      return { x: SIDE + places[at].x + (data.rtl ? places[at].width - wide : 0), width: wide };
    });
    const pieces = data.columns.map(([...words], at) => ({ text: String(words[side] ?? ""), at }));
    const marks = {
      wash: (at) => (data.columns[at][2] || data.columns[at][side] === null ? undefined : colours.changed),
      under: data.query ?? null,
      muted: ({ at }) => side === 1 && data.columns[at][2] && at !== data.query,
    };
    const shapes = data.rows ? arcsOf(data, side, boxes, side ? down : up, colours) : [];
    drawn.append(
      written(0, base, data.titles[side], "serif italic", 20),
      ...lineNodes(pieces, boxes, { base, size, ground: GROUND }, marks, arcNodes(shapes, arcInk(colours))),
    );
  });
  return drawn;
}

/** The arcs of one text: grey, and the one that changes most in ink with its number. @param {VersionsData} data */
function arcsOf(data, side, boxes, { y, up }, colours) {
  const from = middleOf(boxes[data.query]);
  const span = (at) => Math.abs(middleOf(boxes[at]) - from);
  const widest = Math.max(1, ...data.rows[side].map(([at]) => span(at)));
  const ordered = [...data.rows[side]].sort(([a], [b]) => Number(a === data.key) - Number(b === data.key));
  return ordered.map(([at, weight]) => {
    const rise = riseOf(span(at), widest, RISE);
    const arc = oneArc({ from, to: middleOf(boxes[at]), y, up, weight, rise, least: 1.2 });
    return at === data.key ? arc : { ...arc, ink: colours.control_border, opacity: 0.55, label: null };
  });
}

/** A text that flows, its words tinted by what one word gives them. @param {VersionsData} data */
function tinted(data, side, colours) {
  const shares = new Map(data.rows?.[side] ?? []);
  const words = data.columns.flatMap((column, at) => {
    if (column[side] === null) return [];
    const look = `${at === data.query ? "looking" : ""} ${column[2] ? "" : "changed"}`;
    const node = element("span.tinted", { class: look }, column[side]);
    if (shares.get(at)) tint(node, rampAt(colours.ramp, shares.get(at)), colours);
    return [node, ...(at === data.key ? [element("b", ` ${wholePercent(shares.get(at) ?? 0)}`)] : []), " "];
  });
  return element(
    "div.version",
    element("p.side", element("i", data.titles[side]), " ", element("span.head", data.head ?? "")),
    element("p.flow", { dir: data.rtl ? "rtl" : "ltr" }, ...words),
  );
}

/** Mounts two versions of a text into a place. @param {Element} parent */
export default function versions(parent, tokens) {
  const root = element("div.parallax.versions");
  const draw = (/** @type {VersionsData | LinkedData} */ data) => {
    const colours = dress(root, tokens);
    if ("lines" in data) drawLinked(root, data, colours);
    else drawVersions(root, data, colours);
  };
  return viewOf(parent, root, draw, ['400 30px "Source Serif"', '600 15px "Source Sans"']);
}
