/** Sentences with one connection of a head each, as an arc from the query word to the key word; each is a link. */

import { arcPath, arrowSize } from "../lib/arcs.js";
import { viewOf } from "../lib/view.js";
import { element, percentText, put, refill, svg } from "../lib/spans.js";

const WIDEST = 6; // px of an arc of 100 %
const ROOM = 24; // px for arcs above the words
const LARGEST = 20; // px of a sentence
const PHONE = [640, 16]; // px: up to this width sentences are smaller
const SMALLEST = 13; // px; a sentence that does not fit is written on several lines, without an arc
const LOOP = 7; // px to both sides of the middle of a word that attends to itself

/**
 * @typedef {{text: string, word: number | null, space: boolean}} TextPiece
 * @typedef {{pieces: TextPiece[], query: number, key: number, percent: number, rtl: boolean, label: string,
 *   params: Object<string, string>}} Example
 * @typedef {{head: string, label: string, rows: Example[]}} ExamplesData
 */

/** The address of an example on Heads, relative to any page of the app. @param {Object<string, string>} params */
export const addressOf = (params) => `./?${new URLSearchParams(params)}`;

/** Where an arc starts, ends and how high it rises; a word that attends to itself has a loop. */
export function arcOf(from, to, percent) {
  const width = Math.max(1, (percent / 100) * WIDEST);
  const arrow = arrowSize(percent / 100, width);
  const [start, end] = from === to ? [from + LOOP, to - LOOP] : [from, to];
  const rise = Math.min(ROOM - 2 * arrow, 5 + Math.abs(end - start) / 8);
  return { width, ...arcPath({ from: start, to: end, y: ROOM, up: true, arrow, rise: Math.max(4, rise) }) };
}

/** Mounts the sentences into a place. @param {Element} parent */
export default function examples(parent, tokens) {
  const root = element("div.parallax.examples");

  function draw(/** @type {ExamplesData} */ data) {
    const list = element("ol", { "aria-label": data.label });
    const rows = data.rows.map((row) => {
      const words = wordNodes(row);
      const line = element("span.line", { "aria-hidden": "true", dir: row.rtl ? "rtl" : "ltr" }, ...words.nodes);
      const share = element("b", { "aria-hidden": "true" }, percentText(row.percent));
      const text = element("span.text", line);
      const link = element("a", { href: addressOf(row.params), "aria-label": row.label }, text, share);
      list.append(element("li", link));
      return { row, text, line, words };
    });
    refill(root, list);
    for (const { row, text, line, words } of rows) drawArc(row, text, line, words);
  }

  /** Fits a sentence into its line and draws its arc. */
  function drawArc({ percent }, text, line, { query, key }) {
    const largest = root.clientWidth <= PHONE[0] ? PHONE[1] : LARGEST;
    line.style.fontSize = `${largest}px`;
    const room = text.clientWidth;
    const size = Math.min(largest, Math.floor((10 * largest * room) / line.scrollWidth) / 10);
    line.style.fontSize = `${Math.max(SMALLEST, size)}px`;
    line.classList.toggle("wrapped", size < SMALLEST);
    if (size < SMALLEST || !query || !key) return;
    const left = text.getBoundingClientRect().left;
    const [from, to] = [query, key].map((word) => {
      const box = word.getBoundingClientRect();
      return box.left - left + box.width / 2;
    });
    const { width, path, arrow } = arcOf(from, to, percent);
    put(
      text,
      svg(
        "svg",
        { width: room, height: ROOM, "aria-hidden": "true" },
        svg("path", { d: path, fill: "none", stroke: "currentColor", "stroke-width": width }),
        svg("path", { d: arrow, fill: "currentColor" }),
      ),
    );
  }

  return viewOf(parent, root, tokens, draw, { fonts: ['400 20px "Source Serif"'] });
}

/** The words of a sentence, with those of its query and key. @param {Example} row */
function wordNodes({ pieces, query, key }) {
  /** @type {{nodes: (string | HTMLElement)[], query: HTMLElement | null, key: HTMLElement | null}} */
  const words = { nodes: [], query: null, key: null };
  for (const { text, word, space } of pieces) {
    const node = element("span", { class: word === query ? "query" : word === key ? "key" : "" }, text);
    if (word === query) words.query = node;
    if (word === key) words.key = node;
    words.nodes.push(space ? " " : "", node);
  }
  return words;
}
