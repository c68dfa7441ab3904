/**
 * Two texts with equal words above each other, and where one word looks in each: arcs above the first and below the
 * second; or two texts with arcs of several heads in the first and from the second to the first, which a click cuts or
 * restores. Texts that do not fit one line are written below each other, their words tinted.
 */

import { arcShapes, arrowSize, middleOf, nestedArcs, px, WIDEST } from "../lib/arcs.js";
import { rampAt } from "../lib/colour.js";
import { arcHit, cutButton, tipButton } from "../lib/cuts.js";
import { arcInk, arcNodes, boxOf, edgesOf, lineSize, tint } from "../lib/sentence.js";
import { element, percentText, put, refill, svg } from "../lib/spans.js";
import { viewOf } from "../lib/view.js";

const LARGEST = 58; // px
const LARGEST_LINKED = 38; // px of texts with arcs between them
const SMALLEST = 22;
const EDGE = 8; // px right of the last word, for the ground behind it
const ABOVE = 98; // px for the arcs of a line
const NESTED_RISE = 44; // px of the outer one of two arcs, each of which has a label
const NESTED_STEP = 26; // px by which the inner one is lower
const ABOVE_NESTED = NESTED_RISE + 36;
const BEND = 16; // px from its ends to the control points of an arc between two texts
const OFF = 0.2; // as thick as this share is the arc of an ablated head
const CALM = 12; // px above and below lines without arcs

/**
 * @typedef {[string | null, string | null, boolean]} Column the word of each text, and whether it stayed
 * @typedef {{columns: Column[], titles: [string, string], rtl: boolean, label: string, head?: string, query?: number,
 *   key?: number, rows?: [number, number][][], texts?: [string, string]}} VersionsData `rows` has a column and a share
 *   for each arc of a text, `texts` the share of `key` in words
 * @typedef {{from: [number, number], to: [number, number], weight: number, name: string, off: boolean,
 *   cut: string | null, is_cut: boolean, label: string}} WordLink the look of a head, between words by text and number;
 *   `off` if the head is ablated, `cut` the name that a click sends, `label` a sentence
 * @typedef {{lines: string[][], links: WordLink[], under: (number | null)[], changed: number[], titles: string[],
 *   cut: string, label: string}} LinkedData the words of one or two texts; a word of each with a line under it, changed
 *   ones of the second
 * @typedef {{link: WordLink, path: string, tip: {x: number, y: number}, nodes: Element[]}} Arc
 */

/** The label of a link: its head and its share. @param {WordLink} link */
export const linkText = ({ name, weight, off, is_cut }) =>
  `${name} ${off ? "ablated" : `${is_cut ? "cut, was " : ""}${percentText(Math.round(100 * weight))}`}`;

/** What a click on a link does, after the sentence on it. @param {WordLink} link */
export const actionText = ({ label, is_cut }) => `${label} ${is_cut ? "Restore it" : "Cut this link"}`;

/** What a click on a link does, null if it cannot be cut. @param {WordLink} link @returns {import("../lib/cuts.js").Cut | null} */
const cutOf = (link) => (link.cut ? { name: link.cut, isCut: link.is_cut, action: actionText(link) } : null);

/** The label of a link, as its button if it can be cut. @param {WordLink} link @param {Tell} send */
const textOf = (link, send) => cutButton("button.link", cutOf(link), send, linkText(link)) ?? linkText(link);

/** A word on a line; a changed one has a ground, the one that looks a line under it. */
const wordNode = (text, look, changed, quiet) =>
  element(
    "span",
    { class: [look && "looking", changed && "changed", quiet && "quiet"].filter(Boolean).join(" ") },
    text,
  );

/**
 * Lines of words in a root, and the size in px at which each fits its room; null if they do not.
 * @param {HTMLElement} root @param {HTMLElement} picture that holds them @param {HTMLElement[]} lines
 */
function fitted(root, picture, lines, room, largest) {
  refill(root, picture);
  picture.style.fontSize = "100px";
  const sizes = lines.map((line) => lineSize(line.offsetWidth / 100, room - line.offsetLeft, largest, SMALLEST));
  const size = root.classList.contains("narrow") || sizes.includes(null) ? null : Math.min(...sizes);
  picture.style.fontSize = `${size}px`;
  return size;
}

/** @param {HTMLElement} line */
const boxesIn = (line) => [.../** @type {HTMLCollectionOf<HTMLElement>} */ (line.children)].map(boxOf);

/** Draws texts with arcs of several heads into a root. @param {HTMLElement} root @param {LinkedData} data @param {Tell} send */
function drawLinked(root, data, colours, send) {
  const inner = data.links.filter(({ from }) => !from[0]);
  const lines = data.lines.map((words, side) => {
    const changed = (at) => side > 0 && data.changed.includes(at);
    return element("div.line", ...words.map((text, at) => wordNode(text, at === data.under[side], changed(at), false)));
  });
  const arcs = svg("svg", { "aria-hidden": "true" });
  const picture = element("div.copy.linked", { role: "img", "aria-label": data.label }, arcs, ...lines);
  picture.style.paddingBlock = `${inner.length ? ABOVE_NESTED : CALM}px ${CALM}px`;
  const caption = data.cut && element("p.side", "Cut: ", data.cut);
  const size = fitted(root, picture, lines, root.clientWidth - EDGE, LARGEST_LINKED);
  if (!size) return refill(root, caption, ...data.lines.map((_, side) => flowing(data, side, colours, send)));
  const boxes = lines.map(boxesIn);
  const [first, second] = lines.map((line) => edgesOf(line.offsetTop, size));
  const drawn = inner.length ? innerArcs(inner, boxes[0], first.up, colours) : [];
  for (const link of data.links.filter(({ from }) => from[0]))
    drawn.push(crossArc(link, boxes, second.up.y, first.down.y, colours));
  put(arcs, ...drawn.map(({ nodes }) => nodes), ...drawn.map(({ link, path }) => arcHit(cutOf(link), path, send)));
  const buttons = drawn.map(({ link, tip }) => tipButton(cutOf(link), tip, send));
  refill(root, caption, element("div.of-links", picture, ...buttons));
}

/**
 * The arcs over the first text, between the same two words, the thickest outside.
 * @param {WordLink[]} given @returns {Arc[]}
 */
function innerArcs(given, boxes, { y }, colours) {
  const links = [...given].sort((a, b) => b.weight - a.weight);
  const [from, to] = [middleOf(boxes[links[0].from[1]]), middleOf(boxes[links[0].to[1]])];
  const shapes = nestedArcs(links.map(({ weight, off }) => (off ? OFF : weight)), from, to, { y, up: true, rise: NESTED_RISE, step: NESTED_STEP }); // prettier-ignore
  return shapes.map((shape, i) => {
    const label = { ...shape.label, text: linkText(links[i]) };
    const nodes = dashed(links[i], arcNodes([{ ...shape, label }], inkOf(links[i], colours)));
    return { link: links[i], path: shape.path, tip: shape.tip, nodes };
  });
}

/**
 * The arc from a word of the second text up to one of the first, with its label beside it.
 * @param {WordLink} link @returns {Arc}
 */
function crossArc(link, boxes, from, to, colours) {
  const [a, b] = [middleOf(boxes[1][link.from[1]]), middleOf(boxes[0][link.to[1]])];
  const width = Math.max(1, (link.off ? OFF : link.weight) * WIDEST);
  const arrow = arrowSize(link.weight, width);
  const [foot, tip, ink] = [from - 3, to + 2, inkOf(link, colours)];
  const [neck, middle] = [tip + 1.3 * arrow, (from + to) / 2];
  const path = `M${px(a)},${px(foot)} C${px(a)},${px(foot - BEND)} ${px(b)},${px(neck + BEND)} ${px(b)},${px(neck)}`;
  const head = `M${px(b - arrow)},${px(neck)} L${px(b)},${px(tip)} L${px(b + arrow)},${px(neck)} Z`;
  const text = svg("text.arc-label", { x: Math.max(a, b) + 24, y: middle + 5 }, linkText(link));
  const line = svg("path", { d: path, fill: "none", style: `stroke:${ink}`, "stroke-width": width });
  const nodes = dashed(link, [line, svg("path", { d: head, style: `fill:${ink}` }), text]);
  return { link, path, tip: { x: b, y: tip }, nodes };
}

const inkOf = ({ off }, colours) => (off ? colours.control_border : arcInk(colours));

/**
 * The nodes of an arc, its line dashed if the head is ablated, and without its middle third if the link is cut.
 * @param {WordLink} link @param {Element[]} nodes
 */
function dashed({ off, is_cut }, nodes) {
  const line = nodes.find((node) => node.getAttribute("fill") === "none");
  if (off || is_cut) line.setAttribute("stroke-dasharray", off ? "9 7" : "1");
  if (is_cut) line.setAttribute("pathLength", "3");
  return nodes;
}

/** A text that flows, the words that are looked at tinted, with heads and shares. @param {LinkedData} data */
function flowing(data, side, colours, send) {
  const nodes = data.lines[side].flatMap((word, at) => {
    const looks = data.links.filter(({ to, from }) => to[0] === side && to[1] === at && !from[0]);
    const changed = side && data.changed.includes(at) ? "changed" : "";
    const node = element("span.tinted", { class: `${at === data.under[side] ? "looking" : ""} ${changed}` }, word);
    const most = Math.max(0, ...looks.map(({ weight, off, is_cut }) => (off || is_cut ? 0 : weight)));
    if (most) tint(node, rampAt(colours.ramp, most), colours);
    return [node, ...looks.map((link, i) => element("b", i ? ", " : " ", textOf(link, send))), " "];
  });
  const cross = side ? data.links.filter(({ from }) => from[0]) : [];
  const notes = cross.map((link) => element("p.side", textOf(link, send), `: ${data.lines[1][link.from[1]]} → ${data.lines[0][link.to[1]]}`)); // prettier-ignore
  const title = element("p.side", element("i", data.titles[side]));
  return element("div.version", title, element("p.flow", ...nodes), ...notes);
}

/** Draws both texts into a root, equal words above each other. @param {HTMLElement} root @param {VersionsData} data */
function drawVersions(root, data, colours) {
  const words = [0, 1].map((side) =>
    data.columns.map(([...column], at) => {
      const [isSame, isQuery] = [Boolean(column[2]), at === data.query];
      const text = String(column[side] ?? "");
      return wordNode(text, isQuery && text, !isSame && text, side && isSame && !isQuery);
    }),
  );
  const grid = element("div.line", { dir: data.rtl ? "rtl" : "ltr" }, ...words.flat());
  grid.style.gridTemplateColumns = `repeat(${data.columns.length}, max-content)`;
  const arcs = svg("svg", { "aria-hidden": "true" });
  const head = element("span.head", data.head ?? "");
  const picture = element("div.copy.columns", { role: "img", "aria-label": data.label }, head, arcs, grid);
  picture.style.paddingBlock = `${data.rows ? ABOVE : CALM}px`;
  const size = fitted(root, picture, [grid], root.clientWidth - EDGE, LARGEST);
  if (!size) return refill(root, ...[0, 1].map((side) => tinted(data, side, colours)));
  words.forEach((line, side) => {
    const { offsetTop, offsetHeight } = line[0];
    picture.append(
      element("i.side", { style: `top:${offsetTop + 0.12 * size}px;line-height:${offsetHeight}px` }, data.titles[side]),
    );
    const place = edgesOf(offsetTop, size)[side ? "down" : "up"];
    if (data.rows) arcs.append(...arcNodes(arcsOf(data, side, line.map(boxOf), place, colours), arcInk(colours)));
  });
}

/** The arcs of one text: grey, and the one that changes most in ink with its number. @param {VersionsData} data */
function arcsOf(data, side, boxes, place, colours) {
  const links = data.rows[side].map(([k, weight]) => ({ q: data.query, k, weight }));
  const shapes = arcShapes(links, boxes, { ...place, named: [data.query, data.key], faintest: 0 });
  const isNamed = ({ link }) => link.k === data.key;
  return shapes
    .map((shape) =>
      isNamed(shape)
        ? { ...shape, opacity: 1, label: shape.label && { ...shape.label, text: data.texts[side] } }
        : { ...shape, ink: colours.control_border, label: null },
    )
    .sort((a, b) => Number(isNamed(a)) - Number(isNamed(b)));
}

/** A text that flows, its words tinted by what one word gives them. @param {VersionsData} data */
function tinted(data, side, colours) {
  const shares = new Map(data.rows?.[side] ?? []);
  const words = data.columns.flatMap((column, at) => {
    if (column[side] === null) return [];
    const look = `${at === data.query ? "looking" : ""} ${column[2] ? "" : "changed"}`;
    const node = element("span.tinted", { class: look }, column[side]);
    if (shares.get(at)) tint(node, rampAt(colours.ramp, shares.get(at)), colours);
    return [node, ...(at === data.key ? [element("b", ` ${data.texts[side]}`)] : []), " "];
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
  const draw = (/** @type {VersionsData | LinkedData} */ data, colours, send) => {
    if ("lines" in data) drawLinked(root, data, colours, send);
    else drawVersions(root, data, colours);
  };
  return viewOf(parent, root, tokens, draw, { fonts: ['400 30px "Source Serif"', '600 15px "Source Sans"'] });
}
