/** The strip of the whole text, the window of 64 tokens as text and as a map, and the hardest looks as lines. */

import { inkOver } from "../lib/chart.js";
import { css, rampAt } from "../lib/colour.js";
import { walkWords } from "../lib/keyboard.js";
import { edged, FULL, hatch, masked, paintCells, sheet } from "../lib/map.js";
import { element, percentText, spanNodes, svg } from "../lib/spans.js";
import { byteColours, hatchHidden, hatchKey, legend } from "./paint.js";

const STRIP = 30; // px
const NARROWEST = 14; // px of the frame of the window
const LEFT = 56; // px for the head's name

/** The window that begins where a point of the strip is its middle. */
export function windowAt(x, width, tokens, count) {
  const middle = Math.round((x / Math.max(1, width)) * tokens);
  return Math.max(0, Math.min(tokens - count, middle - Math.floor(count / 2)));
}

/** The window that a key moves to, or null. */
export function windowMove(key, start, tokens, count) {
  const to = {
    ArrowLeft: start - count / 2,
    ArrowRight: start + count / 2,
    PageUp: start - count,
    PageDown: start + count,
    Home: 0,
    End: tokens - count,
  }[key];
  return to === undefined ? null : Math.max(0, Math.min(tokens - count, Math.round(to)));
}

export function reader(root, { header, arrays }, { colours, width, narrow, trigger, hold }) {
  root.append(stripNode(header, arrays.strip.data, colours, width, narrow, trigger, hold));
  const text = element(
    "div.long-text",
    windowTitle(header),
    textNode(header, arrays.ink.data, colours, trigger),
    element("p.long-note", ...spanNodes(header.ink), " Click another token to select it."),
    linesNode(header, trigger),
  );
  const room = narrow ? width : Math.floor((width - 48) * 0.42);
  root.append(
    element("div", { class: narrow ? "long-two stacked" : "long-two" }, text, mapNode(header, arrays, colours, room)),
  );
}

function stripNode(header, bytes, colours, width, narrow, trigger, hold) {
  const left = narrow ? 0 : LEFT;
  const room = width - left;
  const [tokens, count] = [header.tokens, header.count];
  const pitch = (room * header.cell) / tokens;
  const { canvas, pen } = sheet(room, STRIP, { "aria-hidden": "true" });
  const paint = byteColours(colours.ramp, header.strip_top);
  const token = (header.token / tokens) * room;
  bytes.forEach((byte, i) => {
    pen.fillStyle = paint[byte];
    pen.fillRect(i * pitch, 0, Math.min(pitch + 0.4, room - i * pitch), STRIP);
  });
  if (header.causal) hatchHidden(pen, { at: header.at, token, pitch, room, height: STRIP }, colours.hatch);
  const wide = Math.max(NARROWEST, (count / tokens) * room);
  const leftOf = (start) => Math.max(0, Math.min(room - wide, ((start + count / 2) / tokens) * room - wide / 2));
  const frame = element("div.long-frame", {
    role: "slider",
    tabindex: "0",
    "data-focus": "frame",
    "aria-label": "the window of tokens",
    "aria-valuemin": 0,
    "aria-valuemax": Math.max(0, tokens - count),
    "aria-valuenow": header.start,
    "aria-valuetext": `tokens ${header.start} to ${header.start + count - 1} of ${tokens}`,
  });
  frame.style.cssText = `left:${leftOf(header.start)}px;width:${wide}px`;
  const strip = element("div.long-strip", canvas, frame);
  strip.style.width = `${room}px`;
  const hits = header.hits.slice(0, 400);
  const marks = svg(
    "svg",
    { width: room, height: 14, "aria-hidden": "true" },
    ...hits.map((place) => {
      const x = (place / tokens) * room;
      const now = place >= header.start && place < header.start + count;
      return svg("path", {
        d: `M${x - 4.5},3 h9 l-4.5,8 Z`,
        fill: now ? "currentColor" : "none",
        stroke: "currentColor",
      });
    }),
  );
  const numbers = element(
    "div.long-numbers",
    ...[0, 0.25, 0.5, 0.75, 1]
      .filter((part) => !narrow || part % 0.5 === 0)
      .map((part) => element("span", Math.round(part * (tokens - 1)).toLocaleString("en"))),
  );
  let begun = null;
  strip.addEventListener("pointerdown", (event) => {
    if (begun !== null || event.button !== 0) return;
    begun = event.pointerId;
    hold(true);
    strip.setPointerCapture(event.pointerId);
    move(event);
  });
  const place = (event) => windowAt(event.clientX - strip.getBoundingClientRect().left, room, tokens, count);
  const move = (event) => (frame.style.left = `${leftOf(place(event))}px`);
  strip.addEventListener("pointermove", (event) => begun === event.pointerId && move(event));
  strip.addEventListener("pointerup", (event) => {
    if (begun !== event.pointerId) return;
    begun = null;
    const position = place(event);
    hold(false);
    trigger("window", { position });
  });
  strip.addEventListener("pointercancel", (event) => {
    if (begun !== event.pointerId) return;
    begun = null;
    frame.style.left = `${leftOf(start)}px`;
    hold(false);
  });
  let start = header.start; // where keys have moved the window, which the server says a moment later
  frame.addEventListener("keydown", (event) => {
    const next = event.altKey || event.metaKey || event.ctrlKey ? null : windowMove(event.key, start, tokens, count);
    if (next === null) return;
    event.preventDefault();
    if (next === start) return;
    start = next;
    frame.style.left = `${leftOf(start)}px`;
    trigger("window", { position: start });
  });
  const found = header.search
    ? `${header.search}, ${hits.length === 1 ? "1 place" : `${header.hits.length.toLocaleString("en")} places`}`
    : "";
  const head = element("div.long-head", header.head);
  const body = element("div", element("div.long-hits", found && element("b", found), marks), strip, numbers);
  return element("div.long-strip-row", !narrow && head, body);
}

function windowTitle({ start, count }) {
  const range = `${start.toLocaleString("en")} to ${(start + count - 1).toLocaleString("en")}`;
  return element("div.long-title", element("h2", `${count} tokens`), element("span.code", range));
}

function textNode(header, ink, colours, trigger) {
  const words = header.pieces.map(([text, , special, absent], i) => {
    const place = header.start + i;
    const locked = place === header.token;
    const share = ink[i] / FULL;
    const node = element(
      "button",
      {
        class: ["long-word", special && "special", absent && "absent", locked && "locked"].filter(Boolean).join(" "),
        "data-token": place,
        "data-focus": `token-${place}`,
        tabindex: -1,
        "aria-pressed": locked,
        title: absent ? null : percentText(Math.round(share * 100)),
      },
      text,
    );
    if (!absent && !locked) {
      const colour = rampAt(colours.ramp, Math.min(1, share / header.tops.window));
      if (share / header.tops.window > 0.02)
        node.style.cssText = `background:${css(colour)};color:${inkOver(colour, colours)}`;
    }
    node.addEventListener("click", () => trigger("token", { position: place }));
    return node;
  });
  const reach = words.find((word) => word.classList.contains("locked")) ?? words[0];
  if (reach) reach.tabIndex = 0;
  const nodes = words.flatMap((word, i) => (header.pieces[i][1] && i ? [" ", word] : [word]));
  const block = element("p.long-window", { dir: "auto" }, ...nodes);
  walkWords(block, words);
  return block;
}

function linesNode(header, trigger) {
  if (!header.lines.length) return element("p.long-note", header.say.none);
  const rows = header.lines.map(({ place, percent, before, token, after }) => {
    const jump = element(
      "button.text-button.code",
      { "data-focus": `line-${place}`, "aria-label": `go to token ${place}` },
      place.toLocaleString("en"),
    );
    jump.addEventListener("click", () =>
      trigger("window", {
        position: Math.max(0, Math.min(header.tokens - header.count, place - Math.floor(header.count / 2))),
      }),
    );
    return element(
      "div.long-line",
      element("span.code", percentText(percent)),
      element("span.before", { dir: "auto" }, element("bdi", before.replace(/ $/, "\u00a0"))),
      element("b", token),
      element("span.after", { dir: "auto" }, after.replace(/^ /, "\u00a0")),
      jump,
    );
  });
  return element("div.long-lines", element("h3", ...spanNodes(header.title)), ...rows);
}

function mapNode(header, arrays, colours, room) {
  const badge = element(
    "div.long-pin",
    element("span.disc", "1"),
    element("span.head-name", header.head),
    header.chosen && element("span.badge", "picked for you"),
  );
  const count = header.count;
  const cell = room / count;
  const label = `${header.head} inside the window: rows look at columns${header.map ? "" : "; not computed yet"}`;
  const { canvas, pen } = sheet(room, room, { role: "img", "aria-label": label });
  if (!header.map) {
    hatch(pen, { x: 0, y: 0, width: room, height: room }, colours.hatch);
    return element("div.long-map", badge, canvas, element("p.long-note", header.say.map));
  }
  const colour = (q, k) => rampAt(colours.ramp, arrays.map.data[q * count + k] / FULL / header.tops.map);
  paintCells(pen, { rows: count, columns: count, cell, gap: false, colours, hidden: masked(header.causal), colour });
  edged(pen, 0, 0, room, room, colours.border);
  const inside = header.token - header.start;
  if (inside >= 0 && inside < count) {
    pen.strokeStyle = colours.text;
    pen.lineWidth = 2;
    const from = header.causal ? inside : 0;
    if (header.at) pen.strokeRect(inside * cell - 1, from * cell, cell + 2, room - from * cell - 1);
    else pen.strokeRect(0, inside * cell - 1, header.causal ? (inside + 1) * cell : room, cell + 2);
  }
  const notes = header.causal ? [hatchKey(colours, "hidden")] : [];
  return element(
    "div.long-map",
    badge,
    canvas,
    legend(colours, header.tops.map, ...notes),
    element("p.long-note", header.say.map),
  );
}
