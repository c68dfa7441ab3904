/** The text that is being written: above its columns with one arc, or on several lines with the words tinted. */

import { middleOf, oneArc } from "../lib/arcs.js";
import { rampAt } from "../lib/colour.js";
import { arcInk, arcNodes, flowed, tint } from "../lib/sentence.js";
import { element, percentText, svg } from "../lib/spans.js";
import { spanOf, stateOf, stretches } from "./plan.js";

const ROOM = 92; // px for the arc
const RISE = 62;
const NAMES = { prompt: "prompt", written: "written", new: "new", later: "later steps" };

/** One token as an element; what it is at this step is its class. */
function token(spec, at, step) {
  const place = spec.columns[at];
  const state = stateOf(place, spec.n_read, step);
  const looks = place === spec.rows[step];
  return element("span", { class: `token ${state}${looks ? " looks" : ""}` }, spec.texts[at]);
}

export function drawHero(host, spec, look, plan, colours, step, shares) {
  host.replaceChildren();
  if (plan.words) line(host, spec, look, plan, colours, step);
  else block(host, spec, look, colours, step, shares);
}

function line(host, spec, look, plan, colours, step) {
  const { size, boxes } = plan;
  host.className = "writing-hero line";
  host.style.height = `${ROOM + size * 1.4 + 34}px`;
  const words = spec.texts.map((_, at) => {
    const word = token(spec, at, step);
    word.style.cssText = `left:${boxes[at].x}px;width:${boxes[at].width}px;top:${ROOM}px;font-size:${size}px`;
    return word;
  });
  const picture = svg("svg", { "aria-hidden": "true" });
  const [from, to] = [spec.columns.indexOf(look.row), spec.columns.indexOf(look.place)];
  if (from >= 0 && to >= 0 && from !== to && look.percent > 0) {
    const [start, end] = [middleOf(boxes[from]), middleOf(boxes[to])];
    const rise = Math.min(RISE, 0.3 * Math.abs(start - end) + 14);
    picture.append(
      ...arcNodes([oneArc({ from: start, to: end, y: ROOM - 1, weight: look.percent / 100, rise })], arcInk(colours)),
    );
  }
  const under = ROOM + size * 1.4 + 8;
  for (const { state, from: first, to: last } of stretches(spec.columns, spec.n_read, step)) {
    const { x, width } = spanOf(boxes, first, last);
    const [x0, x1] = [x + 3, x + width - 3];
    const [at, anchor] = state === "new" ? [(x0 + x1) / 2, "middle"] : spec.rtl ? [x1, "end"] : [x0, "start"];
    if (state === "prompt" || state === "written")
      picture.append(svg("path.brace", { d: `M${x0},${under - 5} V${under} H${x1} V${under - 5}` }));
    picture.append(svg("text", { x: at, y: under + 16, class: `state ${state}`, "text-anchor": anchor }, NAMES[state]));
  }
  host.append(picture, ...words);
}

function block(host, spec, look, colours, step, shares) {
  host.className = "writing-hero block";
  host.style.height = "";
  const pieces = spec.spaces.map((space, at) => ({ at, space }));
  const words = flowed(pieces, ({ at }) => {
    const word = token(spec, at, step);
    const share = spec.columns[at] <= look.row ? shares[at] : 0;
    if (share >= 2) tint(word, rampAt(colours.ramp, share / 100), colours);
    return spec.columns[at] === look.place && look.percent > 0
      ? [word, element("b.percent", percentText(look.percent))]
      : word;
  });
  const text = element("p.sentence", { dir: spec.rtl ? "rtl" : "ltr" }, ...words);
  const key = element("p.states");
  for (const { state } of stretches(spec.columns, spec.n_read, step))
    key.append(element("span", { class: `token ${state}` }, NAMES[state]), " ");
  host.append(text, key);
}
