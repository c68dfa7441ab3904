/** Query, key and the running sum of their products over the same columns: each step starts where the last ended. */

import { box, drawing, fixed, level, written } from "../lib/chart.js";
import { css, rampAt } from "../lib/colour.js";

const TONE = 2 / 3; // of the ramp: positive numbers
const NUMBERED = 15; // px of a column that has its number under it

/** Where each step begins and ends. */
export function running(values) {
  let at = 0;
  return values.map((value) => ({ from: at, to: (at += value) }));
}

/** Every how manieth column has its number, so that they do not cover each other; the first ones that are marked all. */
export function numbered(count, pitch, wash) {
  const every = Math.max(1, Math.ceil(NUMBERED / pitch));
  return Array.from({ length: count }, (_, i) =>
    every === 1 ? true : i < wash && pitch * 2 > NUMBERED ? i % 2 === 0 : i % every === 0,
  );
}

/** @type {Drawer<"cell_dims">} */
export function dims(block, { colours, width, narrow }) {
  const [left, right] = narrow ? [0, 0] : [150, 112];
  const count = block.numbers.length;
  const pitch = (width - left - right) / count;
  const bar = Math.max(1, pitch > 6 ? pitch - (narrow ? 2 : 4) : pitch * 0.9);
  const largest = Math.max(1e-9, ...[...block.q, ...block.k].filter((value) => value !== null).map(Math.abs));
  const tall = narrow ? 92 : 104;
  const falls = narrow ? 190 : 240;
  const gap = narrow ? 44 : 30;
  const first = narrow ? 26 : 14;
  const height = first + tall * 2 + falls + gap * 2 + 34;
  const [plus, minus] = [css(rampAt(colours.ramp, TONE)), colours.negative];
  const picture = drawing(width, height, block.label);
  const X = (i) => left + i * pitch + (pitch - bar) / 2;
  const middle = (i) => left + (i + 0.5) * pitch;
  const called = new Set(narrow ? [] : block.called);
  const column = (i, y, tall, positive) => box(X(i), y, bar, tall, positive ? plus : minus);
  if (block.wash) picture.append(box(left, first - 8, pitch * block.wash, height - first - 18, colours.surface));

  const title = (y, name, note) => {
    picture.append(written(0, narrow ? y - 10 : y, name, "bold", narrow ? 15 : 17));
    if (narrow) picture.append(written(name.length * 8.2 + 8, y - 10, note[0], "muted-ink"));
    else note.forEach((line, i) => picture.append(written(0, y + 19 + 17 * i, line, "muted-ink")));
  };
  const row = (values, top, name, note) => {
    const zero = top + tall / 2;
    const scale = (tall / 2 - (narrow ? 4 : 13)) / largest;
    title(narrow ? top : zero - 4, name, [note]);
    picture.append(level(zero, left, left + pitch * count, colours.control_border));
    values.forEach((value, i) => {
      if (value === null) return;
      const size = Math.max(0.6, Math.abs(value) * scale);
      picture.append(column(i, value > 0 ? zero - size : zero, size, value > 0));
      const y = value > 0 ? zero - size - 4 : zero + size + 13;
      if (called.has(i)) picture.append(written(middle(i), y, fixed(value, block.decimals), "code middle", 12));
    });
  };
  row(block.q, first, "query", `of ${block.query_name}`);
  row(block.k, first + tall + gap, "key", `of ${block.key_name}`);

  const top = first + 2 * (tall + gap);
  const steps = running(block.products);
  const ends = [0, ...steps.map(({ to }) => to)];
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  const scale = (falls - 40) / Math.max(1e-9, high - low);
  const Y = (value) => top + 22 + (high - value) * scale;
  const said = narrow ? ["each step starts where the last ended"] : ["each step starts", "where the last ended"];
  title(narrow ? top : top + 22, "query × key", said);
  picture.append(level(Y(0), left, left + pitch * count, colours.control_border));
  steps.forEach(({ from, to }, i) => {
    const [upper, lower] = [Y(Math.max(from, to)), Y(Math.min(from, to))];
    picture.append(column(i, upper, Math.max(1, lower - upper), to >= from));
    if (i < count - 1 && pitch > 6) picture.append(level(Y(to), X(i) + bar, X(i + 1), colours.control_border));
    if (!called.has(i)) return;
    const value = block.products[i];
    const text = (value > 0 ? "+" : "") + fixed(value, block.decimals);
    picture.append(written(middle(i), value > 0 ? upper - 6 : lower + 14, text, "code halo middle bold", 12.5));
  });
  const under = height - 8;
  numbered(count, pitch, block.wash).forEach((there, i) => {
    const [number, look] = [block.numbers[i], i < block.wash ? "code middle bold" : "code middle muted-ink"];
    if (/\D/.test(number))
      picture.append(written(middle(i), narrow ? top + 40 : under, narrow ? "" : "…", "middle muted-ink"));
    else if (there) picture.append(written(middle(i), under, number, look, 12));
  });
  if (!narrow) picture.append(written(0, under, `number (0 to ${block.count - 1})`, "muted-ink"));
  const end = Y(ends.at(-1));
  const edge = left + pitch * count;
  const line = { "stroke-width": 2 };
  picture.append(level(end, edge - (narrow ? 3 * pitch : 0), edge + (narrow ? 0 : 12), "currentColor", line));
  if (narrow)
    picture.append(written(width, end + (end > top + falls - 20 ? -8 : 20), `sum ${block.total}`, "halo end bold", 15));
  else
    picture.append(
      written(edge + 18, end + 7, block.total, "code", 21, { "font-weight": 500 }),
      written(edge + 18, end + 26, "the sum", "muted-ink"),
    );
  return picture;
}
