/** Rows of cells on one canvas, with what is absent hatched: the strip of heads, the stairs of steps. */

import { inkOver } from "../lib/chart.js";
import { css, rampAt } from "../lib/colour.js";
import { hatch, sheet } from "../lib/map.js";
import { element, percentText, styled } from "../lib/spans.js";
import { numbered, spanOf } from "./plan.js";

/**
 * @param {{rows: {y: number, height: number, shares: ArrayLike<number>, future: number, past?: number}[], boxes: {x: number, width: number}[], width: number, height: number}} picture
 */
export function cellCanvas({ rows, boxes, width, height }, colours, label) {
  const { canvas, pen } = sheet(width, height, { role: "img", "aria-label": label });
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.font = '400 13px "Source Code Pro", monospace';
  for (const { y, height: tall, shares, future, past = 0 } of rows) {
    const absent = (first, last) =>
      first <= last && hatch(pen, { ...spanOf(boxes, first, last), y, height: tall }, colours.hatch);
    absent(0, past - 1);
    for (let at = past; at < Math.min(future, boxes.length); at++) {
      if (!shares[at]) continue;
      const colour = rampAt(colours.ramp, shares[at] / 100);
      const { x, width: wide } = boxes[at];
      pen.fillStyle = css(colour);
      pen.fillRect(x, y, Math.max(1, wide - (wide > 8 ? 0.5 : 0)), Math.max(1, tall - (tall > 8 ? 1 : 0)));
      if (!numbered(shares[at], wide, tall)) continue;
      pen.fillStyle = inkOver(colour, colours);
      pen.fillText(String(shares[at]), x + wide / 2, y + tall / 2 + 0.5);
    }
    absent(future, boxes.length - 1);
  }
  return canvas;
}

/** The grey bar of what was set aside, in per cent, at a place as CSS has it. */
export function asideBar(percent, says, place) {
  const part = styled(element("i"), `width:${percent}%`);
  return styled(element("span.aside-bar", { title: `${percentText(percent)} ${says}` }, part), place);
}
