/**
 * A text with the arcs of one head from its last word, the gap after it, and the candidate words for the gap as bars. A
 * text that does not fit one line is tinted instead; so are the effects of ablation at single tokens. A click on a bar
 * sends the word, a click on a word that can be selected its number, a click on an arc or a tint the name of its link,
 * which is cut or restored. Each link has a button.
 */

import { arcShapes, brokenArc } from "../lib/arcs.js";
import { css, rampAt } from "../lib/colour.js";
import { arcHit, cutButton, tipButton } from "../lib/cuts.js";
import { tint as tintWord } from "../lib/sentence.js";
import { element, percentText, refill, svg } from "../lib/spans.js";
import { PHONE, viewOf } from "../lib/view.js";
import { nextWordBars } from "./next_words.js";
import { readingArcs, readingBars } from "../lib/reading_arcs.js";

const LARGEST = 58; // px of a text on one line
const SMALLEST = 30;
const TINTED = 30; // px of a text on several lines
const RISE = 84; // px of the arcs above the text
const ARC_TONE = 0.72; // of the ramp
const TINT = 0.55; // of the ramp for a share of 1
const EFFECT_TINT = 0.4; // of the ramp for the largest effect
const NUMBERED = 0.2; // a tinted word with a larger share has its number

/**
 * @typedef {{text: string, space: boolean, state?: string}} TextToken
 * @typedef {{head: string, query: number | null, from: string, first: number | null, shares: number[], least: number, cuts?: (Cut | null)[]}} Attention
 * @typedef {{name: string, was: number | null}} Cut the link of a token; its share with no link cut if it is cut
 * @typedef {{head: string, word: string, query: number | null, texts: string[], shades: number[]}} Effects
 * @typedef {{numbers: (number | null)[], selected: boolean[], label: string}} Select the number of each token's word, null if
 *   it cannot be selected
 * @typedef {{tokens: TextToken[], gap: "end" | "none", mask?: number | null, title: string, hint: string, attention?: Attention, effects?: Effects, select?: Select, cut?: string, candidates: import("./next_words.js").Candidate[], arcs?: import("../lib/reading_arcs.js").ReadingArc[], from?: number, arcs_label?: string}} SentenceData
 *   `arcs` go from the word of number `from` to those of two readings
 */

/** The arcs' text alternative. @param {SentenceData} data */
export function spokenArcs({ tokens, attention }) {
  if (!attention) return "";
  const { shares, least, query, head, from } = attention;
  const listed = shares
    .map((share, key) => ({ share, key }))
    .filter(({ share, key }) => share >= least && key !== query)
    .sort((a, b) => b.share - a.share)
    .map(({ share, key }) => `${Math.round(100 * share)} % to ${tokens[key].text}`);
  const cut = (attention.cuts ?? []).flatMap((link, key) =>
    link && link.was !== null
      ? [` The link to ${tokens[key].text} is cut; it was ${Math.round(100 * link.was)} %.`]
      : [],
  );
  return `From ${from}, head ${head} gives ${listed.join(", ") || "no other word a noticeable share"} of its attention.${cut.join("")}`;
}

/** The label of the button of a link. @param {SentenceData} data @param {number} k */
export function cutLabel({ tokens, attention }, k) {
  const { head, from, shares, cuts } = attention;
  const was = cuts[k].was;
  if (was === null)
    return `From ${from}, head ${head} gives ${Math.round(100 * shares[k])} % of its attention to ${tokens[k].text}. Cut this link`;
  return `The link from ${from} to ${tokens[k].text} of head ${head} is cut; it was ${Math.round(100 * was)} %. Restore it`;
}

/** The text alternative of the tint. @param {SentenceData} data */
export function spokenEffects({ tokens, effects }) {
  if (!effects) return "";
  const listed = effects.texts.flatMap((text, key) => (text ? [`${text} points at ${tokens[key].text}`] : []));
  const changes = listed.join(", ") || "by less than half a point at each";
  return `With head ${effects.head} ablated at one token alone, ${effects.word} changes: ${changes}.`;
}

/** The direction of a token: bytes that are no letter alone, as <D8>, are read from the left in any text. */
export const directionOf = (/** @type {string} */ text) => (/^␣?(<[0-9A-F]{2}>)+$/.test(text) ? "ltr" : null);

/** The links that have an arc, or a tint; a cut one keeps its share. @param {Attention | undefined} attention */
export function linksOf(attention) {
  if (!attention) return [];
  const { shares, query, first, least, cuts } = attention;
  return shares
    .map((share, k) => {
      const was = cuts?.[k]?.was ?? null;
      return { q: query ?? shares.length - 1, k, weight: was ?? share, cut: was !== null };
    })
    .filter(({ k, weight, cut }) => k !== query && (cut || (k !== first && weight >= least)));
}

/** Mounts a text into a place. @param {Element} parent */
export default function sentence(parent, tokens) {
  const root = element("div.parallax.next-sentence");
  /** @type {SentenceData | null} */
  let data = null;
  /** @type {Tell} */
  let send = () => {};

  function draw(/** @type {SentenceData} */ next, colours, tell) {
    [data, send] = [next, tell];
    const link = root.querySelector("button[data-cut]:focus")?.getAttribute("data-cut");
    const [text, words] = written();
    const [arcs, below] = [element("div.arcs"), element("div.arcs")];
    const side = element("div.text", caption(), arcs, text, below);
    root.classList.toggle("alone", !data.candidates.length);
    text.classList.toggle("below-caption", Boolean(data.effects || (data.cut && !data.attention)));
    refill(root, side, data.candidates.length ? nextWordBars(data, send) : null);
    if (data.effects) tintEffects(words, colours);
    const size = sized(text, side.clientWidth - 2);
    const tinted = size === null || root.clientWidth <= PHONE || data.attention?.query === null;
    text.style.fontSize = `${size === null || root.clientWidth <= PHONE ? TINTED : size}px`;
    text.classList.toggle("lines", size === null || root.clientWidth <= PHONE);
    const canCut = linksOf(data.attention).some(({ k }) => data.attention.cuts?.[k]);
    if (canCut && !data.cut)
      side.querySelector(".caption").append(` · click ${tinted ? "a tint" : "an arc"} to cut it`);
    if (data.attention && tinted) tint(words, colours);
    if (data.attention && !tinted) refill(arcs, drawnArcs(words, side, text, colours));
    if (data.arcs) drawReadings(words, side, arcs, below, colours);
    if (link) /** @type {HTMLElement} */ (root.querySelector(`button[data-cut="${link}"]`))?.focus();
  }

  /** The largest size at which the text fits one line, or null. Letters of the serif are narrower in a large size. */
  function sized(text, room) {
    let size = LARGEST;
    for (let turn = 0; turn < 3; turn++) {
      text.style.fontSize = `${size}px`;
      size = Math.min(LARGEST, Math.floor((size * room) / text.scrollWidth));
    }
    return size >= SMALLEST ? size : null;
  }

  function written() {
    const text = element("p.words", { dir: "auto" });
    const words = data.tokens.map(({ text: word, space, state }, position) => {
      if (space) text.append(" ");
      const node = selectable(position) ?? element("span.word");
      node.className += ` ${state ?? ""}`;
      node.append(word);
      node.dir = directionOf(word) ?? "";
      node.classList.toggle("first", position === data.attention?.first);
      node.classList.toggle("query", position === (data.attention ?? data.effects)?.query);
      node.classList.toggle("gap", position === data.mask);
      text.append(node);
      return node;
    });
    if (data.gap === "end") text.append(" ", element("span.gap", { role: "img", "aria-label": "the next word" }));
    return /** @type {[HTMLElement, HTMLElement[]]} */ ([text, words]);
  }

  /** The button of a token whose word can be selected, or null. Only one is reached by the Tab key. */
  function selectable(position) {
    const number = data.select?.numbers[position] ?? null;
    if (number === null) return null;
    const { numbers, selected, label } = data.select;
    const reached = Math.max(selected.indexOf(true), numbers.indexOf(numbers.find((each) => each !== null)));
    const node = element("button.word.selectable", { "aria-pressed": String(selected[position]), title: label });
    node.tabIndex = position === reached ? 0 : -1;
    node.addEventListener("click", () => send("select", number));
    return node;
  }

  root.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    const nodes = /** @type {HTMLElement[]} */ ([...root.querySelectorAll(".selectable")]);
    const at = nodes.indexOf(/** @type {HTMLElement} */ (event.target));
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (at < 0 || !step) return;
    event.preventDefault();
    nodes[at].tabIndex = -1;
    const next = nodes[Math.min(Math.max(at + step, 0), nodes.length - 1)];
    next.tabIndex = 0;
    next.focus();
  });

  function caption() {
    if (data.effects) return effectsCaption(data.effects);
    if (!data.attention) return data.cut ? element("p.caption", "Cut: ", data.cut) : null;
    const [{ head, from }, spoken] = [data.attention, spokenArcs(data)];
    return element(
      "p.caption",
      { role: "img", "aria-label": spoken },
      element("span.head", { title: spoken }, head),
      " attention from ",
      element("em", from),
      data.cut && ` with ${data.cut} cut`,
    );
  }

  function effectsCaption({ head, word }) {
    const spoken = spokenEffects(data);
    return element(
      "p.caption",
      { role: "img", "aria-label": spoken },
      "Tint: change of ",
      element("em", word),
      " with ",
      element("span.head", { title: spoken }, head),
      " ablated at this word alone",
    );
  }

  function drawnArcs(words, side, text, colours) {
    const left = side.getBoundingClientRect().left;
    const boxes = words.map((word) => {
      const box = word.getBoundingClientRect();
      return { x: box.left - left, width: box.width };
    });
    const ink = css(rampAt(colours.ramp, ARC_TONE));
    const shapes = arcShapes(linksOf(data.attention), boxes, { y: RISE, up: true });
    const picture = svg(
      "svg",
      { width: side.clientWidth, height: RISE, "aria-hidden": "true" },
      ...shapes.flatMap(({ curve, path, arrow, width, opacity, label, link }) => [
        svg("path", {
          d: link.cut ? brokenArc(curve) : path,
          fill: "none",
          stroke: ink,
          "stroke-width": width,
          "stroke-opacity": opacity,
        }),
        svg("path", { d: arrow, fill: ink, "fill-opacity": opacity }),
      ]),
      ...shapes.flatMap(({ path, label, link }) => [
        label &&
          svg(
            "text",
            {
              x: label.x,
              y: label.y,
              "text-anchor": label.anchor,
              "font-size": 15,
              class: label.strong ? "halo bold" : "halo",
            },
            `${link.cut ? "cut, was " : ""}${percentText(Math.round(100 * link.weight))}`,
          ),
        arcHit(cutOf(link.k), path, send),
      ]),
    );
    return [picture, ...shapes.map(({ tip, link }) => tipButton(cutOf(link.k), tip, send))];
  }

  /** What a click on the link to a token does, or null if it cannot be cut. */
  function cutOf(k) {
    const cut = data.attention.cuts?.[k];
    return cut ? { name: cut.name, isCut: cut.was !== null, action: cutLabel(data, k) } : null;
  }

  /** The arcs to both candidates of a text on one line; bars below a text on several lines. */
  function drawReadings(words, side, above, below, colours) {
    const { arcs, from, select } = data;
    side.setAttribute("role", "group");
    side.setAttribute("aria-label", data.arcs_label);
    const at = (number) => select.numbers.indexOf(number);
    if (side.querySelector(".words.lines"))
      return refill(
        below,
        readingBars(arcs, (key) => data.tokens[at(key)].text),
      );
    const left = side.getBoundingClientRect().left;
    const boxOf = (number) => {
      const box = words[at(number)].getBoundingClientRect();
      return { x: box.left - left, width: box.width };
    };
    for (const [place, name] of /** @type {[HTMLElement, "a" | "b"][]} */ ([
      [above, "a"],
      [below, "b"],
    ])) {
      const own = arcs.filter((arc) => arc.side === name);
      if (own.length) refill(place, readingArcs(own, name, boxOf(from), boxOf, side.clientWidth, colours));
    }
  }

  function tint(words, colours) {
    for (const { k, weight, cut } of linksOf(data.attention)) {
      const number = cut ? "cut" : percentText(Math.round(100 * weight));
      const isSelectable = words[k].tagName === "BUTTON"; // then the number is the button of the link
      const button = isSelectable
        ? cutButton("button.link", cutOf(k), send, element("sup", number))
        : cutButton("button", cutOf(k), send);
      const word = isSelectable || !button ? words[k] : button;
      if (word === button) {
        button.className = words[k].className;
        button.append(...words[k].childNodes);
        words[k].replaceWith(button);
      }
      if (cut) word.classList.add("cut");
      else fill(word, rampAt(colours.ramp, weight * TINT), colours);
      if (isSelectable && button) word.after(button);
      else if (cut || weight >= NUMBERED) word.after(element("sup", number));
    }
  }

  /** Tints tokens by the effect of ablation there, in the ramps of the grid: down dark, up blue. */
  function tintEffects(words, colours) {
    const { texts, shades } = data.effects;
    texts.forEach((text, k) => {
      if (!text) return;
      fill(words[k], rampAt(text.startsWith("+") ? colours.ramp : colours.carried, shades[k] * EFFECT_TINT), colours);
      words[k].after(element("sup", text));
    });
  }

  function fill(word, colour, colours) {
    tintWord(word, colour, colours);
    word.classList.add("tinted");
  }

  return viewOf(parent, root, tokens, draw, { fonts: ['400 30px "Source Serif"', '600 15px "Source Sans"'] });
}
