/** The two-step story: above the words who looks from the pivot to the cue, below them which partner one head turns to. */

import { css, rampAt } from "../lib/colour.js";
import { arcNodes, canvas, cueDots, label, letterChip, wholePercent } from "./draw.js";
import { saidNodes } from "./caption.js";
import { directionOf, sentenceLine } from "../lib/sentence.js";
import { element, svg } from "../lib/spans.js";
/** @import { Version } from "../blocks.d.ts" */
/** @import { Drawer } from "../drawers.d.ts" */

const STORY_ABOVE = 140; // px for the arcs of step 1
const STORY_BELOW = 118; // and of step 2
const STAND = 1.25; // of an arrow's size, how far from the words an arc stands
const STORY_WIDEST = 14; // px of an arc of 100 %
const STORY_TONE = 0.72; // of the weights' ramp
const LABEL_ROOM = 170; // px between pivot and cue under which the arcs' labels stand beside them
const STEP_ROOM = 250; // px that the text of a step needs beside its arcs

/** Both versions at one size, so that everything before the cue stands exactly above itself. @type {Drawer<"story">} */
function story(place, block, tools) {
  if (tools.narrow) return block.versions.forEach((version) => place.append(storyBars(version, tools)));
  const column = Math.min(tools.width, 1040);
  const size = Math.min(...block.versions.map(({ pieces }) => sentenceLine(pieces, tools.gauge, column, 54, 14).size));
  return block.versions.forEach((version) => place.append(storyVersion(version, size, tools)));
}

function thickness(share) {
  return Math.max(1.5, STORY_WIDEST * share);
}

/** @param {Version} version */
function storyVersion(version, size, { colours, width, gauge }) {
  const { boxes } = sentenceLine(version.pieces, gauge, 1e9, size, size);
  const height = STORY_ABOVE + size * 1.2 + STORY_BELOW;
  const base = STORY_ABOVE + size * 0.82;
  const picture = canvas(width, height, version.label);
  const box = new Map(version.pieces.map((piece, i) => [piece.at, boxes[i]]));
  const middle = (at) => box.get(at).x + box.get(at).width / 2;
  const wash = (at, colour) => picture.append(svg("rect", { x: box.get(at).x - 5, y: STORY_ABOVE + 6, width: box.get(at).width + 10, height: size * 1.1, rx: 4, fill: colour }));
  version.a.forEach((at) => wash(at, colours.a.wash));
  version.b.forEach((at) => wash(at, colours.b.wash));
  wash(version.cue, colours.changed);
  const left = lookArcs(picture, version, middle, colours);
  partnerArcs(picture, version, middle, base + size * 0.34, colours);
  version.pieces.forEach((piece, i) => picture.append(label(boxes[i].x, base, piece.text, { "font-size": size, class: piece.at === null ? "serif muted-ink" : "serif" })));
  picture.append(svg("rect", { x: box.get(version.pivot).x, y: base + size * 0.17, width: box.get(version.pivot).width, height: 3, fill: "currentColor" }));
  picture.append(cueDots(box.get(version.cue).x, box.get(version.cue).width, base + size * 0.22, 1.7, 8));
  const whole = element("div", { class: "story-version" }, picture);
  const forward = middle(version.cue) > middle(version.pivot) && left > STEP_ROOM && middle(version.pivot) + STEP_ROOM + 60 < width;
  const first = stepText(1, version.mean_first);
  const second = stepText(2, version.mean_second);
  const title = element("span", { class: "muted" }, version.title);
  if (!forward) {
    whole.prepend(element("div", { class: "step loose" }, title, first));
    whole.append(element("div", { class: "step loose" }, second));
    return whole;
  }
  const at = (node, style) => whole.append(element("div", { class: "step", style }, node));
  at(title, `left:0;bottom:${STORY_BELOW + size * 1.2 + 10}px`);
  at(first, `right:${width - left + 26}px;bottom:${STORY_BELOW + size * 1.2 + 26}px;text-align:right;width:${Math.min(300, left - 40)}px`);
  at(second, `left:${middle(version.pivot) + 44}px;top:${STORY_ABOVE + size * 1.2 + 12}px;width:${width - middle(version.pivot) - 44}px`);
  return whole;
}

/**
 * Step 1: one arc a head, nested, the strongest outside; returns where the arcs begin on the left.
 * @param {Version} version
 */
function lookArcs(picture, version, middle, colours) {
  const ink = css(rampAt(colours.ramp, STORY_TONE));
  const widths = version.looks.map(({ share }) => thickness(share));
  const total = widths.reduce((sum, w) => sum + w, 0) + (widths.length - 1) * 5;
  const sign = middle(version.cue) > middle(version.pivot) ? 1 : -1;
  let from = middle(version.pivot) - (sign * total) / 2;
  let to = middle(version.cue) + sign * (total / 2 + widths.length * 2);
  const step = Math.min(37, 92 / Math.max(1, version.looks.length));
  const [outer, span] = [to, Math.abs(to - from)];
  const texts = []; // above every arc
  version.looks.forEach(({ name, share }, i) => {
    const w = widths[i];
    const [x1, x2] = [from + (sign * w) / 2, to - (sign * w) / 2];
    from += sign * (w + 5);
    to -= sign * (w + 9);
    const arrow = Math.max(5, w * 0.8);
    const foot = STORY_ABOVE - arrow * STAND;
    const rise = 104 - i * step;
    picture.append(...arcNodes({ from: x1, to: x2, y: STORY_ABOVE, up: true, arrow, rise, foot: 1, stand: STAND }, w, ink));
    const beside = span < LABEL_ROOM; // too narrow for labels on the arcs: a column beside them
    const [x, y] = beside ? [sign > 0 ? outer + 18 : outer - 18, 22 + i * 22] : [(x1 + x2) / 2, foot - rise - w / 2 - 5];
    const text = label(x, y, "", { "text-anchor": beside ? (sign > 0 ? "start" : "end") : "middle", "font-size": 15, class: "halo" });
    text.append(svg("tspan", { class: "code", "font-size": 13.5 }, `${name} `), svg("tspan", { "font-weight": 600 }, wholePercent(share)));
    texts.push(text);
  });
  picture.append(...texts);
  return middle(version.pivot) - total / 2;
}

/** Step 2: one head from the pivot to A and to B, in the colours of the readings. @param {Version} version */
function partnerArcs(picture, version, middle, y, colours) {
  const targets = [
    ...version.a.slice(0, 1).map((at) => ({ at, share: version.turn.a, side: "a" })),
    ...version.b.slice(0, 1).map((at) => ({ at, share: version.turn.b, side: "b" })),
  ];
  const pivot = middle(version.pivot);
  const far = Math.max(...targets.map(({ at }) => Math.abs(middle(at) - pivot)));
  targets.sort((one, two) => Math.abs(middle(two.at) - pivot) - Math.abs(middle(one.at) - pivot));
  const larger = version.turn.a > version.turn.b ? "a" : "b";
  const texts = [];
  targets.forEach(({ at, share, side }, i) => {
    const w = thickness(share);
    const x2 = middle(at);
    const sign = x2 > pivot ? 1 : -1;
    const x1 = pivot - (i === 0 ? sign * -8 : sign * 8) * (targets.length > 1 ? 1 : 0) * (i === 0 ? -1 : -1);
    const arrow = Math.max(5, w * 0.8);
    const foot = y + arrow * STAND;
    const rise = i === 0 || Math.abs(x2 - pivot) > 0.9 * far ? 78 - (i ? 22 : 0) : 40;
    picture.append(...arcNodes({ from: x1, to: x2, y, up: false, arrow, rise, foot: 1, stand: STAND }, w, colours[side].graphic));
    const x = (x1 + x2) / 2 + (i === 0 ? sign * Math.abs(x1 - x2) * 0.175 : 0);
    const y2 = i === 0 ? foot + rise * 0.94 + w / 2 + 17 : foot + rise - w / 2 - 7; // the nearer arc has its number inside
    texts.push(label(x, y2, wholePercent(share), { "text-anchor": "middle", "font-size": 16, "font-weight": side === larger ? 600 : 400, style: `fill:${colours[side].text}`, class: "halo" }));
  });
  picture.append(...texts);
}

function stepText(number, spans) {
  return element("div", {}, element("span", { class: "step-number" }, String(number)), ...saidNodes(spans));
}

/** On a phone: the sentence tinted, and bars in the place of arcs. @param {Version} version */
function storyBars(version, { colours }) {
  const said = element("div", { class: "story-said", dir: directionOf(version.pieces) }, element("span", { class: "muted" }, version.title));
  version.pieces.forEach((piece, i) => {
    if (piece.space && i) said.append(" ");
    const side = version.a.includes(piece.at) ? "a" : version.b.includes(piece.at) ? "b" : null;
    const style = side
      ? `background:${colours[side].wash};box-shadow:inset 0 -${Math.max(1, 14 * version.turn[side])}px ${colours[side].graphic}`
      : piece.at === version.cue
        ? `background:${colours.changed}`
        : piece.at === version.pivot
          ? "box-shadow:inset 0 -2px currentColor"
          : "";
    said.append(element("span", { style }, piece.text));
  });
  const ink = css(rampAt(colours.ramp, STORY_TONE));
  const bars = (rows) => {
    const grid = element("div", { class: "bars" });
    for (const [name, share, colour] of rows) grid.append(element("span", {}, ...name), element("i", { style: `width:${Math.round(share * 100)}%;background:${colour}` }), element("span", {}, wholePercent(share)));
    return grid;
  };
  const partner = (side) => [[letterChip(side.toUpperCase()), ` ${version.names[side]}`], version.turn[side], colours[side].graphic];
  const looks = version.looks.map(({ name, share }) => [[name], share, ink]);
  return element(
    "div",
    { class: "story-version" },
    said,
    stepText(1, version.first),
    bars([...looks, [["mean"], version.mean.cue, colours.aside]]),
    stepText(2, version.second),
    bars([partner("a"), partner("b")]),
  );
}

export const STORY_DRAWERS = { story };
