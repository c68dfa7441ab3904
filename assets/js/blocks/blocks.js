/** The component "blocks": a column of sentences and pictures, each drawn by its kind from one table of drawers. */

import { dress } from "../lib/colour.js";
import { fitting } from "../lib/fitting.js";
import { tellFound } from "../lib/found.js";
import { reachScrolling } from "../lib/keyboard.js";
import { wordGauge } from "../lib/sentence.js";
import { NARROW } from "../lib/standing.js";
import { element, put } from "../lib/spans.js";
import { copyLink } from "./copy_link.js";
import { TEXT_DRAWERS } from "./text.js";

// What the browser lays out by itself, at any width and before its fonts are there; pictures come where there are some.
const FLOWING = {
  ...TEXT_DRAWERS,
  copy_link: copyLink,
};
const DRAWERS = { ...FLOWING };
// Rooms of pictures by how their kinds begin; a file that leaves the page takes along what is named here.
const ROOMS = { pictures: () => import("./pictures.js") };
const FOUND = "h1.line, .finding p.line, .say.finding"; // what a page is about, and what a picture shows
const SCROLLING = ".array-scroller, .row.spread, .scroll-x";
const GAP = 56; // px between columns
const COLUMNS_FROM = 820; // px; under that columns stand under each other

/** The rooms that draw these blocks' pictures. */
export function roomsOf(blocks) {
  const kinds = blocks.flatMap((block) =>
    block.kind === "columns" ? block.columns.flatMap((column) => column.map(({ kind }) => kind)) : [block.kind],
  );
  return [
    ...new Set(
      kinds
        .filter((kind) => !(kind in FLOWING))
        .map((kind) => (kind.split("_")[0] in ROOMS ? kind.split("_")[0] : "pictures")),
    ),
  ];
}

/** Widths in px of columns with the given shares of a row; one column each where there is no room. */
export function columnWidths(shares, width, gap) {
  if (width < COLUMNS_FROM) return shares.map(() => width);
  const total = shares.reduce((sum, share) => sum + share, 0);
  const room = width - gap * (shares.length - 1);
  return shares.map((share) => Math.floor((room * share) / total));
}

export default function createBlocks(parent, tokens) {
  const root = element("div.parallax.as-blocks");
  const body = element("div.blocks");
  root.append(body);
  parent.append(root);
  const gauge = wordGauge(root);
  const memory = new Map(); // what is open, by place
  let spec = null;
  let given = ""; // what is drawn, as text
  let colours = null;
  let width = 0;
  const rooms = new Set(); // of pictures that are here
  let ready = false; // for pictures: fonts and drawers are there
  let fonts = false;
  /** @type {Tell} */
  let trigger = () => {};

  const flowing = () => spec.blocks.every(({ kind }) => kind in FLOWING);
  const lacking = () => roomsOf(spec.blocks).filter((room) => !rooms.has(room));

  function drawInto(host, list, room, path) {
    list.forEach((block, i) => {
      const id = `${path}-${i}`;
      if (block.kind === "columns") {
        const widths = columnWidths(block.shares, room, GAP);
        const row = element("div", {
          class: room < COLUMNS_FROM ? "stacked" : "columns",
          style: `gap:${GAP}px`,
        });
        host.append(row);
        block.columns.forEach((column, at) => {
          const cell = element("div", { style: `width:${widths[at]}px` });
          row.append(cell);
          drawInto(cell, column, widths[at], `${id}-${at}`);
        });
        return;
      }
      const place = element("div", {
        class: `block ${block.kind} ${(block.style ?? "").split(" ")[0]}`,
        "data-ready": "",
      });
      host.append(place);
      const tools = {
        place,
        colours,
        width: room,
        narrow: width <= NARROW,
        gauge,
        id,
        memory,
        terms: tokens.terms,
        trigger: (name, value) => trigger(name, value),
      };
      put(place, DRAWERS[block.kind](block, tools));
    });
  }

  function drawAll() {
    if (!spec || !(flowing() || (width && ready))) return;
    root.classList.toggle("narrow", width > 0 && width <= NARROW);
    root.classList.toggle("large", Boolean(spec.large));
    const focused = controls().indexOf(root.getRootNode().activeElement);
    body.replaceChildren();
    drawInto(body, spec.blocks, width, "block");
    reachScrolling(body.querySelectorAll(SCROLLING));
    if (focused >= 0) controls()[focused]?.focus();
    tellFound(root, body.querySelectorAll(FOUND));
    root.dataset.ready = "";
  }

  const controls = () => [...body.querySelectorAll("button,[tabindex]")];

  const stop = new AbortController();
  root.addEventListener(
    "click",
    ({ target }) => {
      const button = target.closest("[data-act]");
      if (button) trigger("act", { name: button.dataset.act });
    },
    { signal: stop.signal },
  );
  fitting(
    root,
    [
      '400 20px "Source Serif"',
      'italic 400 20px "Source Serif"',
      '400 13px "Source Code Pro"',
      '600 13px "Source Sans"',
    ],
    stop.signal,
    {
      resized(next) {
        width = next;
        if (!spec || !flowing()) return drawAll();
        root.classList.toggle("narrow", width <= NARROW);
        return reachScrolling(body.querySelectorAll(SCROLLING));
      },
      refit(next) {
        [width, colours] = [next, dress(root, tokens)];
        drawAll();
      },
      async ready() {
        fonts = true;
        reachScrolling(body.querySelectorAll(SCROLLING));
        if (gauge.again()) drawAll();
        await prepare();
      },
    },
  );

  /** Draws pictures once both their fonts and their drawers are there; most places have none and ask for neither. */
  async function prepare() {
    if (!fonts || !spec || flowing() || (ready && !lacking().length)) return;
    try {
      for (const room of lacking()) {
        Object.assign(DRAWERS, (await ROOMS[room]()).PICTURES);
        rooms.add(room);
      }
    } catch {
      body.textContent = "This part of the page could not be loaded; reload the page.";
      return;
    }
    ready = true;
    width = Math.floor(root.clientWidth) || width;
    drawAll();
  }

  return {
    update(data, setTriggerValue) {
      trigger = setTriggerValue;
      colours = dress(root, tokens);
      width = Math.floor(root.clientWidth) || width;
      const text = `${JSON.stringify(data)} ${colours.background} ${colours.ramp}`;
      if (text === given) return;
      [spec, given] = [data, text];
      ready &&= !lacking().length;
      drawAll();
      prepare();
    },
    close() {
      stop.abort();
      root.remove();
    },
  };
}
