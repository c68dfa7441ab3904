/** The component "pinned heads": what Streamlit calls on every update, and everything that listens. */

import { dress } from "../lib/colour.js";
import { openEnvelope } from "../lib/envelope.js";
import { fitting } from "../lib/fitting.js";
import { heatmapView } from "./heatmap.js";
import { rowMove } from "../lib/keyboard.js";
import { NARROW } from "../lib/layout.js";
import { linesView } from "./lines.js";
import { numbersTable } from "./numbers.js";
import { element, percentText, spanNodes } from "../lib/spans.js";

const ONE_COLUMN = 900; // a component this wide or less stacks its heads
const GAP = 56;
const VIEWS = { heatmaps: "Heatmaps", lines: "Lines", numbers: "Numbers" };

export default function createPinned(parent, tokens) {
  const root = element("div", { class: "parallax pinned-heads" });
  const title = element("h2");
  const choice = element("div", { class: "choice", role: "group", "aria-label": "view" });
  const about = element("p", { class: "about" });
  const list = element("div", { class: "heads" });
  const tip = element("div", { class: "cell-tip", "aria-hidden": "true", hidden: "" });
  root.append(element("div", { class: "title-row" }, title, choice), about, list, tip);
  parent.append(root);
  for (const [name, text] of Object.entries(VIEWS)) choice.append(element("button", { type: "button", "data-view": name }, text));

  let spec = null;
  let heads = []; // {info, parts, picture}
  let colours = null;
  let view = null; // what is drawn now
  let given = null; // what the server last asked for
  let trigger = () => {};
  let width = 0;
  let lit = { q: null, k: null };

  const narrow = () => width <= NARROW;
  const columnWidth = () => (heads.length > 1 && width > ONE_COLUMN ? Math.floor((width - GAP) / 2) : width);

  function headNode(info, number) {
    const button = (action, text) => element("button", { type: "button", class: "quiet-button", "data-action": action, "data-name": info.name, "aria-label": `${text}: ${info.name}` }, text);
    const badge = info.badge ? [element("span", { class: "badge" }, info.badge)] : [];
    const steps = spec.show_steps ? [button("steps", "Show steps")] : [];
    const actions = element("span", { class: "actions" }, ...steps, info.only ? button("all_back", "All back") : button("only", "Only this head"), button("unpin", "Unpin"));
    const body = element("div", { class: "body" });
    const line = element("div", { class: "head-line" }, element("span", { class: "disc" }, String(number)), element("span", { class: "head-name" }, info.name), ...badge, actions);
    const node = element("section", { "aria-label": `head ${info.name}` }, line, body, element("p", { class: "caption" }, ...spanNodes(info.caption)));
    return { node, body };
  }

  /** Draws everything anew; what had the focus is found again by what it does. */
  function drawAll() {
    if (!spec || !width) return;
    const focus = focusMark(root.getRootNode().activeElement);
    root.classList.toggle("narrow", narrow());
    root.classList.toggle("large", spec.large);
    root.classList.toggle("two", heads.length > 1 && width > ONE_COLUMN);
    title.textContent = spec.title;
    about.replaceChildren(...spanNodes(spec.about[view]));
    for (const button of choice.children) button.setAttribute("aria-pressed", button.dataset.view === view);
    list.replaceChildren();
    heads.forEach((head, i) => {
      const { node, body } = headNode(head.info, i + 1);
      list.append(node);
      head.picture = null;
      if (view === "numbers") body.append(element("div", { class: "scroller", tabindex: "0" }, numbersTable(spec, head, head.info.name)));
      else head.picture = (view === "lines" ? linesView : heatmapView)(body, head, head.info.label);
      head.picture?.draw(spec, colours, columnWidth(), narrow(), spec.lock);
    });
    light(lit, null);
    if (focus) root.querySelector(focus)?.focus();
  }

  /** Lights the same row, column or word in all heads. */
  function light(next, event) {
    const changed = next.q !== lit.q || next.k !== lit.k;
    lit = next;
    for (const { picture } of heads) {
      if (view === "heatmaps") picture?.light(lit);
      else if (view === "lines" && changed) picture?.draw(spec, colours, columnWidth(), narrow(), lit.k ?? lit.q ?? spec.lock);
    }
    const inCell = view === "heatmaps" && event && lit.q !== null && lit.k !== null && !event.target.closest("[data-key],[data-query]");
    tip.hidden = !inCell || (spec.causal && lit.k > lit.q);
    if (!tip.hidden) showTip(event);
  }

  function showTip(event) {
    const head = heads.find(({ picture }) => picture.node.contains(event.target));
    const whole = Math.round(head.picture.weight(lit.q, lit.k) * 100);
    tip.replaceChildren(...spanNodes([["word", spec.queries[lit.q]], ["plain", " looks at "], ["word", spec.keys[lit.k]], ["plain", `, ${percentText(whole)}`]]));
    const box = root.getBoundingClientRect();
    tip.style.top = `${event.clientY - box.top + 18}px`;
    tip.style.left = `${Math.max(0, Math.min(event.clientX - box.left + 12, width - tip.offsetWidth))}px`;
  }

  /** What an event points at: a word lights its row and its column, a cell its own. */
  function target(event) {
    const word = event.target.closest?.("[data-key],[data-query]");
    if (word) {
      const at = Number(word.dataset.key ?? word.dataset.query);
      if (spec.same_words) return { q: at, k: at };
      return { q: word.dataset.query === undefined ? null : at, k: word.dataset.key === undefined ? null : at };
    }
    const head = heads.find(({ picture }) => view === "heatmaps" && picture?.node.contains(event.target) && event.target.tagName === "CANVAS");
    return head?.picture.at(event) ?? { q: null, k: null };
  }

  function lock(position) {
    trigger("lock", { position: position === spec.lock ? null : position * spec.steps[1] });
  }

  function onClick(event) {
    const action = event.target.closest("[data-action]");
    const choose = event.target.closest("[data-view]");
    if (action) return trigger(action.dataset.action, { head: action.dataset.name });
    if (choose) {
      view = choose.dataset.view;
      lit = { q: null, k: null };
      drawAll();
      return trigger("view", { name: view });
    }
    const { k } = target(event);
    if (k !== null) lock(k);
    return undefined;
  }

  function onKey(event) {
    const word = event.target.closest?.("[data-key]");
    if (!word || event.altKey || event.metaKey || event.ctrlKey) return;
    const words = [...word.parentElement.querySelectorAll("[data-key]")];
    const next = rowMove(event.key, words.indexOf(word), words.length);
    if (event.key === "Enter" || event.key === " ") lock(Number(word.dataset.key));
    else if (next === null) return;
    else {
      for (const other of words) other.tabIndex = -1;
      words[next].tabIndex = 0;
      words[next].focus();
    }
    event.preventDefault();
  }

  const stop = new AbortController();
  const listen = (name, handler) => root.addEventListener(name, handler, { signal: stop.signal });
  listen("pointermove", (event) => event.pointerType === "mouse" && light(target(event), event));
  listen("pointerleave", () => light({ q: null, k: null }, null));
  listen("focusin", (event) => event.target.matches("[data-key]:focus-visible") && light(target(event), null));
  listen("focusout", () => light({ q: null, k: null }, null));
  listen("click", onClick);
  listen("keydown", onKey);
  fitting(root, ['400 14px "Source Code Pro"', '400 16px "Source Sans"', '600 16px "Source Sans"'], stop.signal, {
    resized(next) {
      width = next;
      drawAll();
    },
    refit(next) {
      [width, colours] = [next, dress(root, tokens)];
      drawAll();
    },
    ready() {
      drawAll();
      root.dataset.ready = "";
    },
  });

  return {
    update(data, setTriggerValue) {
      const opened = openEnvelope(data);
      spec = opened.header;
      if (spec.view !== given) view = given = spec.view;
      trigger = setTriggerValue;
      colours = dress(root, tokens);
      width = Math.floor(root.clientWidth) || width;
      heads = spec.heads.map((info, i) => ({ info, ...headArrays(opened.arrays, i) }));
      lit = { q: null, k: null };
      drawAll();
    },
    close() {
      stop.abort();
      root.remove();
    },
  };
}

/** The weights of one pinned head, and what was set aside of each row (null when nothing was). */
export function headArrays(arrays, index) {
  const [, rows, columns] = arrays.weights.shape;
  const weights = arrays.weights.data.subarray(index * rows * columns, (index + 1) * rows * columns);
  const mass = arrays.mass ? arrays.mass.data.subarray(index * rows, (index + 1) * rows) : null;
  return { weights, mass, rows, columns };
}

/** A selector that finds the same control after everything was drawn anew. */
export function focusMark(node) {
  if (!node?.dataset) return null;
  const { action, name, view, key } = node.dataset;
  if (action) return action === "unpin" ? '[data-action="unpin"]' : `[data-action][data-name="${name}"]`;
  if (view) return `[data-view="${view}"]`;
  return key === undefined ? null : `[data-key="${key}"]`;
}
