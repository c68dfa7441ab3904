/** The component "flow of arrays": what Streamlit calls on every update. */

import { palette } from "./colour.js";
import { NARROW } from "./layout.js";
import { mounted } from "./mount.js";
import { element } from "./spans.js";
import { treeNode } from "./steps_tree.js";

const VARIABLES = ["muted", "border", "control_border", "accent", "hatch", "surface", "background"];

export default mounted(createFlow);

function createFlow(parent) {
  const root = element("div", { class: "parallax steps-flow", role: "group" });
  parent.append(root);
  let trigger = () => {};

  const stop = new AbortController();
  root.addEventListener(
    "click",
    (event) => {
      const cell = event.target.closest?.("[data-head]");
      if (!cell) return;
      const { head, query, key } = cell.dataset;
      trigger("cell", { head: Number(head), query: Number(query), key: Number(key) });
    },
    { signal: stop.signal },
  );
  const sizes = new ResizeObserver(([entry]) => root.classList.toggle("narrow", entry.contentRect.width > 0 && entry.contentRect.width <= NARROW));
  sizes.observe(root);

  return {
    update(spec, setTriggerValue) {
      trigger = setTriggerValue;
      const colours = palette(getComputedStyle(root), spec.tokens);
      for (const name of VARIABLES) root.style.setProperty(`--${name.replaceAll("_", "-")}`, colours[name]);
      root.setAttribute("aria-label", spec.label);
      root.classList.toggle("large", Boolean(spec.large));
      root.classList.toggle("compact", Boolean(spec.compact));
      root.replaceChildren(treeNode(spec.root, { ink: spec.ink, colours }));
      root.dataset.ready = "";
    },
    close() {
      stop.abort();
      sizes.disconnect();
      root.remove();
    },
  };
}
