/** The component "lesson": the bar of a lesson. A presenter's remote works by Page Up and Page Down. */

import { dress } from "../lib/colour.js";
import { element, spanNodes } from "../lib/spans.js";

const NO_TEXT = ["checkbox", "radio", "range", "button", "submit"].map((type) => `:not([type="${type}"])`).join("");
const FIELDS = `input${NO_TEXT}, textarea, [contenteditable="true"]`;
const OWN_ARROWS =
  '[role="grid"], [role="slider"], [role="tablist"], [role="radiogroup"], [role="listbox"], [role="application"], [data-head], [data-at], input, select, canvas';

/** What a key does: an action, or nothing; no key leaves the lesson. @param {string} key @param {{guess: boolean, revealed: boolean, number: number, last: number}} at */
export function keyAction(key, { guess, revealed, number, last }) {
  if (key === "PageDown" || key === "ArrowRight")
    return guess && !revealed ? ["show"] : number < last ? ["go", number + 1] : null;
  if (key === "PageUp" || key === "ArrowLeft")
    return guess && revealed ? ["show"] : number > 1 ? ["go", number - 1] : null;
  if (key === "Home") return ["go", 1];
  if (key === "End") return ["go", last];
  return { f: ["show"], p: ["large"] }[key.toLowerCase()] ?? null;
}

/** Whether a key pressed there is the lesson's. @param {string} key @param {{matches: (sheet: string) => boolean}[]} path */
export function isHeard(key, path) {
  if (path.some((node) => node.matches(FIELDS))) return false;
  return key.startsWith("Page") || !path.some((node) => node.matches(OWN_ARROWS));
}

export default function createLesson(parent, tokens) {
  const stop = new AbortController();
  const root = element("div.parallax.lesson-bar", { role: "region", "aria-label": "Lesson" });
  const line = element("div.line-of-stops", { role: "img" });
  const position = element("b");
  const state = element("span.state");
  const title = element("span.title");
  const question = element("h2", { tabindex: "-1", "aria-describedby": "lesson-stop-description" });
  const description = element("span", { id: "lesson-stop-description", hidden: "" });
  const button = (name, text, label) =>
    element("button", { class: name, ...(label ? { "aria-label": label, title: label } : {}) }, text);
  const show = button("show", "Show findings");
  const [back, next] = [button("icon back", "‹", "Back"), button("icon", "›", "Next")];
  const home = button("home", "Back to the stop");
  const tools = button("icon tools", "✎", "Sentence, model and view");
  tools.setAttribute("aria-expanded", "false");
  const [code, leave] = [button("icon", "▦", "Code for phones"), button("icon", "×", "Leave the lesson")];
  root.append(
    line,
    element(
      "div.inside",
      element("div.where", position, state),
      element("div.question", element("div.names", title, home), question, description),
      element("div.controls", show, back, next, tools, code, leave),
    ),
  );
  parent.append(root);
  let data = null;
  /** @type {(name: string, value: unknown) => void} */
  let send = () => {};
  let previous = "";

  const moment = () => `${data.lesson}/${data.number}`;
  function act(/** @type {any[]} */ [name, value]) {
    if (name === "large") {
      data.large = !data.large; // a second press is of what is shown then
      root.classList.toggle("large", data.large);
      send(name, data.large ? "1" : "0"); // of two that a server hears as one, the last counts
    } else if (name !== "show") send(name, value ?? Date.now());
    else if (data.guess) {
      reveal(!data.revealed); // as with large type
      send(name, data.revealed ? "1" : "0");
    }
  }
  function reveal(on) {
    data.revealed = on;
    show.textContent = on ? "Hide findings" : "Show findings";
    show.setAttribute("aria-pressed", String(on));
  }
  function pressed(event) {
    if (!data || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const path = event.composedPath().filter((node) => node instanceof Element);
    if (!isHeard(event.key, path) || document.querySelector('[role="dialog"]')) return;
    const found = keyAction(event.key, { ...data, last: data.minutes.length });
    if (!found) return;
    event.preventDefault();
    event.stopPropagation();
    if (!event.repeat) act(found);
  }
  document.addEventListener("keydown", pressed, { signal: stop.signal, capture: true });
  show.addEventListener("click", () => act(["show"]));
  back.addEventListener("click", () => act(["go", data.number - 1]));
  next.addEventListener("click", () => act(["go", data.number + 1]));
  home.addEventListener("click", () => act(["go", data.number]));
  tools.addEventListener("click", () => {
    const open = document.documentElement.classList.toggle("lesson-controls");
    tools.setAttribute("aria-expanded", String(open));
  });
  code.addEventListener("click", () => act(["code"]));
  leave.addEventListener("click", () => act(["leave"]));

  return {
    update(given, trigger) {
      data = given;
      send = trigger;
      dress(root, tokens);
      root.classList.toggle("large", data.large);
      const last = data.minutes.length;
      line.setAttribute("aria-label", `Stop ${data.number} of ${last}, by minutes`);
      line.replaceChildren(
        ...data.minutes.map((minutes, place) =>
          element("i", {
            style: `flex:${minutes}`,
            class: place + 1 < data.number ? "done" : place + 1 === data.number ? "now" : "",
          }),
        ),
      );
      position.textContent = `${data.number} of ${last}`;
      state.textContent = data.state;
      const minutes = data.minutes[data.number - 1];
      title.replaceChildren(...spanNodes(data.title), ` · ${minutes} min`);
      question.replaceChildren(...spanNodes(data.question));
      show.hidden = !data.guess;
      reveal(data.revealed);
      home.hidden = !data.away;
      back.disabled = data.number === 1;
      const ends = data.number === last;
      next.textContent = ends ? "Finish" : "›";
      next.classList.toggle("ends", ends);
      for (const name of ["aria-label", "title"]) next.setAttribute(name, ends ? "Finish" : "Next");
      const guess = data.guess ? "Guess first, " : "";
      description.textContent = `Stop ${data.number} of ${last}. ${guess}${minutes} ${minutes === 1 ? "minute" : "minutes"}.`;
      if (previous && previous !== moment()) question.focus({ preventScroll: true });
      previous = moment();
      root.dataset.ready = "";
    },
    close() {
      stop.abort();
      document.documentElement.classList.remove("lesson-controls");
      root.remove();
    },
  };
}
