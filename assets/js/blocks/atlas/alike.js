/** The most similar heads of one head. */

import { box } from "../../lib/chart.js";
import { css, rampAt } from "../../lib/colour.js";
import { element, svg } from "../../lib/spans.js";

/** @type {Drawer<"atlas_like">} */
export function like(block, { colours }) {
  const line = element("div.atlas-likes", { role: "group", "aria-label": block.label });
  block.heads.forEach((one, i) => {
    const button = element("button", { class: `atlas-thumb${i ? "" : " itself"}`, "data-act": one.name });
    if (one.weights) button.append(thumbnail(one.weights, colours));
    button.append(element("span.say-head", one.name), element("span.atlas-under", one.text));
    line.append(button);
  });
  return line;
}

function thumbnail(weights, colours) {
  const n = weights.length;
  const picture = svg("svg", { viewBox: `0 0 ${n} ${n}`, "aria-hidden": "true", "shape-rendering": "crispEdges" });
  weights.forEach((row, i) =>
    row.forEach((value, j) => {
      if (value > 0.004) picture.append(box(j, i, 1, 1, css(rampAt(colours.ramp, value))));
    }),
  );
  return picture;
}
