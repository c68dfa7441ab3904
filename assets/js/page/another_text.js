/**
 * How far the text that a reader asks for is from the one that a page is drawn of.
 *
 * The browser knows at once what was taken in a field; what a run of the page is of, its server says as it begins
 * (`mha/app/frame.py`). What is asked for and not yet said is on its way, whatever ends meanwhile: of several texts
 * that were taken one after the other, the runs of the first ones may come, or not.
 */

export const [STANDS, ASKED, DRAWN] = ["stands", "asked for", "being drawn"];

/** A text as a field gives it back: its lines end in one way, and no half of a letter is in it. */
export const plain = (text = "") => text.replace(/\r\n?/g, "\n").toWellFormed();

/**
 * Follows what is asked for and what is drawn. A run is of texts, by the names of their fields, and of a model; these
 * two, `text` and `model`, are what all of a page is of.
 */
export function anotherText() {
  const asked = new Map(); // what was taken in a field, and no run has said yet
  let run = null; // what the last run has said that it is of
  let chosen = false; // something whose text the server alone knows
  let begun = false; // a run, since that was chosen
  let drawing = false; // a run of another text than the one before

  const isOf = (name) => plain(run?.[name]);
  return {
    /** Where the page is between the text before and the new one. */
    get phase() {
      if (asked.size || chosen) return ASKED;
      return drawing ? DRAWN : STANDS;
    },
    /** A text was taken in a field. @param {string} name @param {string} text */
    take(name, text) {
      if (run === null || asked.has(name) || plain(text) !== isOf(name)) asked.set(name, plain(text));
    },
    /** An example, or another step of the history. */
    choose() {
      [chosen, begun] = [true, false];
    },
    /** The server says what the run is of. @param {Record<string, string>} of */
    says(of) {
      const before = run;
      run = of;
      const another = before !== null && ["text", "model"].some((name) => plain(before[name]) !== isOf(name));
      for (const [name, text] of asked) {
        if (text !== isOf(name)) continue;
        asked.delete(name);
        drawing = true;
      }
      if (!another) return;
      drawing = true;
      chosen = false;
    },
    /** A run begins. */
    began() {
      begun = true;
    },
    /** No run follows the one that has ended. @param {(name: string) => string | null} standing what a field shows, null while it is typed in or is not there */
    ended(standing) {
      drawing = false;
      if (begun) chosen = false;
      for (const name of [...asked.keys()]) {
        const text = standing(name);
        if (text === null ? name !== "text" : plain(text) === isOf(name)) asked.delete(name);
      }
    },
    /** Nothing comes any more. */
    giveUp() {
      asked.clear();
      [chosen, drawing] = [false, false];
    },
  };
}
