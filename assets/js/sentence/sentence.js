/** The component "sentence": what is claimed about it, or the line in which one of its words is changed. */

import { createAmbiguity } from "./ambiguity.js";
import { createContrast } from "./contrast.js";

const PARTS = { ambiguity: createAmbiguity, contrast: createContrast };

export default function createSentence(parent, tokens) {
  let view = null;
  return {
    update(data, setTriggerValue, setStateValue) {
      view ??= PARTS[data.part](parent, tokens);
      view.update(data, setTriggerValue, setStateValue);
    },
    close: () => view?.close(),
  };
}
