/** The component "layer": the heads of one layer side by side, with one cell lit in all of them. */

import { said } from "../blocks/caption.js";
import { partOf } from "../lib/envelope.js";
import { sideways } from "../lib/keyboard.js";
import { element, filled, percentText, plainText, spanNodes } from "../lib/spans.js";
import { standing } from "../lib/standing.js";
import { legend } from "./grid.js";
import { headColours } from "./heatmap.js";
import { cellUnder, edged, FULL, inkLeft, longestLabel, masked, paintCells, placeTip, sheet } from "../lib/map.js";
import { nextCell, plan } from "./layer_plan.js";
import { pointing } from "./spec.js";

const SIZE = { narrow: 12, plain: 13, large: 17 }; // px of the words beside the maps

export default function createLayer(parent, tokens) {
  const root = element("div.parallax.layer");
  const top = element("div.layer-top");
  const maps = element("div.layer-maps", { role: "group" });
  const tip = element("div.cell-tip", { "aria-hidden": "true", hidden: "" });
  const live = element("div.unseen", { "aria-live": "polite" });
  const foot = element("div.block.caption");
  root.append(top, maps, tip, live, element("div.as-blocks", foot));
  parent.append(root);

  const memory = new Map(); // which term of the glossary is open
  let spec = null;
  let arrays = null;
  let places = null; // where everything stands: `plan`
  let drawn = []; // {node, canvas, edge} of each head
  let lit = null; // {head, q, k} that is read, or null

  const fonts = ['400 13px "Source Code Pro"', '400 16px "Source Sans"'];
  const look = standing(root, tokens, { fonts, draw: drawAll });
  const hidden = (q, k) => masked(spec.causal)(q, k);
  const across = (k) => (spec.rtl ? spec.keys.length - 1 - k : k);
  const weights = (head) => partOf(arrays.weights, head, 2);

  function drawAll() {
    const had = drawn.findIndex(({ canvas }) => canvas === root.getRootNode().activeElement);
    const narrow = look.narrow();
    const size = narrow ? SIZE.narrow : spec.large ? SIZE.large : SIZE.plain;
    root.classList.toggle("large", spec.large);
    const label = longestLabel([...spec.queries, ...spec.keys], size);
    places = plan({
      width: look.width,
      count: spec.heads.length,
      rows: spec.queries.length,
      columns: spec.keys.length,
      label,
      size,
      rtl: spec.rtl,
    });
    const scale = element("div.legend", ...legend(look.colours, spec.scale, {}, spec.rtl));
    top.replaceChildren(scale);
    maps.setAttribute("aria-label", spec.label);
    maps.style.height = `${places.height}px`;
    maps.style.setProperty("--label", `${places.label}px`);
    drawn = spec.heads.map((name, i) => headNode(name, i, size));
    maps.replaceChildren(...drawn.map(({ node }) => node), ...axisWords(size));
    const open = memory.get("caption"); // a drawing anew leaves it open
    foot.replaceChildren(
      ...said({ spans: spec.caption, style: "caption" }, { terms: tokens.terms, memory, id: "caption" }),
    );
    if (open) memory.set("caption", open);
    light(null);
    if (had >= 0) drawn[Math.min(had, drawn.length - 1)]?.canvas.focus();
  }

  function headNode(name, i, size) {
    const { x, y } = places.at(i);
    const pin = spec.pinned.includes(name);
    const canvas = element("canvas", {
      role: "img",
      "aria-label": `heatmap of ${name}${pin ? ", pinned" : ""}`,
      "data-head": i,
    });
    canvas.tabIndex = i ? -1 : 0;
    paint(canvas, i);
    const edge = element("div.cell-edge", { hidden: "" });
    const node = element(
      "div",
      { class: `layer-map${pin ? " pinned" : ""}` },
      element("span.layer-name", { style: `font-size:${size}px` }, name),
      canvas,
      edge,
    );
    node.style.cssText = `left:${x}px;top:${y}px;width:${places.width}px;height:${places.tall}px`;
    return { node, canvas, edge };
  }

  /** The words of the rows beside the first map of each line, those of the columns under the last one of each column. */
  function axisWords(size) {
    if (!places.labelled) return [];
    const word = (text, kind, left, top) =>
      element(
        "span",
        { class: `layer-word ${kind}`, "aria-hidden": "true", style: `font-size:${size}px;${left};top:${top}px` },
        text,
      );
    const every = Math.ceil((size + 2) / places.cell);
    const words = [];
    spec.heads.forEach((_, i) => {
      const { x, y, first, last } = places.at(i);
      const side = spec.rtl ? `left:${x + places.width + 8}px` : `right:calc(100% - ${x - 8}px)`;
      if (first)
        spec.queries.forEach(
          (text, q) => q % every || words.push(word(text, "query", side, y + (q + 0.5) * places.cell)),
        );
      if (last)
        spec.keys.forEach(
          (text, k) =>
            k % every ||
            words.push(
              word(
                text,
                "key",
                `right:calc(100% - ${x + (across(k) + 0.5) * places.cell + size * 0.35}px)`,
                y + places.tall + 5,
              ),
            ),
        );
    });
    return words;
  }

  function paint(canvas, i) {
    const { colours } = look;
    const { cell, width, tall } = places;
    const [rows, columns] = [spec.queries.length, spec.keys.length];
    const { pen } = sheet(width, tall, {}, canvas);
    const left = (q) => (arrays.left ? arrays.left.data[i * rows + q] : 100);
    const colour = headColours({ weights: weights(i), rows, columns }, spec, colours, (q) => inkLeft(left(q) / 100));
    paintCells(pen, { rows, columns, cell, rtl: spec.rtl, colours, hidden, colour });
    for (let q = 0; q < rows; q++) if (!left(q)) dots(pen, q * cell, width, cell, colours.hatch);
    edged(pen, 0, 0, width, tall, colours.border);
  }

  /** The head and the cell under an event, or null. */
  function under(event) {
    const head = drawn.findIndex(({ canvas }) => canvas === event.target);
    if (head < 0) return null;
    const shape = { rows: spec.queries.length, columns: spec.keys.length, causal: spec.causal, rtl: spec.rtl };
    const { left, top } = event.target.getBoundingClientRect();
    const picture = { left, top, width: places.width, height: places.tall };
    const found = cellUnder(picture, event.clientX, event.clientY, shape);
    return found && { head, ...found };
  }

  /** Lights a cell in every map, and reads it where it is pointed at. */
  function light(at) {
    lit = at;
    for (const { edge } of drawn) {
      edge.hidden = !at;
      if (at)
        edge.style.cssText = `left:${across(at.k) * places.cell}px;top:${at.q * places.cell}px;width:${places.cell}px;height:${places.cell}px`;
    }
    tip.hidden = !at;
    if (!at) return;
    const weight = weights(at.head)[at.q * spec.keys.length + at.k] / FULL;
    const words = {
      head: spec.heads[at.head],
      query: spec.queries[at.q],
      key: spec.keys[at.k],
      share: percentText(Math.round(100 * weight)),
    };
    const sentence = filled(at.q === at.k && spec.say.itself ? spec.say.itself : spec.say.cell, words);
    tip.replaceChildren(...spanNodes(sentence));
    live.textContent = plainText(sentence);
    const { x, y } = places.at(at.head);
    placeTip(tip, x + across(at.k) * places.cell, maps.offsetTop + y + (at.q + 1) * places.cell + 8, look.width);
  }

  function open(at) {
    if (spec.cells) look.trigger("cell", { head: spec.heads[at.head], query: at.q, key: at.k });
  }

  function onClick(event) {
    const at = under(event);
    const again =
      event.pointerType === "mouse" || (lit && at && lit.head === at.head && lit.q === at.q && lit.k === at.k);
    light(at); // a tap reads a cell, as pointing does; one more opens it
    if (at && again) open(at);
  }

  function onKey(event) {
    const head = drawn.findIndex(({ canvas }) => canvas === event.target);
    if (head < 0 || event.altKey || event.metaKey || event.ctrlKey) return;
    if (event.key === "Enter" && lit) open(lit);
    else {
      const next = nextCell(sideways(event.key, spec.rtl), lit ? { ...lit, head } : { head, q: null, k: null }, {
        heads: drawn.length,
        columns: places.columns,
        rows: spec.queries.length,
        keys: spec.keys.length,
        causal: spec.causal,
      });
      if (!next) return;
      drawn.forEach(({ canvas }, i) => (canvas.tabIndex = i === next.head ? 0 : -1));
      drawn[next.head].canvas.focus();
      light(next);
    }
    event.preventDefault();
  }

  look.listen("pointermove", (event) => event.pointerType === "mouse" && light(under(event)), maps);
  // A finger leaves with every tap, before its click.
  look.listen("pointerleave", (event) => event.pointerType === "mouse" && light(null), maps);
  look.listen("focusout", () => light(null), maps);
  look.listen("click", onClick, maps);
  look.listen("keydown", onKey, maps);

  return {
    update(data, setTriggerValue) {
      ({ header: spec, arrays } = data);
      look.update(setTriggerValue);
    },
    close: look.close,
  };
}

/** Dots over a row of which nothing was left: it is empty, not zero. */
function dots(pen, y, width, height, colour) {
  pen.fillStyle = colour;
  for (let x = 3; x < width; x += 6) pen.fillRect(x, y + height / 2 - 0.5, 1, 1);
}
