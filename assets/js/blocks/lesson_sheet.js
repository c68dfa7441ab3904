/** A lesson on paper: the plan for the teacher, or a worksheet with its answers on a page of their own. */

import { element, spanNodes } from "../lib/spans.js";
/** @import { Drawer } from "../drawers.d.ts" */

const words = (name, spans, attributes = {}) => (spans.length ? [element(name, attributes, ...spanNodes(spans))] : []);
const rule = (text) => element("p", { class: "rule" }, element("span", {}, text));
const box = (text) => element("span", { class: "boxed" }, text, element("i"));

function emptyMap(sentence) {
  const pieces = sentence.split(/\s+/).slice(0, 14);
  const names = element("tr", {}, element("th"), ...pieces.map((piece) => element("th", {}, element("span", {}, piece))));
  const rows = pieces.map((piece) => element("tr", {}, element("th", {}, piece), ...pieces.map(() => element("td"))));
  return element("table", { class: "empty-map" }, names, ...rows);
}

/** What is written on, by the kind that a stop names. */
function blanks({ worksheet, sentences }) {
  const arcs = sentences.map((sentence) => element("p", { class: "to-draw-on", dir: "auto" }, sentence));
  if (worksheet === "arcs" && arcs.length) return [...arcs, rule("I am sure because")];
  if (worksheet === "number") return [element("p", {}, box("My guess"), box("Measured"))];
  if (worksheet === "yes-no") return [element("p", { class: "choices" }, box("Yes"), box("No")), rule("Because")];
  if (worksheet === "map" && sentences.length) return [emptyMap(sentences[0]), rule("One row adds up to")];
  return [rule("My guess"), rule("Measured"), rule("So")];
}

function planOf({ needs, goals, stops }) {
  const told = stops.map((stop, place) =>
    element(
      "li",
      {},
      element("b", { class: "number" }, String(place + 1)),
      element("div", { class: "name" }, element("h3", {}, ...spanNodes(stop.title)), element("span", { class: "small" }, stop.page)),
      element("div", {}, ...words("p", stop.ask, { class: "ask" }), ...words("p", stop.do), ...(stop.answer.length ? [element("p", { class: "answer" }, element("b", {}, "Likely: "), ...spanNodes(stop.answer))] : [])),
      element("div", { class: "time" }, element("b", {}, `${stop.minutes} min`), element("span", { class: "small" }, stop.guess ? "guess first" : "")),
    ),
  );
  const line = stops.map((stop, place) => element("span", { style: `flex:${stop.minutes}` }, element("b", {}, String(place + 1)), ` ${stop.minutes}`));
  return [
    ...(needs.length ? [element("h3", {}, "Pupils need to know"), element("p", {}, ...spanNodes(needs))] : []),
    ...(goals.length ? [element("h3", {}, "After this lesson, pupils can"), element("ol", { class: "goals" }, ...goals.map((goal) => element("li", {}, ...spanNodes(goal))))] : []),
    element("div", { class: "minutes", "aria-hidden": "true" }, ...line),
    element("ol", { class: "stops" }, ...told),
  ];
}

function worksheetOf({ stops, title }, answers) {
  const asked = stops.map((stop, place) =>
    element("section", {}, element("h3", {}, element("b", { class: "number" }, String(place + 1)), ...spanNodes(stop.title)), ...words("p", stop.ask), ...blanks(stop)),
  );
  const told = stops.map((stop, place) =>
    element("li", {}, element("b", { class: "number" }, String(place + 1)), element("div", {}, element("h3", {}, ...spanNodes(stop.title)), ...words("p", stop.answer), element("p", { class: "small" }, stop.address))),
  );
  const page = answers ? [element("div", { class: "answers" }, element("h2", {}, "Answers: ", ...spanNodes(title)), element("ol", { class: "stops" }, ...told))] : [];
  return [rule("Name"), ...asked, ...page];
}

/** @type {Drawer<"lesson_sheet">} */
export function lessonSheet(place, block) {
  const plan = block.sheet === "Plan";
  const print = element("button", { type: "button", class: "plain-button" }, plan ? "Print lesson plan" : "Print worksheet");
  print.addEventListener("click", () => window.print());
  place.append(
    element("h1", {}, ...spanNodes(block.title)),
    ...(plan ? [element("p", { class: "small" }, block.about)] : []),
    print,
    ...(plan ? planOf(block) : worksheetOf(block, block.sheet === "Worksheet with answers")),
  );
}
