/** The component "lesson": the bar of a lesson. A presenter's remote works by Page Up and Page Down. */

import { dress } from "../lib/colour.js";
import { element, spanNodes } from "../lib/spans.js";

const FIELDS = 'input:not([type="checkbox"]):not([type="radio"]), textarea, select, [contenteditable="true"]';
const OWN_ARROWS =
  '[role="grid"], [role="slider"], [role="tablist"], [role="radiogroup"], [role="listbox"], [role="application"], [data-head], [data-at], input, canvas';
const started = new Map(); // by stop: when it was opened in this page, and how long it was paused

/** What a key does: an action, or nothing. @param {string} key @param {{guess: boolean, revealed: boolean, number: number, last: number}} at */
export function keyAction(key, { guess, revealed, number, last }) {
  if (key === "PageDown" || key === "ArrowRight") return guess && !revealed ? ["show"] : ["go", number + 1];
  if (key === "PageUp" || key === "ArrowLeft")
    return guess && revealed ? ["show"] : number > 1 ? ["go", number - 1] : null;
  if (key === "Home") return ["go", 1];
  if (key === "End") return ["go", last];
  const letter = { f: ["show"], b: ["blank"], ".": ["blank"], p: ["large"], t: ["pause"] }[key.toLowerCase()];
  return letter ?? null;
}

/** What is left of so many minutes, as a clock; beyond its end it counts on. */
export function clock(minutes, seconds) {
  const left = minutes * 60 - Math.floor(seconds);
  const size = Math.abs(left);
  return `${left < 0 ? "+" : ""}${Math.floor(size / 60)}:${String(size % 60).padStart(2, "0")}`;
}

export default function createLesson(parent, tokens) {
  const stop = new AbortController();
  const root = element("div", { class: "parallax lesson-bar", role: "region", "aria-label": "Lesson" });
  const line = element("div", { class: "line-of-stops", role: "img" });
  const at = element("b");
  const state = element("span", { class: "state" });
  const title = element("span", { class: "title" });
  const question = element("h2", { tabindex: "-1" });
  const button = (name, text, label) =>
    element("button", { type: "button", class: name, ...(label ? { "aria-label": label, title: label } : {}) }, text);
  const show = button("show", "Show findings");
  const timer = element("button", {
    type: "button",
    class: "timer",
    role: "timer",
    "aria-live": "off",
    title: "Pause the time",
  });
  const [back, next] = [button("icon", "‹", "Back"), button("icon", "›", "Next")];
  const [code, leave] = [button("icon", "▦", "Code for phones"), button("icon", "×", "Leave the lesson")];
  root.append(
    line,
    element(
      "div",
      { class: "inside" },
      element("div", { class: "where" }, at, state),
      element("div", { class: "asked" }, title, question),
      element("div", { class: "controls" }, show, timer, back, next, code, leave),
    ),
  );
  parent.append(root);
  let data = null;
  /** @type {(name: string, value: unknown) => void} */
  let send = () => {};
  let before = "";

  const moment = () => `${data.lesson}/${data.number}`;
  const seconds = () => {
    const run = started.get(moment());
    return ((run.paused ?? Date.now()) - run.since) / 1000;
  };
  function tick() {
    if (!data) return;
    const minutes = data.minutes[data.number - 1];
    timer.textContent = clock(minutes, seconds());
    timer.setAttribute("aria-label", `${timer.textContent} of ${minutes} minutes`);
    line.style.setProperty("--filled", `${Math.min(100, (100 * seconds()) / (60 * minutes))}%`);
  }
  function act(found) {
    if (!found) return;
    const [name, value] = found;
    if (name === "blank") document.documentElement.classList.toggle("lesson-blank");
    else if (name === "pause") pause();
    else if (name === "show" && !data.guess) return;
    else send(name, value ?? Date.now());
  }
  function pause() {
    const run = started.get(moment());
    if (run.paused) [run.since, run.paused] = [run.since + Date.now() - run.paused, null];
    else run.paused = Date.now();
    tick();
  }
  function pressed(event) {
    if (!data || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const path = event.composedPath().filter((node) => node instanceof Element);
    if (path.some((node) => node.matches(FIELDS)) || document.querySelector('[role="dialog"]')) return;
    if (!event.key.startsWith("Page") && path.some((node) => node.matches(OWN_ARROWS))) return;
    const found = keyAction(event.key, { ...data, last: data.minutes.length });
    if (!found) return;
    event.preventDefault();
    event.stopPropagation();
    act(found);
  }
  document.addEventListener("keydown", pressed, { signal: stop.signal, capture: true });
  show.addEventListener("click", () => act(["show"]));
  back.addEventListener("click", () => act(["go", data.number - 1]));
  next.addEventListener("click", () => act(["go", data.number + 1]));
  code.addEventListener("click", () => act(["code"]));
  leave.addEventListener("click", () => act(["leave"]));
  timer.addEventListener("click", pause);
  const ticking = setInterval(tick, 1000);

  return {
    update(given, trigger) {
      data = given;
      send = trigger;
      dress(root, tokens);
      root.classList.toggle("large", data.large);
      const last = data.minutes.length;
      if (!started.has(moment())) started.set(moment(), { since: Date.now(), paused: null });
      line.setAttribute("aria-label", `Stop ${data.number} of ${last}, by minutes`);
      line.replaceChildren(
        ...data.minutes.map((minutes, place) =>
          element("i", {
            style: `flex:${minutes}`,
            class: place + 1 < data.number ? "done" : place + 1 === data.number ? "now" : "",
          }),
        ),
      );
      at.textContent = `${data.number} of ${last}`;
      state.textContent = data.state;
      title.replaceChildren(...spanNodes(data.title));
      question.replaceChildren(...spanNodes(data.question));
      show.hidden = !data.guess;
      show.textContent = data.revealed ? "Hide findings" : "Show findings";
      show.setAttribute("aria-pressed", String(data.revealed));
      back.disabled = data.number === 1;
      next.setAttribute("aria-label", data.number === last ? "Finish" : "Next");
      if (before && before !== moment()) question.focus({ preventScroll: true });
      if (before !== moment()) document.documentElement.classList.remove("lesson-blank");
      before = moment();
      tick();
      root.dataset.ready = "";
    },
    close() {
      clearInterval(ticking);
      stop.abort();
      document.documentElement.classList.remove("lesson-blank");
      root.remove();
    },
  };
}
