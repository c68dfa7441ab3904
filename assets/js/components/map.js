/**
 * Word × word: rows look at columns. Several panels with cells of one size, numbers from 10 %, and behind the last
 * column what a row gives to everything else; a signed panel has differences in points. A button sends the head's name.
 */

import { box, frame, key, rampBar, written } from "../lib/chart.js";
import { luminance, parseColour, rampAt } from "../lib/colour.js";
import { longestLabel, wordMap } from "../lib/map.js";
import { element, refill } from "../lib/spans.js";
import { PHONE, viewOf } from "../lib/view.js";

const COLUMNS_FROM = 820; // px for panels next to each other
const LARGEST = 40; // px of a cell
const BAR = 44; // px of the share of everything else
const ASIDE = 20; // px around it
const BARE = 10; // px left of a panel without words
const BETWEEN = 28; // px between panels
const NUMBERS_FROM = 20; // px of a cell
const WRITTEN = 10; // per cent from which a cell has its number
const FULL = 50; // points in full colour
const SPOKEN = 4; // cells that the text alternative names

/**
 * @typedef {{title: string, columns: string[], cells: number[][], unit?: string, is_signed?: boolean}} Panel cells have
 *   whole per cents or points, the last of a row for everything else
 * @typedef {{head: string, about: string, rows: string[], panels: Panel[], frame: [number, number] | null,
 *   rest: string, note: string, has_scale: boolean, action?: string}} MapData
 */

/** A number with a true minus, and in a difference its sign. */
export const numberText = (value, isSigned) =>
  `${value < 0 ? "\u2212" : isSigned && value > 0 ? "+" : ""}${Math.abs(value)}`;

/** The two ramps of a difference: ink for more, grey for less, equally dark at equal size. */
export function differenceRamps(colours) {
  const isDark = luminance(parseColour(colours.background)) < 0.2;
  return {
    more: colours.ramp.slice(0, isDark ? 6 : 7),
    less: [parseColour(colours.background), parseColour(colours.negative)],
  };
}

/** The colour of a difference in points. */
export const differenceColour = (points, { more, less }) => rampAt(points >= 0 ? more : less, Math.abs(points) / FULL);

/** The size of cells, which is that of all panels, and px above and left of them. */
export function panelLayout(width, count, longest, columns) {
  const left = Math.min(110, longest + 14);
  const labels = left + (columns - 1) * BARE;
  const room = width - labels - columns * (BAR + ASIDE) - (columns - 1) * BETWEEN;
  const cell = Math.max(4, Math.min(LARGEST, Math.floor(room / (columns * count))));
  return { left, cell, above: Math.min(120, longest * 0.72 + 26) };
}

/** The text alternative of a panel: its largest cells. @param {MapData} data @param {Panel} panel */
export function spokenPanel({ head, rows }, { title, columns, cells, unit = "per cent", is_signed = false }) {
  const largest = cells
    .flatMap((row, q) => row.slice(0, -1).map((value, k) => ({ q, k, value })))
    .filter(({ value }) => value)
    .sort((a, b) => Math.abs(b.value) - Math.abs(a.value))
    .slice(0, SPOKEN)
    .map(({ q, k, value }) => `${rows[q]} to ${columns[k]} ${numberText(value, is_signed)}`);
  return `${head}, ${title}, ${unit}: ${largest.join(", ") || "no cell above zero"}.`;
}

/** Mounts maps into a place. @param {Element} parent */
export default function map(parent, tokens) {
  const root = element("div.parallax.maps");
  const draw = (/** @type {MapData} */ data, colours, send) => {
    const width = root.clientWidth;
    const columns = width <= PHONE || width < COLUMNS_FROM ? 1 : data.panels.length;
    const longest = longestLabel([...data.rows, ...data.panels.flatMap((panel) => panel.columns)], 13);
    const layout = panelLayout(width, data.rows.length, longest, columns);
    const panels = data.panels.map((panel, i) =>
      panelNode(data, panel, columns > 1 && i ? { ...layout, left: BARE } : layout, colours),
    );
    const head = element("div.title", element("span.head", data.head), element("span.about", data.about));
    if (data.action) {
      const button = element("button", { "aria-label": `${data.action} ${data.head}` }, data.action);
      button.addEventListener("click", () => send("head", data.head));
      head.append(button);
    }
    const scale = data.has_scale ? scaleNode(data, colours) : null;
    refill(root, head, element("div.panels", { class: columns === 1 ? "stacked" : "" }, ...panels), note(data), scale);
  };
  return viewOf(parent, root, tokens, draw, { fonts: ['600 13px "Source Sans"'] });
}

const note = (data) => (data.note ? element("p.note", data.note) : null);

/** @param {MapData} data @param {Panel} panel */
function panelNode(data, panel, { left, cell, above }, colours) {
  const { title, columns, cells, unit = "", is_signed: isSigned = false } = panel;
  const ramps = differenceRamps(colours);
  const [framedRow, framedColumn] = data.frame ?? [-1, -1];
  const isFramed = (q, k) => q === framedRow && k === framedColumn;
  const { picture, rowAt, framed } = wordMap({
    rows: left > BARE ? data.rows : data.rows.map(() => ""),
    columns,
    label: spokenPanel(data, panel),
    cell,
    beside: left,
    above,
    after: BAR + ASIDE,
    below: 6,
    colours,
    colour: (q, k) => (isSigned ? differenceColour(cells[q][k], ramps) : rampAt(colours.ramp, cells[q][k] / 100)),
    text: (q, k) =>
      cell >= NUMBERS_FROM && (Math.abs(cells[q][k]) >= WRITTEN || isFramed(q, k))
        ? numberText(cells[q][k], isSigned)
        : "",
  });
  const end = left + columns.length * cell + 8;
  const thick = Math.max(2, Math.min(8, cell - 2));
  cells.forEach((row, q) => {
    const rest = row[row.length - 1];
    const y = rowAt(q);
    if (isSigned && q % Math.ceil(13 / cell)) return;
    if (isSigned) picture.append(written(end + 34, y + 4.5, numberText(rest, true), "code muted-ink end"));
    else
      picture.append(
        box(end, y - thick / 2, Math.max(1, (BAR * rest) / 100), thick, colours.aside),
        frame(end - 0.5, y - thick / 2 - 0.5, BAR, thick + 1, colours.border),
      );
  });
  picture.append(written(end, above - 8, data.rest, "muted-ink", 12));
  if (data.frame) picture.append(framed(framedRow, framedColumn, "currentColor", 2));
  return element("div.panel", element("p", element("i", title), unit ? ` ${unit}` : ""), picture);
}

/** What the colours mean, with both ends of each. @param {MapData} data */
function scaleNode(data, colours) {
  const { more, less } = differenceRamps(colours);
  const entries = [["0", rampBar(colours.ramp), "100\u00a0%"]];
  if (data.panels.some((panel) => panel.is_signed))
    entries.push([`\u2212${FULL} points`, rampBar([...less].reverse()), rampBar(more), `+${FULL} points`]);
  return key(...entries);
}
