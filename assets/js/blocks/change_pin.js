/** One head in the first, in the second, and the difference; and one head over several words in one place. */

import { bar, frame, key, pointsText, rampKey, wholePercent, written } from "../lib/chart.js";
import { luminance, parseColour, rampAt } from "../lib/colour.js";
import { wordMap } from "../lib/map.js";
import { arcInk } from "../lib/sentence.js";
import { element, filledText, spanNodes } from "../lib/spans.js";

const LARGEST = 40;
const BAR = 44;
const ASIDE = 20; // px around the bars
const BARE = 10; // px left of a panel without words
const BETWEEN = 28;
const COLUMNS_FROM = 820;
const NUMBERS_FROM = 20;
const FULL_DIFFERENCE = 0.5; // share points in full colour

/** @type {Drawer<"change_pin">} */
export function pin(block, { colours, width, narrow, legend }) {
  const columns = narrow || width < COLUMNS_FROM ? 1 : 3;
  const name = [element("span.disc", String(block.number)), element("span.head-name", block.head)];
  const badge = block.badge ? [element("span.badge", block.badge)] : [];
  const unpin = element("button.quiet", { "data-act": block.head, "aria-label": `Unpin: ${block.head}` }, "Unpin");
  const longest = Math.max(...[...block.keys_first, ...block.keys_second, ...block.words].map((text) => text.length));
  const layout = panelLayout(width, block.words.length, longest, columns);
  const { first, second, rest_first: before, rest_second: after } = block;
  const change = { cells: difference(first, second), rest: difference([before], [after])[0], points: legend.points };
  const panels = [
    { title: block.copy ? legend.original : legend.first, cells: first, rest: before, keys: block.keys_first },
    { title: block.copy ? legend.copy : legend.second, cells: second, rest: after, keys: block.keys_second },
    { title: legend.difference, ...change, keys: block.words },
  ].map((one, i) => panel(one, block, columns > 1 && i ? { ...layout, left: BARE } : layout, colours, legend));
  return [
    element("div.head_line", ...name, ...badge, unpin),
    element("div", { class: columns === 1 ? "change-panels stacked" : "change-panels" }, ...panels),
    element("p.change-note", ...spanNodes(block.spans)),
  ];
}

/** The two ramps of a difference: ink for more, grey for less, equally dark at equal size. */
export function differenceRamps(colours) {
  const dark = luminance(parseColour(colours.background)) < 0.2;
  return {
    more: colours.ramp.slice(0, dark ? 6 : 7),
    less: [parseColour(colours.background), parseColour(colours.negative)],
  };
}

export function differenceColour(value, { more, less }) {
  return rampAt(value >= 0 ? more : less, Math.abs(value) / FULL_DIFFERENCE);
}

export function difference(first, second) {
  return first.map((row, q) => row.map((value, k) => second[q][k] - value));
}

/** Where everything stands in the panels, so that cells are equally large in all of them. */
export function panelLayout(width, count, longest, columns) {
  const left = Math.min(110, longest * 7.4 + 14);
  const labels = left + (columns - 1) * BARE;
  const room = width - labels - columns * (BAR + ASIDE) - (columns - 1) * BETWEEN;
  const cell = Math.max(4, Math.min(LARGEST, Math.floor(room / (columns * count))));
  return { left, cell, above: Math.min(120, longest * 5.4 + 26) };
}

/** One panel; `points` is what the numbers of a difference are. @param {any} one @param {Blocks["change_pin"]} block */
function panel(one, block, { left, cell, above }, colours, legend) {
  const { title, cells, rest, keys, points = "" } = one;
  const ramps = differenceRamps(colours);
  const { picture, X, rowAt, framed } = wordMap({
    rows: left > BARE ? block.words : block.words.map(() => ""),
    columns: keys,
    label: `${block.label}: ${title}`,
    cell,
    beside: left,
    above,
    after: BAR + ASIDE,
    below: 6,
    rtl: block.rtl,
    colours,
    colour: (q, k) => (points ? differenceColour(cells[q][k], ramps) : rampAt(colours.ramp, cells[q][k])),
    text: (q, k) => (cell < NUMBERS_FROM ? "" : pointsText(cells[q][k])),
  });
  const end = left + keys.length * cell + 8;
  const thick = Math.max(2, Math.min(8, cell - 2));
  rest.forEach((value, q) => {
    const y = rowAt(q);
    if (points && q % Math.ceil(13 / cell)) return;
    if (points) picture.append(written(X(end, BAR) + 34, y + 4.5, pointsText(value, "+") || "0", "code muted-ink end"));
    else
      picture.append(
        bar(X(end), X(end + BAR * value), y, thick, colours.aside),
        frame(X(end, BAR) - 0.5, y - thick / 2 - 0.5, BAR, thick + 1, colours.border),
      );
  });
  const [q, k] = block.cell;
  picture.append(
    written(X(end), above - 8, legend.rest, block.rtl ? "muted-ink end" : "muted-ink", 12),
    framed(q, k, "currentColor", 2),
  );
  const about = element("span.muted", points && ` ${points}`);
  return element("div", element("p.change-title", element("i", title), about), picture);
}

/** What the colours of the panels say, and both ends of each. @type {Drawer<"key">} */
export function changeScale(block, { colours, legend }) {
  const { more, less } = differenceRamps(colours);
  const both = element("span.ramps", rampKey([...less].reverse()), rampKey(more));
  const most = { points: Math.round(FULL_DIFFERENCE * 100) };
  return key(
    [legend.share, rampKey(colours.ramp), "100\u00a0%"],
    [filledText(legend.less, most), both, filledText(legend.more, most)],
  );
}

/** @type {Drawer<"change_variants">} */
export function variants(block, { colours, width, narrow }) {
  const columns = Math.max(1, Math.min(6, block.variants.length, Math.floor(width / (narrow ? 150 : 160))));
  const room = Math.min(190, Math.floor((width - (columns - 1) * 24) / columns));
  const cards = block.variants.map(({ word, cells, row, share, at }) => {
    const blank = cells.map(() => "");
    const percent = wholePercent(share);
    const { picture, framed } = wordMap({
      rows: blank,
      columns: blank,
      label: `${block.label}: ${word}, ${percent}`,
      cell: Math.min(24, Math.floor((room - 2) / blank.length)),
      beside: 1,
      above: 1,
      after: 1,
      below: 1,
      rtl: block.rtl,
      colours,
      colour: (q, k) => rampAt(colours.ramp, cells[q][k]),
    });
    picture.append(framed(row, 0, "currentColor", 1.5, blank.length));
    const bar = element("i.change-bar", { style: `width:${Math.round(share * 70)}px;background:${arcInk(colours)}` });
    return element(
      "figure.change-variant",
      element("figcaption", word),
      picture,
      element("p", bar, ` ${at} ${percent}`),
    );
  });
  return element("div.change-variants", { style: `grid-template-columns:repeat(${columns},minmax(0,1fr))` }, ...cards);
}
