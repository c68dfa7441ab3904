/**
 * A lesson on paper: the plan for the teacher, or a worksheet, with its answers on a page of their own. A click on a cell
 * of an empty map fills it, so that a class can guess on the screen.
 */

import { gridMove, reachWord } from "../lib/keyboard.js";
import { element, spanNodes, svg } from "../lib/spans.js";
import { viewOf } from "../lib/view.js";

const MOST_IN_A_MAP = 14; // words

const words = (name, spans, attributes = {}) => (spans.length ? [element(name, attributes, ...spanNodes(spans))] : []);
const rule = (text) => element("p.rule", element("span", text));
const textOf = (spans) => spans.map(([, text]) => text).join("");
const box = (text) => element("span.boxed", text, element("i"));

/** A map of a sentence whose cells a click fills; arrow keys go from cell to cell. @param {[string, string][]} spans */
function emptyMap(spans) {
  const words = textOf(spans).split(/\s+/).slice(0, MOST_IN_A_MAP);
  const names = element("tr", element("th"), ...words.map((word) => element("th", element("span", word))));
  const cells = words.map((from) =>
    words.map((to) => element("button", { "aria-pressed": "false", "aria-label": `${from} to ${to}`, tabindex: "-1" })),
  );
  const rows = cells.map((row, at) =>
    element("tr", element("th", words[at]), ...row.map((cell) => element("td", cell))),
  );
  const all = cells.flat();
  if (all.length) all[0].tabIndex = 0;
  const map = element("table.empty-map", names, ...rows);
  map.addEventListener("click", ({ target }) => {
    const cell = all.find((one) => one === target);
    cell?.setAttribute("aria-pressed", String(cell.getAttribute("aria-pressed") !== "true"));
  });
  map.addEventListener("keydown", (event) => {
    const at = all.findIndex((one) => one === event.target);
    const next = at < 0 ? null : gridMove(event.key, event.ctrlKey, at, words.length, words.length);
    if (next === null) return;
    reachWord(all, next);
    event.preventDefault();
  });
  return element("div.scroll-x", map);
}

/** The lines, boxes, sentences or map that a class writes on, by the kind that a stop names. */
function blanks({ worksheet, sentences, prompts }) {
  const arcs = sentences.map((spans) =>
    element("p.to-draw-on", { dir: "auto", style: `--letters: ${textOf(spans).length}` }, ...spanNodes(spans)),
  );
  const rules = (...usual) => (prompts.length ? prompts : usual).map(rule);
  if (worksheet === "arcs" && arcs.length) return [...arcs, ...rules("I am sure because")];
  if (worksheet === "number") return [element("p", box("My guess"), box("Measured"))];
  if (worksheet === "yes-no") return [element("p.choices", box("Yes"), box("No")), ...rules("Because")];
  if (worksheet === "map" && sentences.length) return [emptyMap(sentences[0]), ...rules("One row adds up to")];
  return rules("My guess", "Measured", "So");
}

/** What the teacher does and the likely answer, in one paragraph: a plan fits one page. */
function teaching({ do: told, answer }) {
  const likely = answer.length ? [element("b", told.length ? " Likely: " : "Likely: "), ...spanNodes(answer)] : [];
  return told.length || likely.length ? [element("p", ...spanNodes(told), ...likely)] : [];
}

/**
 * One path of all dark squares of a QR code; neighbours in a row are one rectangle.
 * @param {string[]} rows "1" for a dark square, "0" for a light one
 */
export function darkPath(rows) {
  return rows
    .flatMap((row, y) =>
      [...row.matchAll(/1+/g)].map((run) => `M${run.index} ${y}h${run[0].length}v1h-${run[0].length}z`),
    )
    .join("");
}

function codeOf(rows, label) {
  if (!rows.length) return [];
  const side = rows.length;
  return [
    svg(
      "svg.code",
      { viewBox: `0 0 ${side} ${side}`, role: "img", "aria-label": label },
      svg("path", { d: darkPath(rows) }),
    ),
  ];
}

function planOf({ needs, goals, stops }) {
  const told = stops.map((stop, place) =>
    element(
      "li",
      element("b.number", String(place + 1)),
      element("div.name", element("h2", ...spanNodes(stop.title)), element("span.small", stop.page)),
      element("div.told", ...words("p", stop.ask, { class: "ask" }), ...teaching(stop)),
      element("div.time", element("b", `${stop.minutes} min`), element("span.small", stop.guess ? "guess first" : "")),
    ),
  );
  const line = stops.map((stop, place) =>
    element("span", { style: `flex:${stop.minutes}` }, element("b", String(place + 1)), ` ${stop.minutes}`),
  );
  return [
    ...(needs.length ? [element("p", element("b", "Pupils need to know: "), ...spanNodes(needs))] : []),
    ...(goals.length
      ? [
          element("h2", "After this lesson, pupils can"),
          element("ol.goals", ...goals.map((goal) => element("li", ...spanNodes(goal)))),
        ]
      : []),
    element("div.minutes", { "aria-hidden": "true" }, ...line),
    element("ol.stops", ...told),
  ];
}

/** A head of one's own: an empty map of the shortest sentence that is drawn on. */
function ownHead(stops) {
  const drawn = stops.flatMap((stop) => (stop.worksheet === "arcs" ? stop.sentences : []));
  if (!drawn.length) return [];
  const shortest = drawn.reduce((best, spans) => (textOf(spans).length < textOf(best).length ? spans : best));
  return [
    element(
      "section",
      element("h2", element("b.number", "+"), "A head of your own"),
      element(
        "p",
        "In each row, shade the word that this word looks at (on a screen, click a cell). Let others guess your rule.",
      ),
      emptyMap(shortest),
    ),
  ];
}

function worksheetOf({ stops, title, origin }, answers) {
  const asked = stops.map((stop, place) =>
    element(
      "section",
      element("h2", element("b.number", String(place + 1)), ...spanNodes(stop.title)),
      ...words("p", stop.ask),
      ...blanks(stop),
    ),
  );
  const told = stops.map((stop, place) =>
    element(
      "li",
      element("b.number", String(place + 1)),
      element(
        "div",
        element("h3", ...spanNodes(stop.title)),
        ...words("p", stop.answer),
        element("p.small", stop.address),
      ),
      ...codeOf(stop.code, `QR code of stop ${place + 1}`),
    ),
  );
  const page = answers
    ? [
        element(
          "div.answers",
          element("h2", "Answers: ", ...spanNodes(title)),
          element("p.small", "For the teacher. ", origin),
          element("ol.stops", ...told),
        ),
      ]
    : [];
  const lesson = codeOf(stops[0]?.code ?? [], "QR code of the lesson");
  return [element("div.head", rule("Name"), ...lesson), ...asked, ...ownHead(stops), ...page];
}

/** Mounts a lesson into a place. @param {Element} parent */
export default function lessonSheet(parent, tokens) {
  const root = element("div.parallax.lesson_sheet");
  let drawn = null;
  return viewOf(parent, root, tokens, (/** @type {any} */ data) => {
    if (data === drawn) return; // what a class has filled stays
    drawn = data;
    const plan = data.sheet === "Plan";
    const print = element("button.plain-button", plan ? "Print lesson plan" : "Print worksheet");
    print.addEventListener("click", () => window.print());
    root.replaceChildren(
      element("h1", ...spanNodes(data.title)),
      ...(plan ? [element("p.small", data.about)] : []),
      print,
      ...(plan ? planOf(data) : worksheetOf(data, data.sheet === "Worksheet with answers")),
    );
  });
}
