/**
 * One cell a head: its number, its state, which head is shown and which are ablated. Arrow keys move between cells, a
 * click or Enter sends the head's name. A wide screen has layers from left to right if there are more than twelve.
 */

import { css, dress, inkOn, rampAt } from "../lib/colour.js";
import { fitting } from "../lib/fitting.js";
import { gridMove } from "../lib/keyboard.js";
import { element, refill } from "../lib/spans.js";

const NARROW = 640; // px of a phone
const MANY_LAYERS = 12;
const FILLED = "muf";
const LOWEST_SHADE = 0.12; // a filled cell differs from an empty one

/**
 * @typedef {{layers: number, heads: number, group: number, states: string, texts: Object<string, string>,
 *   shades: Object<string, number>, names: Object<string, string>, head: string | null, ablated: string[],
 *   label: string, pinned?: string[], details?: string[]}} HeadsData `pinned` heads are marked as the shown one is, and a
 *   click unpins them; `details` are said of cells instead of their texts
 */

/** The name of a head by its position. @param {number} index @param {number} heads of a layer */
export const nameOf = (index, heads) => `L${Math.floor(index / heads)}H${index % heads}`;

/** The words of a cell for a screen reader. @param {HeadsData} data @param {number} index */
export function labelOf(data, index) {
  const name = nameOf(index, data.heads);
  const [layer, head] = [Math.floor(index / data.heads), index % data.heads];
  const number = data.details?.[index] ?? data.texts[index] ?? "";
  const off = data.ablated.includes(name) ? ", ablated" : "";
  const pinned = data.pinned?.includes(name) ? ", pinned" : "";
  return `Layer ${layer}, head ${head}: ${number}${number && ", "}${data.names[data.states[index]]}${off}${pinned}`;
}

/** The states that occur, in the order of the legend, each with an example. @param {HeadsData} data */
export function legendOf(data) {
  return ["m", "u", "f", "e", "r", ".", "?"]
    .filter((state) => data.states.includes(state))
    .map((state) => {
      const strongest = [...data.states].reduce((best, other, index) => {
        if (other !== state) return best;
        return best === null || (data.shades[index] ?? 0) > (data.shades[best] ?? 0) ? index : best;
      }, /** @type {number | null} */ (null));
      return { state, index: /** @type {number} */ (strongest), text: data.names[state] };
    });
}

/** Mounts a grid into a place. @param {Element} parent */
export default function heads(parent, tokens) {
  const root = parent.appendChild(element("div.parallax.heads"));
  const abort = new AbortController();
  /** @type {HeadsData | null} */
  let data = null;
  /** @type {Tell} */
  let send = () => {};
  let reached = 0; // the cell that the Tab key reaches

  const across = () => data.layers > MANY_LAYERS && root.clientWidth > NARROW;

  function draw() {
    if (!data) return;
    const colours = dress(root, tokens);
    const focused = root.contains(root.getRootNode().activeElement ?? null);
    const sideways = across();
    const [rows, columns] = sideways ? [data.heads, data.layers] : [data.layers, data.heads];
    const grid = element("div.cells", { role: "grid", "aria-label": data.label });
    grid.style.gridTemplateColumns = `var(--names) repeat(${columns}, minmax(0, 1fr))`;
    grid.classList.toggle("sideways", sideways);
    const head = element("div.line", { role: "row" }, element("span.name"));
    for (let c = 0; c < columns; c++) head.append(named("columnheader", sideways ? `${c}` : `H${c}`, !sideways && c));
    grid.append(head);
    for (let r = 0; r < rows; r++) {
      const line = element(
        "div.line",
        { role: "row" },
        named("rowheader", sideways ? `H${r}` : `L${r}`, sideways && r),
      );
      for (let c = 0; c < columns; c++) line.append(cell(sideways ? c * data.heads + r : r * data.heads + c, colours));
      grid.append(line);
    }
    refill(root, grid, legend(colours));
    if (focused) cellAt(reached)?.focus();
    root.setAttribute("data-ready", "");
  }

  function named(role, text, position) {
    return element(
      "span.name",
      { role, class: position && position % data.group === 0 && data.group > 1 ? "gap" : "" },
      text,
    );
  }

  function cell(index, colours) {
    const name = nameOf(index, data.heads);
    const off = data.ablated.includes(name);
    const gap = data.group > 1 && index % data.heads && (index % data.heads) % data.group === 0;
    const button = sample(index, colours, off ? "off" : (data.texts[index] ?? ""));
    button.setAttribute("aria-label", labelOf(data, index));
    const pinned = Boolean(data.pinned?.includes(name));
    button.setAttribute("aria-selected", String(data.pinned ? pinned : off));
    button.setAttribute("role", "gridcell");
    button.dataset.index = String(index);
    button.title = labelOf(data, index);
    button.tabIndex = index === reached ? 0 : -1;
    button.classList.toggle("off", off);
    button.classList.toggle("shown", pinned || name === data.head);
    button.classList.toggle("gap", Boolean(gap));
    return button;
  }

  /** A cell as it looks, in the grid or in the legend. */
  function sample(index, colours, text) {
    const state = data.states[index];
    const node = element(
      "button.cell",
      { class: `state-${state === "." ? "within" : state === "?" ? "unmeasured" : state}` },
      text,
    );
    if (FILLED.includes(state)) {
      const colour = rampAt(colours.carried, LOWEST_SHADE + (1 - LOWEST_SHADE) * (data.shades[index] ?? 0));
      node.style.background = css(colour);
      node.style.color = inkOn(colour, colours.number_on_light, colours.number_on_dark);
    }
    return node;
  }

  function legend(colours) {
    return element(
      "div.legend",
      ...legendOf(data).map(({ index, text }) => {
        const example = sample(index, colours, data.texts[index] ?? "");
        const mark = element("span.cell", { class: example.className, "aria-hidden": "true" }, example.textContent);
        mark.style.cssText = example.style.cssText;
        return element("span.entry", mark, text);
      }),
    );
  }

  const cellAt = (index) => /** @type {HTMLElement | null} */ (root.querySelector(`.cells [data-index="${index}"]`));

  root.addEventListener("click", (event) => {
    const target = /** @type {HTMLElement} */ (event.target).closest("[data-index]");
    if (!(target instanceof HTMLElement)) return;
    reach(Number(target.dataset.index));
    send("head", nameOf(reached, data.heads));
  });
  root.addEventListener("keydown", (event) => {
    const target = /** @type {HTMLElement} */ (event.target).closest("[data-index]");
    if (!target || event.altKey || event.metaKey) return;
    const turned = { ArrowLeft: "ArrowUp", ArrowRight: "ArrowDown", ArrowUp: "ArrowLeft", ArrowDown: "ArrowRight" };
    const key = across() ? (turned[event.key] ?? event.key) : event.key;
    const next = gridMove(key, event.ctrlKey, reached, data.layers, data.heads);
    if (next === null) return;
    event.preventDefault();
    reach(next);
    cellAt(reached)?.focus();
  });

  function reach(index) {
    cellAt(reached)?.setAttribute("tabindex", "-1");
    reached = index;
    cellAt(reached)?.setAttribute("tabindex", "0");
  }

  fitting(root, [], abort.signal, { resized: draw, ready: draw });
  return {
    /** @param {HeadsData} next @param {Tell} setTriggerValue */
    update(next, setTriggerValue) {
      [data, send] = [next, setTriggerValue];
      reached = Math.min(reached, data.layers * data.heads - 1);
      draw();
    },
    close() {
      abort.abort();
      root.remove();
    },
  };
}
