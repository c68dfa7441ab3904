/** What the whole page does, whatever stands on it: named in the page's first answer, before Streamlit's own scripts. */

import { loadParts } from "./fonts.js";
import { oneStepForADeed } from "./history.js";
import { reachPopovers } from "./popovers.js";
import { fitToPaper } from "./printing.js";

const { document, window } = globalThis;
if (document) {
  loadParts(document.fonts);
  oneStepForADeed(window);
  reachPopovers(document);
  fitToPaper(window);
}
