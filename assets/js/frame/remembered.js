/** One thing that the reader's browser keeps, and nobody else knows; where it keeps nothing, this page does. */

export const ORIENTED = "parallax-oriented"; // the line for newcomers was dismissed

/** @param {string} key @param {() => Storage} storage */
export function remembered(key, storage = () => globalThis.localStorage) {
  let kept = false;
  return {
    kept() {
      try {
        return kept || storage().getItem(key) !== null;
      } catch {
        return kept;
      }
    },
    keep() {
      kept = true;
      try {
        storage().setItem(key, "1");
      } catch {
        // private windows and embedded pages may refuse
      }
    },
  };
}
