/** The component "tour": a button in the bar and a card beside one thing after the other; the page stays as it is. */

import { dress } from "../lib/colour.js";
import { element, spanNodes } from "../lib/spans.js";
import { inHeader } from "../frame/header.js";
import { arcsAreDrawn, placeOf } from "./stops.js";

const PADDING = 8; // px between a thing and its ring
const GAP = 12; // px between ring and card
const EDGE = 16; // px that the card keeps from the edges
const BAR = 60; // px of the page's bar

export default function createTour(parent, tokens) {
  const root = element("div.parallax.frame.tour");
  parent.append(root);
  const stop = new AbortController();
  const open = element("button.tour-button", { "aria-haspopup": "dialog" }, "Tour");
  const header = inHeader(root, "parallax-tour", open);
  const ring = element("div.tour-ring", { "aria-hidden": "true" });
  const where = element("span");
  const keys = element(
    "span.keys",
    { "aria-hidden": "true" },
    element("kbd", "←"),
    " ",
    element("kbd", "→"),
    " ",
    element("kbd", "Esc"),
  );
  const text = element("p");
  const next = element("button.plain-button");
  const leave = element("button.quiet-button", "Close");
  const card = element(
    "div.tour-card",
    { role: "dialog", tabindex: "-1" },
    element("div.where", where, keys),
    text,
    element("div.buttons", next, leave),
  );
  let stops = [];
  let at = -1; // the stop that is shown
  let frame = 0;

  function show(number) {
    at = number;
    const { name, said, small } = stops[at];
    const label = `${at + 1} of ${stops.length} · ${name}`;
    where.textContent = `Tour · ${label}`;
    card.setAttribute("aria-label", `Tour, stop ${label}`);
    text.replaceChildren(...spanNodes(small && !arcsAreDrawn() ? small : said));
    next.textContent = at + 1 < stops.length ? "Next" : "Finish";
  }

  function go(number) {
    if (number < 0) return;
    if (number >= stops.length) return end();
    show(number);
    placeOf(stops[at])?.scrollIntoView({ block: "center", inline: "nearest" });
    follow();
  }

  /** Keeps ring and card beside the thing while anything moves. */
  function follow() {
    cancelAnimationFrame(frame);
    if (at < 0) return;
    const box = placeOf(stops[at])?.getBoundingClientRect() ?? null;
    ring.hidden = box === null;
    if (box)
      ring.style.cssText = `left:${box.left - PADDING}px;top:${box.top - PADDING}px;width:${box.width + 2 * PADDING}px;height:${box.height + 2 * PADDING}px`;
    const { left, top } = besides(
      box,
      { width: card.offsetWidth, height: card.offsetHeight },
      { width: window.innerWidth, height: window.innerHeight },
    );
    card.style.cssText = `left:${left}px;top:${top}px`;
    frame = requestAnimationFrame(follow);
  }

  function begin() {
    if (at >= 0) return end();
    root.append(ring, card);
    go(0);
    card.focus({ preventScroll: true });
  }

  function end() {
    if (at < 0) return;
    at = -1;
    cancelAnimationFrame(frame);
    ring.remove();
    card.remove();
    open.focus({ preventScroll: true });
  }

  const listen = (node, name, handler) => node.addEventListener(name, handler, { signal: stop.signal });
  listen(open, "click", begin);
  listen(next, "click", () => go(at + 1));
  listen(leave, "click", end);
  listen(card, "keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (by === 1 && at + 1 === stops.length) return;
    if (by) go(at + by);
    else return;
    event.preventDefault();
    event.stopPropagation(); // the page has arrow keys of its own
  });
  listen(document, "keydown", (event) => {
    if (event.key === "Escape" && at >= 0 && !event.defaultPrevented) end(); // else it has closed something already
  });

  return {
    update(data) {
      header.place(dress(root, tokens));
      ({ stops } = data);
      if (at >= 0) show(Math.min(at, stops.length - 1));
    },
    close() {
      at = -1;
      cancelAnimationFrame(frame);
      stop.abort();
      header.close();
      root.remove();
    },
  };
}

/**
 * Where the card stands: below the thing, else above it, else in the corner; always on the screen.
 * @param {{left: number, top: number, bottom: number, width: number} | null} box of the thing @param {{width: number, height: number}} card
 * @param {{width: number, height: number}} screen @returns {{left: number, top: number}}
 */
export function besides(box, card, screen) {
  const lowest = screen.height - card.height - EDGE;
  const clamp = (value, low, high) => Math.max(low, Math.min(value, Math.max(low, high)));
  if (box === null)
    return { left: clamp((screen.width - card.width) / 2, EDGE, screen.width), top: clamp(lowest, EDGE, lowest) };
  const left = clamp(box.left + box.width / 2 - card.width / 2, EDGE, screen.width - card.width - EDGE);
  const below = box.bottom + PADDING + GAP;
  const above = box.top - PADDING - GAP - card.height;
  if (below <= lowest) return { left, top: Math.max(below, EDGE) };
  if (above >= BAR && above <= lowest) return { left, top: above };
  return { left: clamp(screen.width - card.width - EDGE, EDGE, screen.width), top: clamp(lowest, EDGE, lowest) };
}
