/** Query, key and the running sum of their products over the same columns: each step starts where the last ended. */

import { label } from "../blocks/draw.js";
import { drawing as canvas, level } from "../lib/chart.js";
import { css, rampAt } from "../lib/colour.js";
import { svg } from "../lib/spans.js";
/** @import { Drawer } from "../drawers.d.ts" */

const TONE = 2 / 3; // of the ramp: positive numbers
const NUMBERED = 15; // px of a column that has its number under it

/** A number as the page writes it: a true minus, none before zero. */
export function written(value, digits) {
  const text = Math.abs(value).toFixed(digits);
  return value < 0 && Number(text) !== 0 ? `−${text}` : text;
}

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
export function dims(place, block, { colours, width, narrow }) {
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
  const picture = canvas(width, height, block.label);
  const X = (i) => left + i * pitch + (pitch - bar) / 2;
  const middle = (i) => left + (i + 0.5) * pitch;
  const called = new Set(narrow ? [] : block.called);
  if (block.wash)
    picture.append(
      svg("rect", {
        x: left,
        y: first - 8,
        width: pitch * block.wash,
        height: height - first - 18,
        fill: colours.surface,
      }),
    );

  const title = (y, name, note) => {
    picture.append(label(0, narrow ? y - 10 : y, name, { "font-size": narrow ? 15 : 17, "font-weight": 600 }));
    if (narrow) picture.append(label(name.length * 8.2 + 8, y - 10, note[0], { class: "muted-ink" }));
    else note.forEach((line, i) => picture.append(label(0, y + 19 + 17 * i, line, { class: "muted-ink" })));
  };
  const row = (values, top, name, note) => {
    const zero = top + tall / 2;
    const scale = (tall / 2 - (narrow ? 4 : 13)) / largest;
    title(narrow ? top : zero - 4, name, [note]);
    picture.append(level(zero, left, left + pitch * count, colours.control_border));
    values.forEach((value, i) => {
      if (value === null) return;
      const size = Math.max(0.6, Math.abs(value) * scale);
      picture.append(
        svg("rect", {
          x: X(i),
          y: value > 0 ? zero - size : zero,
          width: bar,
          height: size,
          fill: value > 0 ? plus : minus,
        }),
      );
      if (called.has(i))
        picture.append(
          label(middle(i), value > 0 ? zero - size - 4 : zero + size + 13, written(value, block.decimals), {
            "font-size": 12,
            "text-anchor": "middle",
            class: "code",
          }),
        );
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
  title(
    narrow ? top : top + 22,
    "query × key",
    narrow ? ["each step starts where the last ended"] : ["each step starts", "where the last ended"],
  );
  picture.append(level(Y(0), left, left + pitch * count, colours.control_border));
  steps.forEach(({ from, to }, i) => {
    const [upper, lower] = [Y(Math.max(from, to)), Y(Math.min(from, to))];
    picture.append(
      svg("rect", {
        x: X(i),
        y: upper,
        width: bar,
        height: Math.max(1, lower - upper),
        fill: to >= from ? plus : minus,
      }),
    );
    if (i < count - 1 && pitch > 6) picture.append(level(Y(to), X(i) + bar, X(i + 1), colours.control_border));
    if (called.has(i)) {
      const value = block.products[i];
      picture.append(
        label(middle(i), value > 0 ? upper - 6 : lower + 14, (value > 0 ? "+" : "") + written(value, block.decimals), {
          "font-size": 12.5,
          "text-anchor": "middle",
          class: "code halo",
          "font-weight": 600,
        }),
      );
    }
  });
  const under = height - 8;
  numbered(count, pitch, block.wash).forEach((there, i) => {
    const rest = /\D/.test(block.numbers[i]);
    if (there && !rest)
      picture.append(
        label(middle(i), under, block.numbers[i], {
          "font-size": 12,
          "text-anchor": "middle",
          class: `code${i < block.wash ? "" : " muted-ink"}`,
          "font-weight": i < block.wash ? 600 : 400,
        }),
      );
    if (rest)
      picture.append(
        label(middle(i), narrow ? top + 40 : under, narrow ? "" : "…", {
          "font-size": 13,
          "text-anchor": "middle",
          class: "muted-ink",
        }),
      );
  });
  if (!narrow) picture.append(label(0, under, `number (0 to ${block.count - 1})`, { class: "muted-ink" }));
  const end = Y(ends.at(-1));
  const right_edge = left + pitch * count;
  picture.append(
    level(end, right_edge - (narrow ? 3 * pitch : 0), right_edge + (narrow ? 0 : 12), "currentColor", {
      "stroke-width": 2,
    }),
  );
  if (narrow)
    picture.append(
      label(width, end + (end > top + falls - 20 ? -8 : 20), `sum ${block.total}`, {
        "font-size": 15,
        "font-weight": 600,
        "text-anchor": "end",
        class: "halo",
      }),
    );
  else
    picture.append(
      label(right_edge + 18, end + 7, block.total, { "font-size": 21, class: "code", "font-weight": 500 }),
      label(right_edge + 18, end + 26, "the sum", { class: "muted-ink" }),
    );
  place.append(picture);
}
