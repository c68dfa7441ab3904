/** A figure in a file: drawn by plotly's script, which travels along, in the colours and the width of what it stands on. */

import { onPaper, REFIT } from "../lib/fitting.js";

/** Mounts a figure into a place; see `mha/readers/files.py`. @param {HTMLElement} place */
export default function chart(place) {
  const node = place.appendChild(document.createElement("figure"));
  node.setAttribute("role", "img");
  let figures = null;
  const draw = () => {
    const dark = !onPaper() && matchMedia("(prefers-color-scheme: dark)").matches;
    const { data, layout } = figures[dark ? "dark" : "light"];
    globalThis.Plotly.react(node, data, { ...layout, width: node.clientWidth }, { displayModeBar: false });
  };
  for (const name of ["resize", REFIT]) addEventListener(name, () => figures && draw());
  return {
    update(given) {
      figures = given.figures;
      node.setAttribute("aria-label", given.alt);
      draw();
    },
  };
}
