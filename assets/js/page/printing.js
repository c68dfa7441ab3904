/**
 * A page on paper: light, as wide as a sheet, and nothing cut.
 *
 * Components draw for the width they have, and are told of another one only once the printer has looked. So before it
 * does, the page is laid out as on paper (`assets/css/access.css`), and they draw once more (`assets/js/lib/fitting.js`).
 */

import { luminance, parseColour } from "../lib/colour.js";
import { REFIT } from "../lib/fitting.js";

const TABLES = '[data-testid="stDataFrame"]'; // drawn by Streamlit for the width of the screen: made smaller as they are

/** Lays a window's page out for paper while it is printed. @param {Window} window */
export function fitToPaper(window) {
  const page = window.document;
  const root = page.documentElement;
  const tables = () => page.querySelectorAll(TABLES);

  window.addEventListener("beforeprint", () => {
    const app = page.querySelector(".stApp");
    const colour = app && parseColour(window.getComputedStyle(app).backgroundColor);
    const widths = [...tables()].map((table) => table.getBoundingClientRect().width);
    root.classList.toggle("from-dark", Boolean(colour) && luminance(colour) < 0.5);
    root.classList.add("printing");
    [...tables()].forEach((table, i) => {
      const room = table.parentElement.getBoundingClientRect().width;
      table.style.setProperty("--parallax-width", `${widths[i]}px`);
      table.style.setProperty("--parallax-zoom", String(Math.min(1, room / widths[i])));
    });
    window.dispatchEvent(new Event(REFIT));
  });
  window.addEventListener("afterprint", () => {
    root.classList.remove("printing", "from-dark");
    for (const table of tables()) for (const name of ["--parallax-width", "--parallax-zoom"]) table.style.removeProperty(name);
    window.dispatchEvent(new Event(REFIT));
  });
}
