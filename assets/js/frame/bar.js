/** The component "bar": mark, name and page in Streamlit's bar, which stays in view: at its end, which no run moves. */

import { css, palette, rampAt } from "../lib/colour.js";
import { element, svg } from "../lib/spans.js";
import { OF } from "../page/text_before.js";
import { askOnReturn } from "./returned.js";

const HEADER = '[data-testid="stHeader"]';
const NAME = "parallax-brand"; // see page.css
const INK = 7 / 9; // of the ramp, as arcs are drawn
const PAGE = '[data-testid="stSidebarNavLink"]'; // in the drawer of a phone
const CLOSE = '[data-testid="stSidebarCollapseButton"] button';

export default function createBar(parent, tokens) {
  const root = parent.appendChild(element("div.parallax"));
  const stop = new AbortController();
  const here = element("span.here");
  const brand = element(`div.${NAME}`, mark(), element("span.name", "Parallax"), here);
  closeMenuAfterTap(document, stop.signal);
  let tell = null;
  askOnReturn(window, () => tell?.("outdated", Date.now()), stop.signal);

  return {
    update(data, trigger) {
      tell = trigger;
      const ink = css(rampAt(palette(getComputedStyle(root), tokens).ramp, INK));
      if (!["", ink].includes(brand.style.getPropertyValue("--ink"))) tell("outdated", Date.now()); // charts: old theme
      brand.style.setProperty("--ink", ink);
      document.documentElement.classList.toggle("projector", Boolean(data.large)); // see page.css
      here.textContent = data.page;
      const header = document.querySelector(HEADER);
      if (header && brand.parentElement !== header) {
        for (const left of header.querySelectorAll(`:scope > .${NAME}`)) left.remove(); // of an earlier version of the app
        header.append(brand);
      }
      document.dispatchEvent(new CustomEvent(OF, { detail: data.of }));
    },
    close() {
      stop.abort();
      brand.remove();
      root.remove();
    },
  };
}

/** The picture of the page: a word, two arcs from it, two ends. */
function mark() {
  const arc = (d, width) => svg("path", { d, fill: "none", stroke: "var(--ink)", "stroke-width": width });
  const point = (cx, cy, r) => svg("circle", { cx, cy, r, fill: "currentColor" });
  return svg(
    "svg",
    { width: 32, height: 22, viewBox: "0 0 32 22", "aria-hidden": "true" },
    arc("M18.5 9C18.5 0 3 0 3 8.4", 2),
    arc("M18.5 13C18.5 22 29 22 29 13.6", 3),
    point(18.5, 11, 3),
    point(3, 11, 1.8),
    point(29, 11, 1.8),
  );
}

/** On a phone the pages stand in a drawer, which Streamlit leaves open over the page that was chosen: closes it then. */
function closeMenuAfterTap(page, signal) {
  const close = (event) => event.target.closest?.(PAGE) && setTimeout(() => page.querySelector(CLOSE)?.click());
  page.addEventListener("click", close, { signal });
}
