/**
 * One cell a head: its number, its state, which head is shown and which are ablated. Arrow keys move between cells, a
 * click or Enter sends the head's name. A wide screen has layers from left to right if there are more than twelve.
 */

import { rampAt } from "../lib/colour.js";
import { gridMove } from "../lib/keyboard.js";
import { LAYER_SELECTED, isSideways } from "../lib/layers.js";
import { tint } from "../lib/sentence.js";
import { element, refill } from "../lib/spans.js";
import { viewOf } from "../lib/view.js";

const RAMPS = { less: "carried", changes: "carried", more: "ramp", to_a: "a", to_b: "b" }; // of filled states
const LOWEST_SHADE = 0.12; // a filled cell differs from an empty one
const STATES = /** @type {CellState[]} */ (
  "less more changes to_a to_b outlined within scored cannot unmeasured".split(" ")
); // as in the legend

/**
 * @typedef {"less" | "more" | "changes" | "to_a" | "to_b" | "outlined" | "within" | "scored" | "cannot" | "unmeasured"} CellState
 * @typedef {{layers: number, heads: number, group: number, states: CellState[], texts: string[],
 *   shades: Object<string, number>, legend: Object<string, string>, details: string[], special: string[],
 *   special_text: string, shown: string | null, ablated: string[], pinned: string[] | null, label: string,
 *   marked_layers: number[], layer_names?: string[]}} HeadsData
 *   `details` are said of cells; `special` heads are framed; `pinned` heads are marked as the shown one is, and a click
 *   unpins them
 */

/** The name of a layer. @param {HeadsData} data @param {number} layer */
const layerOf = (data, layer) => data.layer_names?.[layer] ?? `L${layer}`;

/** The name of a head by its position. @param {HeadsData} data @param {number} index */
export const nameOf = (data, index) => `${layerOf(data, Math.floor(index / data.heads))}H${index % data.heads}`;

/** The words of a cell for a screen reader. @param {HeadsData} data @param {number} index */
export function labelOf(data, index) {
  const name = nameOf(data, index);
  const [layer, head] = [Math.floor(index / data.heads), index % data.heads];
  const parts = [
    data.details[index],
    data.special.includes(name) && data.special_text,
    data.legend[data.states[index]],
    data.ablated.includes(name) && "ablated",
    data.pinned?.includes(name) && "pinned",
  ];
  const place = data.layer_names?.length ? name : `Layer ${layer}, head ${head}`;
  return `${place}: ${parts.filter(Boolean).join(", ")}`;
}

/** The states that occur, in the order of the legend, each with its strongest example. @param {HeadsData} data */
export function legendOf(data) {
  const shade = (index) => data.shades[index] ?? 0;
  return STATES.filter((state) => data.states.includes(state)).map((state) => {
    const indices = data.states.flatMap((other, index) => (other === state ? [index] : []));
    const index = indices.reduce((best, other) => (shade(other) > shade(best) ? other : best));
    return { state, index, text: data.legend[state] };
  });
}

/** The ramp of a filled state, from the page to its ink. Those of two readings are the halves of the ramp of leans. */
export function rampOf(state, colours) {
  const name = RAMPS[state];
  const middle = (colours.lean.length - 1) / 2;
  if (name === "a") return colours.lean.slice(middle);
  return name === "b" ? colours.lean.slice(0, middle + 1).reverse() : colours[name];
}

/** Mounts a grid into a place. @param {Element} parent */
export default function heads(parent, tokens) {
  const root = element("div.parallax.heads");
  /** @type {HeadsData | null} */
  let data = null;
  let reached = 0; // the cell that the Tab key reaches
  let column = /** @type {number | null} */ (null); // the layer that is selected in the rank line

  const across = () => isSideways(data.layers, root.clientWidth);

  function draw(/** @type {HeadsData} */ next, colours) {
    data = next;
    reached = Math.min(reached, data.layers * data.heads - 1);
    const focused = root.contains(root.getRootNode().activeElement ?? null);
    const sideways = across();
    const [rows, columns] = sideways ? [data.heads, data.layers] : [data.layers, data.heads];
    const grid = element("div.cells", { role: "grid", "aria-label": data.label });
    grid.style.gridTemplateColumns = `var(--names) repeat(${columns}, minmax(0, 1fr))`;
    grid.classList.toggle("sideways", sideways);
    const head = element("div.line", { role: "row" }, element("span.name", sideways ? "layer" : ""));
    for (let c = 0; c < columns; c++) head.append(named("columnheader", sideways ? `${c}` : `H${c}`, c, sideways));
    grid.append(head);
    for (let r = 0; r < rows; r++) {
      const line = element(
        "div.line",
        { role: "row" },
        named("rowheader", sideways ? `H${r}` : layerOf(data, r), r, !sideways),
      );
      for (let c = 0; c < columns; c++) line.append(cell(sideways ? c * data.heads + r : r * data.heads + c, colours));
      grid.append(line);
    }
    refill(root, grid, legend(colours));
    if (focused) cellAt(reached)?.focus();
  }

  /** The name of a layer or of a head. */
  function named(role, text, position, isLayer) {
    const node = element("span.name", { role }, text);
    node.classList.toggle("gap", !isLayer && begins(position));
    node.classList.toggle("selected", isLayer && (position === column || data.marked_layers.includes(position)));
    return node;
  }

  /** Whether a head begins a group that shares keys and values, other than the first. */
  const begins = (head) => data.group > 1 && head > 0 && head % data.group === 0;

  function cell(index, colours) {
    const name = nameOf(data, index);
    const off = data.ablated.includes(name);
    const button = sample("button.cell", index, colours, off ? "off" : data.texts[index]);
    button.setAttribute("aria-label", labelOf(data, index));
    const pinned = Boolean(data.pinned?.includes(name));
    button.setAttribute("aria-selected", String(data.pinned ? pinned : off));
    button.setAttribute("role", "gridcell");
    button.dataset.index = String(index);
    button.title = labelOf(data, index);
    button.tabIndex = index === reached ? 0 : -1;
    button.classList.toggle("off", off);
    button.classList.toggle("shown", pinned || name === data.shown);
    button.classList.toggle("special", data.special.includes(name));
    button.classList.toggle("gap", begins(index % data.heads));
    button.classList.toggle("selected", Math.floor(index / data.heads) === column);
    return button;
  }

  /** A cell as it looks, in the grid or in the legend. */
  function sample(name, index, colours, text) {
    const state = data.states[index];
    const node = element(name, { class: state }, text);
    const shade = LOWEST_SHADE + (1 - LOWEST_SHADE) * (data.shades[index] ?? 0);
    if (RAMPS[state]) tint(node, rampAt(rampOf(state, colours), shade), colours);
    return node;
  }

  function legend(colours) {
    const entries = legendOf(data).map(({ index, text }) => {
      const mark = sample("span.cell", index, colours, data.texts[index]);
      mark.setAttribute("aria-hidden", "true");
      return element("span.entry", mark, text);
    });
    const frame = element("span.entry", element("span.cell.special", { "aria-hidden": "true" }), data.special_text);
    return element("div.legend", ...entries, data.special.length > 0 && frame);
  }

  const cellAt = (index) => /** @type {HTMLElement | null} */ (root.querySelector(`.cells [data-index="${index}"]`));

  const view = viewOf(parent, root, tokens, draw);
  view.listen("click", ({ target }) => {
    const button = target.closest("[data-index]");
    if (!button) return;
    reach(Number(button.dataset.index));
    view.send("head", nameOf(data, reached));
  });
  view.listen("keydown", (event) => {
    if (!event.target.closest("[data-index]") || event.altKey || event.metaKey) return;
    const next = gridMove(event.key, event.ctrlKey, reached, data.layers, data.heads, across());
    if (next === null) return;
    event.preventDefault();
    reach(next);
    cellAt(reached)?.focus();
  });
  const select = ({ detail }) => {
    column = detail === column ? null : detail;
    reached = Math.min(detail, data.layers - 1) * data.heads;
    view.redraw();
  };
  view.listen(LAYER_SELECTED, select, window);

  function reach(index) {
    cellAt(reached)?.setAttribute("tabindex", "-1");
    reached = index;
    cellAt(reached)?.setAttribute("tabindex", "0");
  }

  return view;
}
