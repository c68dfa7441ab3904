/** The two-step story: above the words who looks from the pivot to the cue, below them which partner one head turns to. */

import { middleOf, nestedArcs, oneArc } from "../lib/arcs.js";
import {
  arcInk,
  arcNodes,
  byPlace,
  directionOf,
  flowed,
  lineIn,
  lineNodes,
  sentenceLine,
  unnumbered,
} from "../lib/sentence.js";
import { element } from "../lib/spans.js";
import { letterChip, saidNodes } from "./caption.js";
import { drawing, wholePercent, written } from "../lib/chart.js";
import { arcTexts, washOf } from "./looks.js";
/** @import { Version } from "../blocks.d.ts" */

const ABOVE = 140; // px for the arcs of step 1
const BELOW = 118; // and of step 2
const LABEL_ROOM = 170; // px between pivot and cue under which the arcs' labels stand beside them
const STEP_ROOM = 250; // px that the text of a step needs beside its arcs

/** Both versions at one size, so that everything before the cue stands exactly above itself. @type {Drawer<"story">} */
export function story(block, tools) {
  if (tools.narrow) return block.versions.map((version) => storyBars(version, tools));
  const column = Math.min(tools.width, 1040);
  const size = Math.min(...block.versions.map(({ pieces }) => sentenceLine(pieces, tools.gauge, column, 54, 14).size));
  return block.versions.map((version) => storyVersion(version, size, tools));
}

/** @param {Version} version */
function storyVersion(version, size, { colours, width, gauge }) {
  const { boxes } = sentenceLine(version.pieces, gauge, 1e9, size, size);
  const box = byPlace(version.pieces, boxes);
  const middle = (at) => middleOf(box[at]);
  const { base, up, down } = lineIn(ABOVE, size);
  const wash = washOf(version, colours);
  const marks = {
    wash: (at) => (at === version.cue ? colours.changed : wash(at)),
    under: version.pivot,
    dots: version.cue,
  };
  const { nodes, left } = lookArcs(version, middle, up, colours);
  const arcs = [...nodes, ...partnerArcs(version, middle, down, colours)];
  const line = lineNodes(version.pieces, boxes, { base, size }, marks, arcs);
  const whole = element("div.story-version", drawing(width, ABOVE + size * 1.2 + BELOW, version.label, line));
  const pivot = middle(version.pivot);
  const forward = middle(version.cue) > pivot && left > STEP_ROOM && pivot + STEP_ROOM + 60 < width;
  const [first, second] = [stepText(1, version.mean_first), stepText(2, version.mean_second)];
  const title = element("span.muted", version.title);
  if (!forward) {
    whole.prepend(element("div.step.loose", title, first));
    whole.append(element("div.step.loose", second));
    return whole;
  }
  const at = (node, style) => whole.append(element("div.step", { style }, node));
  at(title, `left:0;bottom:${BELOW + size * 1.2 + 10}px`);
  at(
    first,
    `right:${width - left + 26}px;bottom:${BELOW + size * 1.2 + 26}px;text-align:right;width:${Math.min(300, left - 40)}px`,
  );
  at(second, `left:${pivot + 44}px;top:${ABOVE + size * 1.2 + 12}px;width:${width - pivot - 44}px`);
  return whole;
}

/**
 * Step 1: one arc a head, the strongest outside; and where the arcs begin on the left.
 * @param {Version} version
 */
function lookArcs(version, middle, { y, up }, colours) {
  const [from, to] = [middle(version.pivot), middle(version.cue)];
  const step = Math.min(37, 92 / Math.max(1, version.looks.length));
  const shapes = nestedArcs(
    version.looks.map(({ share }) => share),
    from,
    to,
    { y, up, rise: 104, step },
  );
  const total = shapes.reduce((sum, { width }) => sum + width + 5, -5);
  const sign = to > from ? 1 : -1;
  const beside = Math.abs(to - from) < LABEL_ROOM && {
    x: to + sign * (total / 2 + 2 * shapes.length + 18),
    y: 22,
    anchor: sign > 0 ? "start" : "end",
  };
  const nodes = [...arcNodes(unnumbered(shapes), arcInk(colours)), ...arcTexts(version.looks, shapes, beside)];
  return { nodes, left: from - total / 2 };
}

/** What a head gives all words of a candidate. @param {Version} version */
const given = ({ turn }, side) => turn[side].reduce((sum, share) => sum + share, 0);

/**
 * Step 2: one head from the pivot to each word of A and of B, in the colours of the readings, nearer arcs inside; the
 * farthest word of a candidate has the number of all.
 * @param {Version} version
 */
function partnerArcs(version, middle, { y, up }, colours) {
  const pivot = middle(version.pivot);
  const targets = ["a", "b"].flatMap((side) =>
    version[side].map((at, word) => ({
      side,
      share: version.turn[side][word],
      to: middle(at),
      far: Math.abs(middle(at) - pivot),
    })),
  );
  targets.sort((one, two) => two.far - one.far);
  const larger = given(version, "a") > given(version, "b") ? "a" : "b";
  const drawn = targets.map(({ side, share, to, far }, i) => {
    const sign = to > pivot ? 1 : -1;
    const from = pivot - (targets.length > 1 ? sign * (i ? -8 : 8) : 0);
    const arc = oneArc({
      from,
      to,
      y,
      up,
      weight: share,
      rise: i && far <= 0.9 * targets[0].far ? 40 : Math.max(18, 78 - 22 * i),
      least: 1.5,
    });
    // the farther arc has its number outside, towards its word; the nearer one inside
    const [x, top] = i
      ? [arc.label.x, arc.label.y - arc.width - 26]
      : [arc.label.x + sign * Math.abs(from - to) * 0.175, arc.label.y - 4];
    const look = side === larger ? "middle halo bold" : "middle halo";
    const farthest = targets.find((one) => one.side === side) === targets[i];
    const style = { style: `fill:${colours[side].text}` };
    const text = farthest && written(x, top, wholePercent(given(version, side)), look, 16, style);
    return { shape: { ...arc, side }, text };
  });
  return [...arcNodes(unnumbered(drawn.map(({ shape }) => shape)), ""), ...drawn.map(({ text }) => text)];
}

function stepText(number, spans) {
  return element("div", element("span.step-number", String(number)), ...saidNodes(spans));
}

/** On a phone: the sentence tinted, and bars in the place of arcs. @param {Version} version */
function storyBars(version, { colours }) {
  const wash = washOf(version, colours);
  const styleOf = (at) => {
    for (const side of ["a", "b"])
      if (version[side].includes(at)) {
        const bar = Math.max(1, 14 * version.turn[side][version[side].indexOf(at)]);
        return `background:${wash(at)};box-shadow:inset 0 -${bar}px ${colours[side].graphic}`;
      }
    if (at === version.cue) return `background:${colours.changed}`;
    return at === version.pivot ? "box-shadow:inset 0 -2px currentColor" : "";
  };
  const words = flowed(version.pieces, ({ at, text }) => element("span", { style: styleOf(at) }, text));
  const said = element(
    "div.story-said",
    { dir: directionOf(version.pieces) },
    element("span.muted", version.title),
    ...words,
  );
  const ink = arcInk(colours);
  const bar = ([name, share, colour]) => [
    element("span", ...name),
    element("i", { style: `width:${Math.round(share * 100)}%;background:${colour}` }),
    element("span", wholePercent(share)),
  ];
  const bars = (rows) => element("div.bars", rows.flatMap(bar));
  const partner = (side) => [
    [letterChip(side.toUpperCase()), ` ${version.names[side]}`],
    given(version, side),
    colours[side].graphic,
  ];
  const looks = version.looks.map(({ name, share }) => [[name], share, ink]);
  return element(
    "div.story-version",
    said,
    stepText(1, version.first),
    bars([...looks, [["mean"], version.mean, colours.aside]]),
    stepText(2, version.second),
    bars([partner("a"), partner("b")]),
  );
}
