/** What the whole page does, whatever stands on it: named in the page's first answer, before Streamlit's own scripts. */

import { oneStepForADeed } from "./history.js";
import { reachPopovers } from "./popovers.js";
import { fitToPaper } from "./printing.js";

const { document, window } = globalThis;
if (document) {
  oneStepForADeed(window);
  reachPopovers(document);
  fitToPaper(window);
}
