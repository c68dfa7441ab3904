/**
 * The pinned heads as large maps. A click sends "head" (unpin), "ablate", "word" with a position and a direction, or
 * "cell" with a head and two positions.
 */

import { disc } from "./sentence.js";
import { pointing } from "./spec.js";
import { partOf } from "../lib/envelope.js";
import { cellNumbers, heatmapView } from "./heatmap.js";
import { gridMove, reachWord, rowMove } from "../lib/keyboard.js";
import { masked } from "../lib/map.js";
import { element, filledText, percentText, spanNodes } from "../lib/spans.js";
import { viewOf } from "../lib/view.js";

const ONE_COLUMN = 900; // a component this wide or less stacks its heads
const GAP = 40;

export default function createPinned(parent, tokens) {
  const root = element("div.parallax.pinned-heads");
  const title = element("h2");
  const about = element("p.about");
  const list = element("div.heads");
  root.append(title, about, list);

  let spec = null;
  let given = null; // the data that heads are of
  let heads = []; // {info, parts, picture}
  let lit = { q: null, k: null };
  let read = null; // the head whose cell is read: its place, or null

  const fonts = ['400 14px "Source Code Pro"', '400 16px "Source Sans"', '600 16px "Source Sans"'];
  const view = viewOf(parent, root, tokens, draw, { fonts });
  const { listen, narrow, send } = view;
  const columnWidth = () =>
    heads.length > 1 && view.width > ONE_COLUMN ? Math.floor((view.width - GAP) / 2) : view.width;

  function headNode(info, number) {
    const button = (action, text) =>
      element(
        "button.quiet-button",
        { "data-action": action, "data-name": info.name, "aria-label": `${text}: ${info.name}` },
        text,
      );
    const badge = [info.ablated && "ablated", info.badge].filter(Boolean).map((text) => element("span.badge", text));
    const ablate = spec.ablates ? button("ablate", info.ablated ? "Restore" : "Ablate") : "";
    const actions = element("span.actions", ablate, button("head", "Unpin"));
    const body = element("div.body");
    const line = element(
      "div.head-line",
      disc({ number, side: info.side }),
      element("span.head-name", info.name),
      ...badge,
      actions,
    );
    const node = element(
      "section",
      { "aria-label": `head ${info.name}` },
      line,
      body,
      element("p.caption", ...spanNodes(info.caption)),
    );
    const said = element("p.read", { "aria-live": "polite" });
    node.append(said);
    return { node, body, said };
  }

  /** Draws everything anew; what had the focus is found again by what it does. */
  function draw(data, colours) {
    if (data !== given) {
      given = data;
      spec = data.header;
      heads = spec.heads.map((info, i) => ({ info, ...headArrays(data.arrays, i) }));
      lit = { q: null, k: null };
    }
    const had = root.getRootNode().activeElement;
    const [shown, on] = [lit, read]; // what loses the focus forgets them
    const [focus, place] = [focusMark(had), [...list.children].findIndex((node) => node.contains(had))];
    root.classList.toggle("large", spec.large);
    root.classList.toggle("two", heads.length > 1 && view.width > ONE_COLUMN);
    title.textContent = spec.title;
    about.replaceChildren(...spanNodes(pointing(spec.about, narrow())));
    list.replaceChildren();
    heads.forEach((head, i) => {
      const { node, body, said } = headNode(head.info, i + 1);
      list.append(node);
      head.said = said;
      head.picture = heatmapView(body, head, head.info.label);
      head.picture.draw(spec, colours, columnWidth(), narrow());
    });
    light(shown, null, on ?? -1);
    if (focus) (list.children[place]?.querySelector(focus) ?? root.querySelector(focus))?.focus();
  }

  /** The head whose map an event is on, by its place; -1 where it is on none, or on a word. */
  const headUnder = (event) =>
    event && !event.target.closest("[data-key],[data-query]")
      ? heads.findIndex(({ picture }) => picture?.node.contains(event.target))
      : -1;

  /** Lights the same row, column or word in all heads; the cell is read in one of them. */
  function light(next, event, on = headUnder(event)) {
    lit = next;
    for (const { picture } of heads) picture?.light(lit);
    const cell = lit.q !== null && lit.k !== null && !masked(spec.causal)(lit.q, lit.k);
    read = cell && on >= 0 ? on : null;
    heads.forEach(readCell);
  }

  /** The share of the cell that is pointed at, under its map. */
  function readCell(head, place) {
    if (!head.said) return;
    head.said.classList.toggle("told", place === read);
    head.said.replaceChildren(...(place === read ? spanNodes(cellSpans(head)) : []));
  }

  /** Both words of the cell that is read, and its share. @returns {Span[]} */
  function cellSpans({ weights, mass, columns }) {
    const { share, excluded } = cellNumbers(weights[lit.q * columns + lit.k], mass, lit.q);
    const rest = excluded === null ? "" : `; ${percentText(excluded)} of the row is excluded`;
    const isSelf = spec.same_words && lit.q === lit.k;
    return [
      ["word", spec.queries[lit.q]],
      ["plain", " → "],
      isSelf ? ["plain", "itself"] : ["word", spec.keys[lit.k]],
      ["plain", `: ${filledText(spec.say.share, { share: percentText(share) })}${rest}.`],
    ];
  }

  /** What an event points at: a word lights its row and its column, a cell its own. */
  function target(event) {
    const word = event.target.closest?.("[data-key],[data-query]");
    if (word) {
      const at = Number(word.dataset.key ?? word.dataset.query);
      if (spec.same_words) return { q: at, k: at };
      return { q: word.dataset.query === undefined ? null : at, k: word.dataset.key === undefined ? null : at };
    }
    return headOf(event.target)?.picture.at(event) ?? { q: null, k: null };
  }

  /** Frames the row or the column of a word; once more, none. */
  function lock({ key, query }) {
    const [at, step, way] =
      key === undefined ? [Number(query), spec.steps[0], "from"] : [Number(key), spec.steps[1], "at"];
    const again = at === spec.lock && spec.look === way;
    send("word", { position: again ? null : at * step, look: way });
  }

  /** Opens a cell, unless the mask hides it; says whether it was one. */
  function openCell(head, { q, k }) {
    if (!spec.cells || !head || q === null || k === null || masked(spec.causal)(q, k)) return false;
    send("cell", { head: head.info.name, query: q * spec.steps[0], key: k * spec.steps[1] });
    return true;
  }

  const headOf = (node) => heads.find(({ picture }) => node.tagName === "CANVAS" && picture?.node.contains(node));

  function onClick(event) {
    const action = event.target.closest("[data-action]");
    const word = event.target.closest("[data-key],[data-query]");
    if (action) return send(action.dataset.action, { head: action.dataset.name });
    if (word && spec.same_words) return lock(word.dataset);
    const at = target(event);
    const again =
      event.pointerType === "mouse" ||
      (read !== null && heads[read] === headOf(event.target) && at.q === lit.q && at.k === lit.k);
    if (again && openCell(headOf(event.target), at)) return undefined;
    return light(at, event); // a tap reads a cell, as pointing does; one more opens it
  }

  function onKey(event) {
    if (event.altKey || event.metaKey || event.ctrlKey) return;
    const word = event.target.closest?.("[data-key],[data-query]");
    const head = headOf(event.target);
    if (head && event.key === "Enter") {
      if (!openCell(head, lit)) return;
    } else if (head) {
      const { rows, columns } = head;
      const isLit = lit.q !== null && lit.k !== null;
      const next = gridMove(event.key, false, isLit ? lit.q * columns + lit.k : 0, rows, columns);
      if (next === null) return;
      light(isLit ? { q: Math.floor(next / columns), k: next % columns } : { q: 0, k: 0 }, event);
    } else if (word) {
      const kind = word.dataset.key === undefined ? "[data-query]" : "[data-key]";
      const words = [...word.parentElement.querySelectorAll(kind)];
      const next = rowMove(event.key, words.indexOf(word), words.length);
      if (!spec.same_words) return;
      if (event.key === "Enter" || event.key === " ") lock(word.dataset);
      else if (next === null) return;
      else reachWord(words, next);
    } else return;
    event.preventDefault();
  }

  listen("pointermove", (event) => event.pointerType === "mouse" && light(target(event), event));
  // A finger leaves with every tap, before its click.
  listen("pointerleave", (event) => event.pointerType === "mouse" && light({ q: null, k: null }, null));
  listen(
    "focusin",
    (event) =>
      event.target.matches("[data-key]:focus-visible,[data-query]:focus-visible") && light(target(event), null),
  );
  listen("focusout", () => light({ q: null, k: null }, null));
  listen("click", onClick);
  listen("keydown", onKey);

  return view;
}

/** The weights of one pinned head, and what was set aside of each row (null when nothing was). */
export function headArrays(arrays, index) {
  const [, rows, columns] = arrays.weights.shape;
  const weights = partOf(arrays.weights, index, 2);
  const mass = arrays.mass ? partOf(arrays.mass, index, 1) : null;
  return { weights, mass, rows, columns };
}

/** A selector that finds the same control after everything was drawn anew. */
export function focusMark(node) {
  if (!node?.dataset) return null;
  const { action, name, key, query } = node.dataset;
  if (node.localName === "canvas") return "canvas";
  if (action === "head") return '[data-action="head"]';
  if (action) return `[data-action="${action}"][data-name="${name}"]`;
  if (query !== undefined) return `[data-query="${query}"]`;
  return key === undefined ? null : `[data-key="${key}"]`;
}
