/** Over all forced pairs of a kind: each head on "tells them apart" and on "carries", intervals, and the score's dots. */

import {
  axis,
  box,
  dot,
  drawing,
  level,
  piled,
  rowChart,
  scale,
  signed,
  signedNumber,
  stroked,
  tick,
  tickStep,
  ticks,
  upright,
  wholePercent,
  written,
} from "../lib/chart.js";
import { headsOf } from "../lib/grid.js";
import { filledText, put } from "../lib/spans.js";

const INTERVAL_ROW = 22;
const DOT = 6.4; // px from dot to dot
const INK = "currentColor";
const TOLD = ["pair", "pair_low", "pair_high", "tells", "share", "low", "high", "named", "sure"]; // of every head

/**
 * Every head twice, joined: where the lines cross, looking and carrying are different sets of heads.
 * @type {Drawer<"calibration_strip">}
 */
function calibrationStrip(block, { colours, width, narrow, legend }) {
  const left = narrow ? 4 : 215;
  const heads = headsOf(block, TOLD).filter(({ share }) => share !== null);
  const told = heads.filter(({ tells }) => tells).sort((one, two) => two.pair - one.pair);
  const carry = heads.filter(({ named }) => named).sort((one, two) => two.share - one.share);
  const y1 = 50 + told.length * INTERVAL_ROW + (narrow ? 20 : 0);
  const y2 = y1 + 120;
  const height = y2 + 40 + carry.length * INTERVAL_ROW + (narrow ? 24 : 0);
  const shares = heads.flatMap(({ share, low, high, named }) => (named ? [share, low, high] : [share]));
  const most = heads.map(({ tells, pair, pair_high }) => (tells ? pair_high : pair));
  const X = scale(left + 12, width - 14, Math.min(...heads.map(({ pair }) => pair), 0.3), Math.max(...most));
  const Z = scale(left + 12, width - 14, Math.min(...shares, -0.02), Math.max(...shares, 0.2));
  const curve = (head, stroke, thick, more) => {
    const [a, b, y] = [X(head.pair), Z(head.share), (y1 + y2) / 2];
    return stroked(`M${a},${y1} C${a},${y} ${b},${y} ${b},${y2}`, stroke, thick, more);
  };
  const loud = (head) => head.tells || head.named;
  const quiet = heads
    .filter((one) => !loud(one))
    .map((head) => curve(head, colours.control_border, 1, { "stroke-opacity": 0.4 }));
  const curves = heads.filter(loud).map((head) => {
    const dash = { "stroke-dasharray": head.named ? "none" : "6 4" };
    return curve(head, INK, head.tells && head.sure ? 3.5 : 1.75, dash);
  });
  const dots = heads.map((head) => {
    const faint = { "stroke-opacity": loud(head) ? 1 : 0.5 };
    return [
      dot(X(head.pair), y1, head.tells ? 6 : 3, head.tells ? INK : colours.background, INK, 1, faint),
      dot(Z(head.share), y2, head.named ? 6 : 3, head.named && head.sure ? INK : colours.background, INK, 1, faint),
    ];
  });
  const named = (name, y, limits, share, sure) =>
    interval(y, limits, `${name} ${wholePercent(share)}`, sure, left, colours);
  const tells = ({ name, pair_low, pair, pair_high }, i) =>
    named(name, y1 - 26 - i * INTERVAL_ROW, [pair_low, pair, pair_high].map(X), pair, true);
  const carries = ({ name, low, share, high, sure }, i) =>
    named(name, y2 + 32 + i * INTERVAL_ROW, [low, share, high].map(Z), share, sure);
  const small = { look: "muted-ink halo", size: 12 };
  return drawing(
    width,
    height,
    block.label,
    box(left, y1 - 15, Math.max(0, X(block.limit) - left), 30, colours.surface),
    [y1, y2].map((y) => level(y, left, width - 4, colours.control_border)),
    quiet,
    curves,
    dots,
    told.map(tells),
    carry.map(carries),
    axis(X, ticks(X.low, X.high, 0.1), { at: y1 + 29, text: wholePercent, ...small }),
    axis(Z, ticks(Z.low, Z.high, 0.1), { at: y2 - 12, text: tick(wholePercent), ...small }),
    stripTitles(block, narrow, { y1, y2, height, left }, legend),
  );
}

function interval(y, limits, text, sure, left, colours) {
  const [from, at, to] = limits;
  const right = from < left + 84;
  return [
    level(y, from, to, INK, { "stroke-width": 1.5, "stroke-dasharray": sure ? "none" : "3 2" }),
    dot(at, y, 3.2, sure ? INK : colours.background, INK),
    written(right ? to + 8 : from - 8, y + 4.5, text, right ? "code halo" : "code halo end"),
  ];
}

/** @param {Blocks["calibration_strip"]} block */
function stripTitles(block, narrow, { y1, y2, height, left }, legend) {
  const band = written(
    narrow ? left : left + 2,
    y1 - 21,
    narrow ? legend.band_short : legend.band,
    "muted-ink halo",
    12.5,
  );
  const title = (y, text) => written(0, y, text, "bold", 15);
  if (narrow) return [title(16, legend.tells_short), title(height - 6, legend.carries), band];
  return [
    title(y1 + 1, legend.tells),
    written(0, y1 + 19, filledText(legend.tells_of, { n: block.n_pairs }), "muted-ink"),
    title(y2 + 1, legend.carries),
    written(0, y2 + 19, filledText(legend.carries_of, { n: block.n_patched }), "muted-ink"),
    band,
  ];
}

/** Plain intervals where no head carries: rows of {name, value, from, to}. @type {Drawer<"forest">} */
function forest(block, { colours, width, narrow, legend }) {
  const low = Math.min(0.4, ...block.rows.map(({ from, value }) => from ?? value));
  const chart = {
    width,
    label: block.label,
    left: narrow ? 150 : 210,
    right: 16,
    count: block.rows.length,
    row: 42,
    top: 4,
    after: 4,
    below: 40,
  };
  const { picture, X, foot, at } = rowChart({ ...chart, low, high: 1, colours });
  picture.append(upright(X(0.5), 4, foot - 4, colours.control_border, { "stroke-dasharray": "2 3" }));
  block.rows.forEach(({ name, value, from, to }, i) => {
    const y = at(i);
    const loud = from !== undefined;
    put(
      picture,
      written(0, y + 5, name, loud ? "bold" : "", narrow ? 13 : 15),
      loud && level(y, X(from), X(to), INK, { "stroke-width": 2.5 }),
      dot(X(value), y, loud ? 7 : 6, loud ? INK : colours.background, loud ? INK : colours.control_border, 2),
      written(X(value), y - 11, value.toFixed(2), "code middle"),
    );
  });
  picture.append(
    ...axis(X, ticks(low, 1, 0.1), { at: foot + 14, text: (tick) => tick.toFixed(1) }),
    written(X(0.5), foot + 32, legend.even, "middle muted-ink"),
  );
  return picture;
}

/** Dots stacked by value: [{x, row, value}], bins of one dot's width, zero between two bins. */
export function stackedDots(values, X, step = DOT) {
  const sorted = [...values].sort((one, two) => one - two);
  const bins = piled(sorted, (value) => X(value) - X(0), step, Infinity, Math.floor);
  return bins.map(({ x, ...one }) => ({ ...one, x: X(0) + x + step / 2 }));
}

/**
 * The score's difference in every forced pair, shuffled words under them, this sentence as a line.
 * @type {Drawer<"pair_dots">}
 */
function pairDots(block, { colours, width, narrow, legend }) {
  const all = [...block.pairs, ...block.shuffled, ...(block.mine === null ? [] : [block.mine])];
  const limit = Math.max(0.02, ...all.map(Math.abs)) * 1.12;
  const X = scale(10, width - 10, -limit, limit);
  const stacks = [block.pairs, block.shuffled].map((values) => stackedDots(values, X));
  const tall = stacks.map((dots) => Math.max(64, 16 + DOT * Math.max(0, ...dots.map(({ row }) => row + 1))));
  const feet = [46 + tall[0], 46 + tall[0] + 40 + tall[1]];
  const picture = drawing(width, feet[1] + 56, block.label);
  picture.append(upright(X(0), 18, feet[1] + 6, colours.control_border));
  stacks.forEach((dots, i) => {
    const [fill, [title, about], foot] = [i ? colours.aside : INK, block.titles[i], feet[i]];
    for (const { x, row, value } of dots) {
      const [radius, inside, thick] = value > 0 ? [2.8, fill, 0] : [2.3, colours.background, 1.1];
      picture.append(dot(x, foot - DOT / 2 - 0.5 - row * DOT, radius, inside, fill, thick));
    }
    picture.append(
      level(foot + 1, 10, width - 10, colours.control_border),
      written(10, foot - 48, title, "bold halo", 14),
      written(10, foot - 29, about, "muted-ink halo"),
    );
  });
  if (block.mine !== null) {
    const x = X(block.mine);
    const says = filledText(legend.mine, { score: signedNumber(block.mine) });
    picture.append(
      upright(x, feet[0] - 62, feet[0], colours.accent, { "stroke-width": 2.5 }),
      written(Math.max(150, Math.min(width - 6, x + 40)), feet[0] - 68, says, "bold halo end", 14, {
        style: `fill:${colours.accent}`,
      }),
    );
  }
  const values = ticks(-limit, limit, tickStep(limit, narrow ? 2 : 3));
  picture.append(
    ...axis(X, values, { at: feet[1] + 20, text: signed(limit < 0.15 ? 2 : 1) }),
    written(width / 2, feet[1] + 44, narrow ? legend.axis_short : legend.axis, "middle muted-ink"),
  );
  return picture;
}

export const PAIR_DRAWERS = { calibration_strip: calibrationStrip, forest, pair_dots: pairDots };
