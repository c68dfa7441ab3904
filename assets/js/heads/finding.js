/** What is said between the sentence and the grid: the finding, or what is pointed at, and the quiet lines below it. */

import { element, plainText, refill, spanNodes } from "../lib/spans.js";
import { answerConnection, connectionSentence, headSentence, pointing } from "./spec.js";

const LIVE_DELAY = 200; // ms a preview must last before a screen reader hears it

/** The sentence of a preview: of the head, or of the line of the answers that is pointed at, which is one look. */
export function previewSaid(spec, shown) {
  return shown.row ? connectionSentence(spec, answerConnection(spec, shown)) : headSentence(spec, shown.index);
}

export function saidView(root) {
  const finding = element("h1.finding");
  const note = element("p.note");
  const live = element("div.unseen", { "aria-live": "polite" });
  root.append(finding, note, live);
  let timer = 0;

  return {
    finding,
    note,
    /** The finding, or a preview with what a click would do; `pinned` says whether the head that is shown is pinned. */
    drawFinding(spec, shown, pinned, narrow) {
      const action = pinned ? spec.say.release : spec.say.preview;
      const previewed = shown.index >= 0 && [previewSaid(spec, shown), ...(shown.pin ? [] : [action])];
      const inOne = narrow || spec.finding.length < 2; // a preview takes no more lines than the finding: what is below stays
      finding.style.minHeight = previewed ? `${finding.offsetHeight}px` : "";
      finding.replaceChildren(
        ...(previewed || spec.finding).flatMap((spans, i) => [
          ...(i ? [inOne ? " " : element("br")] : []),
          ...spanNodes(pointing(spans, narrow)),
        ]),
      );
      clearTimeout(timer);
      const heard = shown.index < 0 ? spec.finding.map((spans) => pointing(spans, narrow)) : [previewSaid(spec, shown)];
      const said = heard.map(plainText).join(" ");
      timer = setTimeout(() => live.textContent !== said && (live.textContent = said), LIVE_DELAY);
    },
    /** The quiet lines, with the numbers of the third and fourth pin; pointing does not change them. */
    drawNote(spec, narrow) {
      const had = note.contains(note.getRootNode().activeElement) ? note.getRootNode().activeElement.dataset.pin : null;
      const more = spec.pins
        .slice(2)
        .flatMap((name, i) => [
          " ",
          element(
            "button.disc",
            { "data-pin": i + 2, "aria-label": `show pin ${i + 3}, ${name}, on the sentence` },
            String(i + 3),
          ),
        ]);
      refill(
        note,
        spec.chosen && element("span.badge", "picked for you"),
        ...spanNodes(pointing(spec.note, narrow)),
        ...more,
      );
      if (had !== null) note.querySelector(`[data-pin="${had}"]`)?.focus();
    },
    contains: (node) => note.contains(node) || finding.contains(node),
    close: () => clearTimeout(timer),
  };
}
