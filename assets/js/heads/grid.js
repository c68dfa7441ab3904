/** All heads as thumbnails: layers down, heads across; of many layers, layers across. */

import { box, rampBar, sample } from "../lib/chart.js";
import { css, rampAt } from "../lib/colour.js";
import { partOf, weightOf } from "../lib/envelope.js";
import { headRows, nthHead, oneReached } from "../lib/grid.js";
import { headLabel, sideOf } from "./spec.js";
import { element, refill } from "../lib/spans.js";

const MANY_LAYERS = 12; // of more, layers run from left to right

export function gridView(parent) {
  const grid = element("div.grid", { role: "grid" });
  const wrap = element("div.gridwrap", grid);
  parent.append(wrap);
  let cells = [];
  let shape = "";
  let tab = null; // which of them the Tab key reaches
  let turned = false; // whether layers run from left to right

  function build(layers, heads, narrow, groups) {
    const had = cells.indexOf(grid.getRootNode().activeElement);
    turned = layers > MANY_LAYERS;
    cells = new Array(layers * heads);
    const group = groups ? heads / groups : 1;
    const rows = headRows({ layers, heads, narrow, sideways: turned, group }, (layer, head) => {
      const index = layer * heads + head;
      return (cells[index] = thumbnail(index));
    });
    grid.classList.toggle("turned", turned);
    refill(grid, ...rows);
    tab = oneReached(cells, tab?.now);
    if (had >= 0) cells[Math.min(had, cells.length - 1)].focus();
  }

  return {
    wrap,
    get cells() {
      return cells;
    },
    /** Whether layers run from left to right. */
    get turned() {
      return turned;
    },
    /** The number of the head under an event, or -1. @param {EventTarget} target */
    headAt(target) {
      const cell = target instanceof Element ? /** @type {HTMLElement} */ (target.closest("[data-head]")) : null;
      return cell ? Number(cell.dataset.head) : -1;
    },
    shape(header, narrow) {
      const next = `${header.layers}x${header.heads}:${narrow}:${header.groups ?? ""}`;
      if (next !== shape) build(header.layers, header.heads, narrow, header.groups);
      shape = next;
      return cells.length;
    },
    place({ labels, pitch, side, scrolls }) {
      wrap.classList.toggle("scrolls", scrolls);
      grid.style.setProperty("--side", `${side}px`);
      grid.style.setProperty("--pitch", `${pitch}px`);
      grid.style.setProperty("--labels", `${labels}px`);
    },
    paint(header, arrays, colours) {
      const lookup = colourTable(colours.ramp);
      const [, , rows, columns] = arrays.maps.shape;
      cells.forEach((cell, i) => {
        const pixels = cellPixels(partOf(arrays.maps, i, 2), rows, columns, header.causal, lookup);
        const canvas = cell.querySelector("canvas");
        [canvas.width, canvas.height] = [columns, rows];
        canvas.getContext("2d").putImageData(new ImageData(pixels, columns, rows), 0, 0);
      });
    },
    /** Everything that is not the picture: pins, shares, names. */
    mark(header) {
      grid.setAttribute(
        "aria-label",
        `${cells.length} attention heads of ${header.model || "the model"}, ${header.layers} layers by ${header.heads} heads`,
      );
      cells.forEach((cell, i) => {
        const pin = header.pins.indexOf(nthHead(i, header.heads));
        cell.classList.toggle("pinned", pin >= 0);
        cell.classList.toggle("masked", header.causal);
        cell.setAttribute("aria-label", headLabel(header, i));
        cell.title = headLabel(header, i);
        cell.setAttribute("aria-selected", pin >= 0);
        const side = pin >= 0 ? sideOf(header, i) : "";
        cell.classList.toggle("of-a", side === "a");
        cell.classList.toggle("of-b", side === "b");
        cell.querySelector(".pin-number").textContent = side ? side.toUpperCase() : pin >= 0 ? String(pin + 1) : "";
        cell.querySelector(".mass i").style.width = `${header.share[i]}%`;
        cell.classList.toggle("ablated", header.ablated.includes(nthHead(i, header.heads)));
      });
    },
    point(index) {
      cells.forEach((cell, i) => cell.classList.toggle("pointed", i === index));
    },
    /** Makes a head the one that Tab reaches, and gives it the focus if asked. */
    reach: (index, focus) => tab.reach(index, focus),
  };
}

function thumbnail(index) {
  const canvas = element("canvas", { width: 1, height: 1 });
  const mass = element("span.mass", element("i"));
  const attributes = { role: "gridcell", "data-head": index, "aria-keyshortcuts": "Enter" };
  return element("button.head", attributes, element("span.frame", canvas), mass, element("span.pin-number"));
}

/** The colour of each of the 256 bytes, as r, g, b. */
export function colourTable(ramp) {
  return Array.from({ length: 256 }, (_, root) => rampAt(ramp, weightOf(root)));
}

/** The pixels of one head, r g b a; cells that the mask hides stay transparent, so that the hatch behind them shows. */
export function cellPixels(cells, rows, columns, causal, lookup) {
  const pixels = new Uint8ClampedArray(4 * rows * columns);
  for (let r = 0; r < rows; r++)
    for (let c = 0; c < columns; c++)
      if (!causal || c <= r) pixels.set([...lookup[cells[r * columns + c]], 255], 4 * (r * columns + c));
  return pixels;
}

const KEY = [2, 5, 1, 6, 2, 3, 1, 3, 8]; // steps of the ramp in the little map of the key

/**
 * The key of small maps as a picture: rows look at columns, less and more, what the grey bar is, and what a sink.
 * @param {{share_legend?: string, sink?: string | null}} say @param {boolean} ablated whether a head is
 */
export function legend(colours, say, ablated) {
  const { share_legend = "", sink = null } = say;
  const cells = KEY.map((step, i) =>
    box(10 * (i % 3), 10 * Math.floor(i / 3), 9.5, 9.5, css(rampAt(colours.ramp, step / 9))),
  );
  const map = element(
    "span.map-key",
    { role: "img", "aria-label": "rows look at columns" },
    element("span.to", "to →"),
    element("span.from", "from"),
    sample(30, 30, cells),
  );
  const parts = [map, element("span.scale", "less", rampBar(colours.ramp), "more attention")];
  if (share_legend) parts.push(element("span", { title: sink }, element("i.share-key"), share_legend));
  if (ablated) parts.push(element("span", element("i.ablated-key"), "ablated"));
  return parts;
}
