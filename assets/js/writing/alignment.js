/** Which lines join a target to its source, and where the words of a row stand. Pure. */

export const FAINTEST = 4; // per cent
const LARGEST = 40;
const SMALLEST = 15;
const GAP = 0.5; // of the size, at least between two words

/**
 * The looks from 4 % up, the locked word's last, so that they lie on top; the strongest of a row is marked.
 * @param {ArrayLike<number>} shares whole per cents, row by row @param {number | null} lock a row, null for none
 */
export function shownLines(shares, columns, lock) {
  const lines = [];
  for (let row = 0; row * columns < shares.length; row++) {
    const own = Array.from({ length: columns }, (_, key) => shares[row * columns + key]);
    const most = Math.max(...own);
    own.forEach(
      (share, key) =>
        share >= FAINTEST && lines.push({ row, key, share, locked: row === lock, strongest: share === most }),
    );
  }
  return lines.sort((a, b) => a.locked - b.locked || a.share - b.share);
}

/** Whether the words of one row stand beside each other at the smallest size. */
export function rowFits(widths, column) {
  return widths.reduce((sum, width) => sum + width + GAP, -GAP) * SMALLEST <= column;
}

/** Words of one row, spread over the whole width, from the right where the text runs so; their middles are evenly far apart where they fit. */
export function rowPlaces(widths, column, large = false, given = null, rtl = false) {
  const total = widths.reduce((sum, width) => sum + width + GAP, 0);
  const size = given ?? Math.max(SMALLEST, Math.min(large ? 1.5 * LARGEST : LARGEST, column / Math.max(total, 0.01)));
  const rest = Math.max(0, column - widths.reduce((sum, width) => sum + width * size, 0));
  const gap = rest / Math.max(1, widths.length - 1);
  let x = widths.length === 1 ? rest / 2 : 0;
  const boxes = widths.map((width) => {
    const box = { x, width: width * size };
    x += box.width + gap;
    return box;
  });
  if (rtl) for (const box of boxes) box.x = column - box.x - box.width;
  return { size, boxes };
}
