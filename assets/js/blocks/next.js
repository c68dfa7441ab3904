/** The next word: the likeliest words as bars with rings for silenced heads, and one word's share without each head. */

import { css, rampAt } from "../lib/colour.js";
import { svg } from "../lib/spans.js";
import { level, numbersBelow, scale, tickStep, ticks, upright } from "../lib/chart.js";
import { canvas, label } from "./draw.js";
/** @import { Drawer } from "../drawers.d.ts" */

const TONE = 0.55; // of the ramp
const LONGEST = 12; // letters of a word beside its bar

/** A share for a number beside a mark: whole per cents from ten on, one digit below. */
export function shareText(share) {
  const percent = 100 * share;
  return `${percent >= 9.95 ? Math.round(percent) : percent.toFixed(1)}`;
}

/** Where the axis ends: the next tick above the largest share. */
export function axisEnd(largest) {
  const step = tickStep(Math.max(largest, 0.01));
  return Math.min(1, Math.ceil(largest / step + 1e-9) * step) || step;
}

const cut = (text) => (text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text);

function axis(picture, X, y, foot, end, colours) {
  const step = tickStep(end);
  const values = ticks(0, end, step);
  for (const value of values) picture.append(upright(X(value), y + 8, foot, colours.border));
  picture.append(...numbersBelow(X, y, values, (value) => (value === values.at(-1) ? `${Math.round(1000 * value) / 10}\u00a0%` : `${Math.round(1000 * value) / 10}`)));
}

/** @type {Drawer<"next_words">} */
function nextWords(place, { words, label: said }, { colours, width }) {
  const end = axisEnd(Math.max(...words.flatMap(({ share, without }) => [share, without ?? 0])));
  const [left, right, row, top] = [104, 52, 29, 30];
  const X = scale(left, width - right, 0, end);
  const foot = top + words.length * row;
  const picture = canvas(width, foot + 4, said);
  axis(picture, X, 14, foot, end, colours);
  words.forEach(({ text, share, without }, at) => {
    const y = top + at * row;
    picture.append(label(0, y + 16, cut(text), { "font-size": 15, "font-weight": at ? 400 : 600 }));
    picture.append(svg("rect", { x: left, y: y + 4, width: Math.max(1, X(share) - left), height: 14, fill: css(rampAt(colours.ramp, TONE)) }));
    const right = Math.max(X(share), without === undefined || without === null ? 0 : X(without) + 6);
    picture.append(label(right + 6, y + 16, shareText(share), { "font-size": 13, class: "code halo" }));
    if (without !== undefined && without !== null) {
      picture.append(level(y + 23, Math.min(X(without), X(share)), Math.max(X(without), X(share)), "currentColor"));
      picture.append(svg("circle", { cx: X(without), cy: y + 11, r: 5, fill: colours.background, stroke: "currentColor", "stroke-width": 1.75 }));
    }
  });
  place.append(picture);
}

/** @type {Drawer<"rings">} */
function rings(place, { base, rows, label: said }, { colours, width }) {
  const end = axisEnd(Math.max(base, ...rows.map(({ share }) => share)));
  const [left, right, row, top] = [92, 40, 29, 34];
  const X = scale(left, width - right, 0, end);
  const foot = top + rows.length * row;
  const picture = canvas(width, foot + 4, said);
  axis(picture, X, 14, foot, end, colours);
  picture.append(upright(X(base), 22, foot, "currentColor", { "stroke-width": 1.75 }));
  const furthest = Math.max(...rows.map(({ share }) => Math.abs(share - base)));
  rows.forEach(({ name, share, bold }, at) => {
    const y = top + at * row + row / 2;
    const far = bold || Math.abs(share - base) > furthest / 2;
    picture.append(label(0, y + 5, name, { "font-size": 14, class: "code", "font-weight": far ? 600 : 400 }));
    picture.append(level(y, X(Math.min(share, base)), X(Math.max(share, base)), "currentColor", { "stroke-width": far ? 2 : 1.25 }));
    picture.append(svg("circle", { cx: X(share), cy: y, r: 5, fill: colours.background, stroke: "currentColor", "stroke-width": 1.75 }));
    const side = share < base ? -1 : 1;
    const near = X(share) + side * 10 < left + 6;
    picture.append(label(near ? X(share) + 10 : X(share) + side * 10, near ? y - 8 : y + 5, shareText(share), { "font-size": 13, class: "code halo", "text-anchor": side < 0 && !near ? "end" : "start" }));
  });
  place.append(picture);
}

export const NEXT_DRAWERS = { next_words: nextWords, rings };
