/** The component "readings": a column of blocks, each a sentence or a picture, drawn from a table of drawers. */

import { fitting } from "./fitting.js";
import { mounted } from "./mount.js";
import { dressRoot, wordGauge } from "./readings_draw.js";
import { CARRIED_DRAWERS } from "./readings_carried.js";
import { LOOK_DRAWERS } from "./readings_look.js";
import { MATTER_DRAWERS } from "./readings_matter.js";
import { PAIR_DRAWERS } from "./readings_pairs.js";
import { SLOPE_DRAWERS } from "./readings_slopes.js";
import { STORY_DRAWERS } from "./readings_story.js";
import { STRIP_DRAWERS } from "./readings_strips.js";
import { TEXT_DRAWERS } from "./readings_text.js";
import { NARROW } from "./layout.js";
import { element } from "./spans.js";

const DRAWERS = { ...TEXT_DRAWERS, ...LOOK_DRAWERS, ...STRIP_DRAWERS, ...STORY_DRAWERS, ...CARRIED_DRAWERS, ...SLOPE_DRAWERS, ...PAIR_DRAWERS, ...MATTER_DRAWERS };
const COLUMNS_FROM = 820; // px; under that columns stand under each other

export default mounted(createBlocks);

/** Widths in px of columns with the given shares of a row; one column each where there is no room. */
export function columnWidths(shares, width, gap) {
  if (width < COLUMNS_FROM) return shares.map(() => width);
  const total = shares.reduce((sum, share) => sum + share, 0);
  const room = width - gap * (shares.length - 1);
  return shares.map((share) => Math.floor((room * share) / total));
}

function createBlocks(parent) {
  const root = element("div", { class: "parallax readings" });
  parent.append(root);
  const gauge = wordGauge(root);
  const body = element("div", { class: "blocks" });
  root.append(body);
  let spec = null;
  let colours = null;
  let width = 0;
  let ready = false;
  let trigger = () => {};

  function drawInto(host, list, room) {
    list.forEach((block, i) => {
      if (block.kind === "columns") {
        const widths = columnWidths(block.shares, room, block.gap ?? 56);
        const row = element("div", { class: room < COLUMNS_FROM ? "stacked" : "columns", style: `gap:${block.gap ?? 56}px` });
        host.append(row);
        block.columns.forEach((column, at) => {
          const cell = element("div", { style: `width:${widths[at]}px` });
          row.append(cell);
          drawInto(cell, column, widths[at]);
        });
        return;
      }
      const place = element("div", { class: `block ${block.kind} ${block.style ?? ""}` });
      host.append(place);
      DRAWERS[block.kind](place, block, { colours, width: room, narrow: width <= NARROW, gauge, id: `${block.kind}-${i}-${Math.round(room)}` });
    });
  }

  function drawAll() {
    if (!spec || !width || !ready) return;
    root.classList.toggle("narrow", width <= NARROW);
    root.classList.toggle("large", spec.large);
    body.replaceChildren();
    drawInto(body, spec.blocks, width);
  }

  const stop = new AbortController();
  root.addEventListener(
    "click",
    (event) => {
      const button = event.target.closest("[data-act]");
      if (button) trigger("act", { name: button.dataset.act, value: button.dataset.value ?? null });
    },
    { signal: stop.signal },
  );
  fitting(root, ['400 20px "Source Serif"', 'italic 400 20px "Source Serif"', '400 13px "Source Code Pro"', '600 13px "Source Sans"'], stop.signal, {
    resized(next) {
      width = next;
      drawAll();
    },
    ready() {
      ready = true;
      width = Math.floor(root.clientWidth) || width;
      drawAll();
      root.dataset.ready = "";
    },
  });

  return {
    update(data, setTriggerValue) {
      trigger = setTriggerValue;
      spec = data;
      colours = dressRoot(root, spec.tokens);
      drawAll();
    },
    close() {
      stop.abort();
      root.remove();
    },
  };
}
