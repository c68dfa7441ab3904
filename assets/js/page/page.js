/** What the whole page does, whatever stands on it: named in the page's first answer, before Streamlit's own scripts. */

import { loadParts } from "./fonts.js";
import { holdFocus } from "./held_focus.js";
import { oneStepForADeed } from "./history.js";
import { completeLinks } from "./links.js";
import { openAnew } from "./missing_part.js";
import { sayNoAnswer } from "./no_answer.js";
import { passFocus } from "./passed_focus.js";
import { reachPopovers } from "./popovers.js";
import { fitToPaper } from "./printing.js";
import { sayWhyRefused } from "./refused_file.js";
import { nameServer } from "./server.js";
import { enterTakes } from "./sentence_field.js";
import { speak } from "./spoken.js";
import { markBefore } from "./text_before.js";
import { uncover } from "./uncovering.js";

const { document, window } = globalThis;
if (document) {
  nameServer(window, document.documentElement.dataset.page);
  openAnew(globalThis);
  loadParts(document.fonts);
  oneStepForADeed(window);
  reachPopovers(document);
  holdFocus(document);
  passFocus(document);
  completeLinks(document);
  fitToPaper(window);
  enterTakes(document);
  sayWhyRefused(window);
  speak(window);
  sayNoAnswer(globalThis);
  markBefore(window);
  uncover(document);
}
