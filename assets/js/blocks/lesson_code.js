/** A QR code as the outline of its dark squares. */

/**
 * One path of all dark squares; neighbours in a row are one rectangle.
 * @param {string[]} rows "1" for a dark square, "0" for a light one
 */
export function darkPath(rows) {
  return rows
    .flatMap((row, y) =>
      [...row.matchAll(/1+/g)].map((run) => `M${run.index} ${y}h${run[0].length}v1h-${run[0].length}z`),
    )
    .join("");
}
