/** A lesson on paper: the plan for the teacher, or a worksheet with its answers on a page of their own. */

import { element, spanNodes, svg } from "../lib/spans.js";

const MOST_IN_A_MAP = 14; // words

const words = (name, spans, attributes = {}) => (spans.length ? [element(name, attributes, ...spanNodes(spans))] : []);
const rule = (text) => element("p.rule", element("span", text));
const textOf = (spans) => spans.map(([, text]) => text).join("");
const box = (text) => element("span.boxed", text, element("i"));

function emptyMap(spans) {
  const pieces = textOf(spans).split(/\s+/).slice(0, MOST_IN_A_MAP);
  const names = element("tr", element("th"), ...pieces.map((piece) => element("th", element("span", piece))));
  const rows = pieces.map((piece) => element("tr", element("th", piece), ...pieces.map(() => element("td"))));
  return element("div.scroll-x", element("table.empty-map", names, ...rows));
}

/** What is written on, by the kind that a stop names. */
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

/** What to do, and what is likely answered: one paragraph, so that a plan stays on a page. */
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
      element("p", "In each row, shade the word that this word looks at. Let others guess your rule."),
      emptyMap(shortest),
    ),
  ];
}

function worksheetOf({ stops, title, shares }, answers) {
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
          element("p.small", "For the teacher. ", shares),
          element("ol.stops", ...told),
        ),
      ]
    : [];
  const lesson = codeOf(stops[0]?.code ?? [], "QR code of the lesson");
  return [element("div.head", rule("Name"), ...lesson), ...asked, ...ownHead(stops), ...page];
}

/** @type {Drawer<"lesson_sheet">} */
export function lessonSheet(block) {
  const plan = block.sheet === "Plan";
  const print = element("button.plain-button", plan ? "Print lesson plan" : "Print worksheet");
  print.addEventListener("click", () => window.print());
  return [
    element("h1", ...spanNodes(block.title)),
    ...(plan ? [element("p.small", block.about)] : []),
    print,
    ...(plan ? planOf(block) : worksheetOf(block, block.sheet === "Worksheet with answers")),
  ];
}
