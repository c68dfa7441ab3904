/** What the pictures of a long text share: cells of one byte on a canvas, the hatch of what is absent, the legend. */

import { css, rampAt } from "../lib/colour.js";
import { weightOf } from "../lib/envelope.js";
import { element } from "../lib/spans.js";

/** For each byte its colour, where `top` is the weight of full colour. */
export function byteColours(ramp, top) {
  return Array.from({ length: 256 }, (_, byte) => css(rampAt(ramp, Math.min(1, weightOf(byte) / top))));
}

/** A canvas at the screen's own resolution, and its pen. */
export function sheet(width, height, attributes = {}) {
  const ratio = Math.max(1, globalThis.devicePixelRatio || 1);
  const canvas = element("canvas", attributes);
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.cssText = `width:${width}px;height:${height}px`;
  const pen = canvas.getContext("2d");
  pen.scale(ratio, ratio);
  return { canvas, pen };
}

/** Hairlines over a rectangle, or over what a path encloses. */
export function hatch(pen, x, y, width, height, colour, path = null) {
  pen.save();
  pen.beginPath();
  if (path) path();
  else pen.rect(x, y, width, height);
  pen.clip();
  pen.beginPath();
  for (let at = x - height; at < x + width; at += 7) {
    pen.moveTo(at, y + height);
    pen.lineTo(at + height, y);
  }
  pen.strokeStyle = colour;
  pen.lineWidth = 0.8;
  pen.stroke();
  pen.restore();
}

/** What full colour stands for. */
export function topText(top) {
  return top >= 1 ? "100\u00a0%" : `${Math.round(top * 100)}\u00a0% and more`;
}

export function legend(colours, top, ...notes) {
  const ramp = element("span", { class: "long-ramp" });
  ramp.style.background = `linear-gradient(90deg,${colours.ramp.map(css).join(",")})`;
  const scale = element("span", { class: "long-scale" }, ramp, element("span", {}, element("span", {}, "0"), element("span", {}, topText(top))));
  return element("div", { class: "long-legend" }, scale, ...notes.map((note) => element("span", {}, note)));
}

/** A little hatched square for a legend. */
export function hatchKey(colours, text) {
  const key = element("span", { class: "long-hatch" });
  key.style.background = `repeating-linear-gradient(45deg,transparent 0 4px,${colours.hatch} 4px 4.8px)`;
  return element("span", { class: "long-key" }, key, text);
}
