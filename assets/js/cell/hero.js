/** One cell's sentence: two words, one arc; where both do not stand on one line, the word that is looked at is tinted. */

import { oneArc } from "../lib/arcs.js";
import { css, rampAt } from "../lib/colour.js";
import { walkWords } from "../lib/keyboard.js";
import { arcNodes, blockSize, directionOf, flowed, gapsBefore, lineSize, tint } from "../lib/sentence.js";
import { element, percentText, svg } from "../lib/spans.js";

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
export function hero(block, { place, colours, width, narrow, gauge, memory, id }) {
  const { size, line } = heroSize(block.pieces, gauge, width);
  const arc = line && !narrow && block.query !== block.key;
  const looked = () => memory.get(id) === "at";
  const words = [];
  const nodes = flowed(block.pieces, (piece) => {
    if (piece.at === null || piece.at === undefined) return element("span.rest", piece.text);
    const on = piece.at === block.query || piece.at === block.key;
    const node = element(
      "button",
      {
        class: `cell-word${on ? " on" : ""}${piece.special ? " special" : ""}${piece.space ? "" : " joined"}`,
        "data-at": piece.at,
        "aria-pressed": on,
        tabindex: words.length ? -1 : 0,
      },
      piece.text,
    );
    node.addEventListener(
      "click",
      (event) => (node.dataset.act = wordAct(piece.at, event.shiftKey || (narrow && looked()))),
    );
    words.push(node);
    return node;
  });
  const dots = (there) => (there ? ["… "] : []);
  const sentence = element(
    "p.cell-sentence",
    { dir: directionOf(block.pieces), style: `font-size:${size}px;padding-top:${arc ? ABOVE : 0}px` },
    ...dots(block.cut[0]),
    ...nodes,
    block.cut[1] && " …",
  );
  const whole = element("div.cell-hero", { role: "group", "aria-label": block.label }, sentence);
  if (!narrow)
    place.append(
      element(
        "p.cell-how",
        "Click a word to change which word looks. ",
        element("kbd", "Shift"),
        " + click to change what it looks at.",
      ),
    );
  place.append(whole); // where the browser sets its words, over which the arc stands
  walkWords(sentence, words);
  if (arc) whole.append(arcNode(whole, words, block, colours));
  else tintKey(words, block, colours);
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
  const rise = Math.min(RISE, 18 + Math.abs(to.x - from.x) * 0.3);
  const arc = oneArc({ from: from.x, to: to.x, y: Math.min(from.y, to.y) + 6, weight: block.weight, rise, least: 1.5 });
  const shape = { ...arc, label: { ...arc.label, text: block.share } };
  return svg(
    "svg.cell-arc",
    { width: base.width, height: ABOVE + 20, "aria-hidden": "true" },
    ...arcNodes([shape], css(rampAt(colours.ramp, TONE))),
  );
}

/** @param {Blocks["cell_hero"]} block */
function tintKey(words, block, colours) {
  const word = words.find(({ dataset }) => Number(dataset.at) === block.key);
  tint(word, rampAt(colours.ramp, block.weight), colours);
  word.after(element("b.cell-share", block.share ?? percentText(0)));
}

function phoneSwitch(memory, id) {
  const now = memory.get(id) ?? "from";
  const button = (value, text) =>
    element("button", { "aria-pressed": String(value === now), "data-value": value }, text);
  const group = element(
    "div.choice.cell-taps",
    { role: "group", "aria-label": "a tapped word" },
    element("span", "A tapped word:"),
    button("from", "looks"),
    button("at", "is looked at"),
  );
  group.addEventListener("click", ({ target }) => {
    const value = target.dataset?.value;
    if (!value) return;
    memory.set(id, value);
    for (const one of group.querySelectorAll("button"))
      one.setAttribute("aria-pressed", String(one.dataset.value === value));
  });
  return group;
}
