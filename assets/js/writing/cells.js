/** Rows of cells on one canvas, with what is absent hatched: the strip of heads, the stairs of steps. */

import { css, inkOn, rampAt } from "../lib/colour.js";
import { element } from "../lib/spans.js";
import { numbered, spanOf } from "./plan.js";

/**
 * @param {{rows: {y: number, height: number, shares: ArrayLike<number>, future: number, past?: number}[], boxes: {x: number, width: number}[], width: number, height: number}} picture
 */
export function cellCanvas({ rows, boxes, width, height }, colours, label) {
  const scale = Math.max(1, globalThis.devicePixelRatio || 1);
  const canvas = element("canvas", { role: "img", "aria-label": label, width: Math.ceil(width * scale), height: Math.ceil(height * scale) });
  canvas.style.cssText = `width:${width}px;height:${height}px`;
  const context = canvas.getContext("2d");
  context.scale(scale, scale);
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.font = '400 13px "Source Code Pro", monospace';
  for (const { y, height: tall, shares, future, past = 0 } of rows) {
    const absent = (first, last) => {
      const { x, width: wide } = spanOf(boxes, first, last);
      hatch(context, x, y, wide, tall, colours.hatch);
    };
    if (past) absent(0, past - 1);
    for (let at = past; at < Math.min(future, boxes.length); at++) {
      if (!shares[at]) continue;
      const colour = rampAt(colours.ramp, shares[at] / 100);
      const { x, width: wide } = boxes[at];
      context.fillStyle = css(colour);
      context.fillRect(x, y, Math.max(1, wide - (wide > 8 ? 0.5 : 0)), Math.max(1, tall - (tall > 8 ? 1 : 0)));
      if (!numbered(shares[at], wide, tall)) continue;
      context.fillStyle = inkOn(colour, colours.number_on_light, colours.number_on_dark);
      context.fillText(String(shares[at]), x + wide / 2, y + tall / 2 + 0.5);
    }
    if (future < boxes.length) absent(future, boxes.length - 1);
  }
  return canvas;
}

/** Hairlines at 45 degrees that run on from one row to the next. */
function hatch(context, x, y, width, height, colour) {
  context.save();
  context.beginPath();
  context.rect(x, y, width, height);
  context.clip();
  context.strokeStyle = colour;
  context.lineWidth = 0.8;
  const first = Math.floor((x - y - height) / 6) * 6;
  context.beginPath();
  for (let start = first; start < x - y + width + 6; start += 6) {
    context.moveTo(start + y, y);
    context.lineTo(start + y + height, y + height);
  }
  context.stroke();
  context.restore();
}

/** The grey bar of what was set aside, in per cent. */
export function asideBar(percent, y, height, x, label) {
  const bar = element("span", { class: "aside-bar", title: label }, element("i"));
  bar.style.cssText = `left:${x}px;top:${y + height / 2 - 4}px`;
  bar.firstChild.style.width = `${percent}%`;
  return bar;
}
