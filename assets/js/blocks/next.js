/** The next word: the likeliest words as bars with rings for silenced heads, one word's share without each head, and what
 * parts of a model add to one word over another: bars from zero, rings for what goes when a head is silenced. */

import { bar, dot, level, rowChart, signed, signedNumber, tickStep, ticks, upright, written } from "../lib/chart.js";
import { css, rampAt } from "../lib/colour.js";
import { put } from "../lib/spans.js";

const TONE = 0.55; // of the ramp
const LONGEST = 12; // letters of a word beside its bar
const ROW = 29; // px
const [LEFT, RIGHT] = [96, 56]; // px for names and for numbers that stand beyond a bar

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

/** Rows under an axis of shares, the last of which has the sign for per cent. */
function shareRows(largest, chart) {
  const high = axisEnd(largest);
  const values = ticks(0, high, tickStep(high));
  const text = (value) => `${Math.round(1000 * value) / 10}${value === values.at(-1) ? "\u00a0%" : ""}`;
  return rowChart({ row: ROW, below: 4, high, values, text, above: 14, ...chart });
}

/** A ring and the line to it: what is left without some heads. */
function ring(x, y, from, colours, { line = y, thick = 1 } = {}) {
  const to = level(line, Math.min(x, from), Math.max(x, from), "currentColor", { "stroke-width": thick });
  return [to, dot(x, y, 5, colours.background, "currentColor", 1.75)];
}

/** @type {Drawer<"next_words">} */
function nextWords({ words, label }, { colours, width }) {
  const most = Math.max(...words.flatMap(({ share, without }) => [share, without ?? 0]));
  const { picture, X, at } = shareRows(most, {
    label,
    width,
    left: 104,
    right: 52,
    top: 30,
    count: words.length,
    colours,
  });
  words.forEach(({ text, share, without = null }, i) => {
    const y = at(i) - 3.5;
    const right = Math.max(X(share), without === null ? 0 : X(without) + 6);
    put(
      picture,
      written(0, y + 5, cut(text), i ? "" : "bold", 15),
      bar(X(0), X(share), y, 14, css(rampAt(colours.ramp, TONE))),
      written(right + 6, y + 5, shareText(share), "code halo"),
      without !== null && ring(X(without), y, X(share), colours, { line: y + 12 }),
    );
  });
  return picture;
}

/** @type {Drawer<"rings">} */
function rings({ base, rows, label }, { colours, width }) {
  const most = Math.max(base, ...rows.map(({ share }) => share));
  const { picture, X, foot, at } = shareRows(most, {
    label,
    width,
    left: 92,
    right: 40,
    top: 34,
    count: rows.length,
    colours,
  });
  picture.append(upright(X(base), 22, foot, "currentColor", { "stroke-width": 1.75 }));
  const furthest = Math.max(...rows.map(({ share }) => Math.abs(share - base)));
  rows.forEach(({ name, share, bold }, i) => {
    const y = at(i);
    const far = bold || Math.abs(share - base) > furthest / 2;
    const side = share < base ? -1 : 1;
    const near = X(share) + side * 10 < X(0) + 6;
    picture.append(
      written(0, y + 5, name, far ? "code bold" : "code", 14),
      ...ring(X(share), y, X(base), colours, { thick: far ? 2 : 1.25 }),
      written(
        X(share) + (near ? 10 : side * 10),
        near ? y - 8 : y + 5,
        shareText(share),
        side < 0 && !near ? "code halo end" : "code halo",
      ),
    );
  });
  return picture;
}

/** How far the axis goes both ways: zero always on it, and room for a number beside the longest bar. */
export function reach(rows) {
  const values = rows.flatMap(({ gives, silenced }) => [gives, silenced ?? 0]);
  const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
  return high - low > 1e-9 ? [low, high] : [-1, 1];
}

/** @type {Drawer<"direct_bars">} */
function directBars({ rows, label }, { colours, width }) {
  const [low, high] = reach(rows);
  const step = tickStep(high - low, width < 400 ? 3 : 4);
  const room = {
    width,
    left: LEFT + (low < 0 ? RIGHT : 0),
    right: RIGHT,
    count: rows.length,
    row: ROW,
    top: 30,
    after: 8,
    below: 6,
    above: 14,
  };
  const numbers = { values: ticks(low, high, step), text: signed(step < 0.1 ? 2 : 1), zero: colours.control_border };
  const { picture, X, at } = rowChart({ label, ...room, ...numbers, low, high, colours });
  rows.forEach(({ name, gives, role, silenced = null }, i) => {
    const total = role === "total";
    const y = at(i) + (total ? 6 : 0);
    const stroke = colours[gives < 0 ? "b" : "a"].graphic;
    const quiet = role === "rest";
    const same = silenced !== null && Math.sign(silenced) === Math.sign(gives) && Math.abs(silenced) > Math.abs(gives);
    const side = gives < 0 ? -1 : 1;
    const look = { head: "code", rest: "muted-ink", total: "bold" }[role] ?? "";
    put(
      picture,
      total && level(y - ROW / 2 - 2, 0, width - RIGHT / 2, colours.control_border),
      written(0, y + 5, name, look, 14),
      bar(X(0), X(gives), y, 14, quiet ? "none" : stroke, { stroke, "stroke-width": 1.25 }),
      silenced !== null && ring(X(silenced), y, X(gives), colours),
      written(
        X(same ? silenced : gives) + side * (same ? 11 : 7),
        y + 5,
        signedNumber(gives),
        `code halo${total ? " bold" : ""}${side < 0 ? " end" : ""}`,
      ),
    );
  });
  return picture;
}

export const NEXT_DRAWERS = { next_words: nextWords, rings, direct_bars: directBars };
