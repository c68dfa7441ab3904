/**
 * A page on paper: light, as wide as a sheet, and nothing cut; also one that was taken away as a file.
 *
 * Components draw for the width they have, and are told of another one only once the printer has looked. So before it
 * does, the page is laid out as on paper (`assets/css/access.css`), and they draw once more (`assets/js/lib/fitting.js`).
 */

import { luminance, parseColour } from "../lib/colour.js";
import { REFIT } from "../lib/fitting.js";

const SHEET = ".stMainBlockContainer";
const THEIRS = '[data-testid="stPlotlyChart"], [data-testid="stDataFrame"]'; // drawn for the screen: made smaller as they are

/** Lays a window's page out for paper while it is printed. @param {Window} window */
export function fitToPaper(window) {
  const page = window.document;
  const root = page.documentElement;
  const theirs = () => /** @type {NodeListOf<HTMLElement>} */ (page.querySelectorAll(THEIRS));

  window.addEventListener("beforeprint", () => {
    const app = page.querySelector(".stApp");
    const colour = app && parseColour(window.getComputedStyle(app).backgroundColor);
    const widths = [...theirs()].map((figure) => figure.getBoundingClientRect().width);
    root.classList.toggle("from-dark", Boolean(colour) && luminance(colour) < 0.5);
    root.classList.add("printing");
    const room = page.querySelector(SHEET)?.getBoundingClientRect().width ?? 0;
    [...theirs()].forEach((figure, i) => {
      figure.style.setProperty("--parallax-width", `${widths[i]}px`);
      figure.style.setProperty("--parallax-zoom", String(Math.min(1, room / widths[i])));
    });
    window.dispatchEvent(new Event(REFIT));
  });
  window.addEventListener("afterprint", () => {
    root.classList.remove("printing", "from-dark");
    for (const figure of theirs())
      for (const name of ["--parallax-width", "--parallax-zoom"]) figure.style.removeProperty(name);
    window.dispatchEvent(new Event(REFIT));
  });
}
