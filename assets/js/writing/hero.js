/** The text that is being written: above its columns with one arc, or on several lines with the words tinted. */

import { arcPath, arrowSize, WIDEST } from "../lib/arcs.js";
import { css, inkOn, rampAt } from "../lib/colour.js";
import { element, percentText, svg } from "../lib/spans.js";
import { spanOf, stateOf, stretches } from "./plan.js";

const ROOM = 92; // px for the arc
const RISE = 62;
const TONE = 0.72; // of the ramp
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
  const middle = (at) => boxes[at].x + boxes[at].width / 2;
  if (from >= 0 && to >= 0 && from !== to && look.percent > 0) {
    const weight = look.percent / 100;
    const width = Math.max(1, weight * WIDEST);
    const colour = css(rampAt(colours.ramp, TONE));
    const rise = Math.min(RISE, 0.3 * Math.abs(middle(from) - middle(to)) + 14);
    const { path, arrow } = arcPath({ from: middle(from), to: middle(to), y: ROOM - 1, up: true, arrow: arrowSize(weight, width), rise });
    picture.append(svg("path", { d: path, fill: "none", stroke: colour, "stroke-width": width }), svg("path", { d: arrow, fill: colour }));
    const top = ROOM - arrowSize(weight, width) * 1.3 - rise - width / 2;
    picture.append(svg("text", { x: (middle(from) + middle(to)) / 2, y: top - 7, class: "arc-label", "text-anchor": "middle" }, percentText(look.percent)));
  }
  const under = ROOM + size * 1.4 + 8;
  for (const { state, from: first, to: last } of stretches(spec.columns, spec.n_read, step)) {
    const { x, width } = spanOf(boxes, first, last);
    const [x0, x1] = [x + 3, x + width - 3];
    const [at, anchor] = state === "new" ? [(x0 + x1) / 2, "middle"] : spec.rtl ? [x1, "end"] : [x0, "start"];
    if (state === "prompt" || state === "written") picture.append(svg("path", { d: `M${x0},${under - 5} V${under} H${x1} V${under - 5}`, class: "brace" }));
    picture.append(svg("text", { x: at, y: under + 16, class: `state ${state}`, "text-anchor": anchor }, NAMES[state]));
  }
  host.append(picture, ...words);
}

function block(host, spec, look, colours, step, shares) {
  host.className = "writing-hero block";
  host.style.height = "";
  const text = element("p", { class: "sentence", dir: spec.rtl ? "rtl" : "ltr" });
  spec.texts.forEach((_, at) => {
    const word = token(spec, at, step);
    const share = spec.columns[at] <= look.row ? shares[at] : 0;
    if (share >= 2) {
      const colour = rampAt(colours.ramp, share / 100);
      word.style.background = css(colour);
      word.style.color = inkOn(colour, colours.number_on_light, colours.number_on_dark);
    }
    if (at && spec.spaces[at]) text.append(" ");
    text.append(word);
    if (spec.columns[at] === look.place && look.percent > 0) text.append(element("b", { class: "percent" }, percentText(look.percent)));
  });
  const key = element("p", { class: "states" });
  for (const { state } of stretches(spec.columns, spec.n_read, step)) key.append(element("span", { class: `token ${state}` }, NAMES[state]), " ");
  host.append(text, key);
}
