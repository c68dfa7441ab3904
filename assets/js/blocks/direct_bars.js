/** What parts of a model add to one next word over another: bars from zero, rings for what goes when a head is silenced. */

import { bar, dot, level, rowChart, signed, signedNumber, tickStep, ticks, written } from "../lib/chart.js";
import { put } from "../lib/spans.js";

const ROW = 29; // px
const [LEFT, RIGHT] = [96, 56]; // px for names and for numbers that stand beyond a bar

/** How far the axis goes both ways: zero always on it, and room for a number beside the longest bar. */
export function reach(rows) {
  const values = rows.flatMap(({ gives, silenced }) => [gives, silenced ?? 0]);
  const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
  return high - low > 1e-9 ? [low, high] : [-1, 1];
}

/** @type {Drawer<"direct_bars">} */
export function directBars({ rows, label }, { colours, width }) {
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
      silenced !== null && [
        level(y, X(silenced), X(gives), "currentColor", { "stroke-width": 1 }),
        dot(X(silenced), y, 5, colours.background, "currentColor", 1.75),
      ],
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
