/** One cell's sentence: two words, one arc; where both do not stand on one line, the word that is looked at is tinted. */

import { arcPath, arrowSize, WIDEST } from "../lib/arcs.js";
import { label } from "../blocks/draw.js";
import { css, inkOn, rampAt } from "../lib/colour.js";
import { walkWords } from "../lib/keyboard.js";
import { blockSize, gapsBefore, lineSize } from "../lib/sentence.js";
import { element, percentText, svg } from "../lib/spans.js";
/** @import { Blocks } from "../blocks.d.ts" */
/** @import { Drawer } from "../drawers.d.ts" */

const ABOVE = 92; // px for the arc and its number
const RISE = 58;
const LARGEST = 66;
const TONE = 0.78;

/** The size of the sentence, and whether all of it stands on one line. */
export function heroSize(pieces, gauge, width) {
  const [widths, gaps] = [pieces.map(({ text }) => gauge(text)), gapsBefore(pieces)];
  const size = lineSize(widths, gaps, width, LARGEST);
  return { size: size ?? blockSize(widths, gaps, width), line: size !== null };
}

/** What a click on a word means: who looks, or with Shift (on a phone by a switch) who is looked at. */
export function wordAct(at, looked) {
  return `${looked ? "at" : "from"} ${at}`;
}

/** @type {Drawer<"cell_hero">} */
export function hero(place, block, { colours, width, narrow, gauge, memory, id }) {
  const { size, line } = heroSize(block.pieces, gauge, width);
  const arc = line && !narrow && block.query !== block.key;
  const looked = () => memory.get(id) === "at";
  const words = [];
  const nodes = block.pieces.flatMap((piece, i) => {
    const space = piece.space && i > 0 ? [" "] : [];
    if (piece.at === null || piece.at === undefined) return [...space, element("span", { class: "rest" }, piece.text)];
    const on = piece.at === block.query || piece.at === block.key;
    const node = element("button", { type: "button", class: `cell-word${on ? " on" : ""}${piece.special ? " special" : ""}${piece.space ? "" : " joined"}`, "data-at": piece.at, "aria-pressed": on, tabindex: words.length ? -1 : 0 }, piece.text);
    node.addEventListener("click", (event) => (node.dataset.act = wordAct(piece.at, event.shiftKey || (narrow && looked()))));
    words.push(node);
    return [...space, node];
  });
  const dots = (there) => (there ? ["… "] : []);
  const sentence = element("p", { class: "cell-sentence", dir: "auto", style: `font-size:${size}px;padding-top:${arc ? ABOVE : 0}px` }, ...dots(block.cut[0]), ...nodes, ...(block.cut[1] ? [" …"] : []));
  const whole = element("div", { class: "cell-hero", role: "group", "aria-label": block.label }, sentence);
  if (!narrow) place.append(element("p", { class: "cell-how" }, "Click a word to change who looks. ", element("kbd", {}, "Shift"), " + click to change what it looks at."));
  place.append(whole);
  walkWords(sentence, words);
  if (arc) whole.append(arcNode(whole, words, block, colours));
  else tint(words, block, colours);
  if (narrow) whole.append(phoneSwitch(memory, id));
}

/**
 * The arc over both words, where the browser has set them: in text from right to left it runs that way too.
 * @param {Blocks["cell_hero"]} block
 */
function arcNode(whole, words, block, colours) {
  const base = whole.getBoundingClientRect();
  const middle = (at) => {
    const box = words.find((word) => Number(word.dataset.at) === at).getBoundingClientRect();
    return { x: box.left - base.left + box.width / 2, y: box.top - base.top };
  };
  const [from, to] = [middle(block.query), middle(block.key)];
  const wide = Math.max(1.5, block.weight * WIDEST);
  const size = arrowSize(block.weight, wide);
  const y = Math.min(from.y, to.y) + 6;
  const rise = Math.min(RISE, 18 + Math.abs(to.x - from.x) * 0.3);
  const { path, arrow } = arcPath({ from: from.x, to: to.x, y, up: true, arrow: size, rise });
  const ink = css(rampAt(colours.ramp, TONE));
  const number = label((from.x + to.x) / 2, y - rise - size * 1.3 - wide / 2 - 8, block.share, { "font-size": 16, "font-weight": 600, "text-anchor": "middle" });
  return svg("svg", { class: "cell-arc", width: base.width, height: ABOVE + 20, "aria-hidden": "true" }, svg("path", { d: path, fill: "none", stroke: ink, "stroke-width": wide }), svg("path", { d: arrow, fill: ink }), number);
}

/** @param {Blocks["cell_hero"]} block */
function tint(words, block, colours) {
  const word = words.find(({ dataset }) => Number(dataset.at) === block.key);
  const colour = rampAt(colours.ramp, block.weight);
  word.style.background = css(colour);
  word.style.color = inkOn(colour, colours.number_on_light, colours.number_on_dark);
  word.after(element("b", { class: "cell-share" }, block.share ?? percentText(0)));
}

function phoneSwitch(memory, id) {
  const now = memory.get(id) ?? "from";
  const button = (value, text) => element("button", { type: "button", "aria-pressed": String(value === now), "data-value": value }, text);
  const group = element("div", { class: "choice cell-taps", role: "group", "aria-label": "a tapped word" }, element("span", {}, "A tapped word:"), button("from", "looks"), button("at", "is looked at"));
  group.addEventListener("click", ({ target }) => {
    const value = target.dataset?.value;
    if (!value) return;
    memory.set(id, value);
    for (const one of group.querySelectorAll("button")) one.setAttribute("aria-pressed", String(one.dataset.value === value));
  });
  return group;
}
