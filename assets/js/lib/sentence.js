/** Sizes: how large the sentence can be, how large a thumbnail, where each word stands. */

export const NARROW = 640; // a component this wide or less is laid out for a phone
/** What a page is told of its screen once its first picture stands: the rest of it comes then. */
export const screenOf = (width) => (width <= NARROW ? "narrow" : "wide");

const SMALLEST = 34; // of a sentence on one line
const LARGEST = { screen: 74, lecture: 118 }; // and the largest
const LARGEST_ON = 0.075; // of a low window, so that what is below the sentence is seen as well
const BLOCK_SIZES = [34, 28, 23, 19, 17]; // of a sentence on several lines
const BLOCK_LINES = 4;
const WORD_GAP = 0.3; // of the font size
const PIECE_GAP = 0.1; // between the tokens of one word
export const BLOCK_LEADING = 1.42;

/** White space before each piece, in font sizes; pieces that touch in the text touch here unless both carry attention. */
export function gapsBefore(pieces) {
  return pieces.map((piece, i) => {
    if (i === 0) return 0;
    if (piece.space) return WORD_GAP;
    return Number.isInteger(piece.at) && Number.isInteger(pieces[i - 1].at) ? PIECE_GAP : 0;
  });
}

/** The largest type of a sentence in a window of a height in px; in a lecture hall it is the sentence that counts. */
export function largestType(lecture, height) {
  return lecture ? LARGEST.lecture : Math.max(SMALLEST, Math.min(LARGEST.screen, Math.round(LARGEST_ON * height)));
}

/**
 * The size at which all pieces fit one line, or null when even the smallest is too wide.
 * @param {number[]} widths of the pieces at size 1 @param {number[]} gaps in sizes
 */
export function lineSize(widths, gaps, column, largest) {
  const size = fittingSize(widths, gaps, column, largest);
  return size >= Math.min(SMALLEST, largest) ? size : null;
}

/**
 * Where each piece of a sentence stands on one line, at the largest size that fits.
 * @param {{text: string, space: boolean, at: number | null, rtl?: boolean}[]} pieces
 * @param {(text: string) => number} gauge widths at size 1
 */
export function sentenceLine(pieces, gauge, column, largest, smallest) {
  const [widths, gaps] = [pieces.map(({ text }) => gauge(text)), gapsBefore(pieces)];
  const size = Math.max(smallest, fittingSize(widths, gaps, column, largest));
  const along = lineBoxes(widths, gaps, size);
  return { size, boxes: pieces[0]?.rtl ? mirrored(along) : along, fits: (sum(widths) + sum(gaps)) * size <= column + 1 };
}

/** How the words of a sentence run: what its first piece says. */
export const directionOf = (pieces) => (pieces[0]?.rtl ? "rtl" : "ltr");

/** The largest half px at which one line fits a column. */
function fittingSize(widths, gaps, column, largest) {
  return Math.min(largest, Math.floor((2 * column) / Math.max(sum(widths) + sum(gaps), 0.01)) / 2);
}

/** The size for several lines: the largest that needs no more than four of them, else the smallest. */
export function blockSize(widths, gaps, column) {
  const total = sum(widths) + sum(gaps);
  return BLOCK_SIZES.find((size) => Math.ceil((1.08 * total * size) / column) <= BLOCK_LINES) ?? BLOCK_SIZES.at(-1);
}

/** Left edge and width of each piece on one line, in px. */
export function lineBoxes(widths, gaps, size) {
  let x = 0;
  return widths.map((width, i) => {
    x += gaps[i] * size;
    const box = { x, width: width * size };
    x += box.width;
    return box;
  });
}

/** The same boxes for a text that runs from right to left: the first piece is the rightmost. */
export function mirrored(boxes) {
  const end = boxes.reduce((far, { x, width }) => Math.max(far, x + width), 0);
  return boxes.map((box) => ({ ...box, x: end - box.x - box.width }));
}

const WIDEST = 137; // px from one thumbnail to the next
const WIDEST_ALONE = 226; // of a grid that stands alone
const HIGHEST_ALONE = 500; // px of all its rows, about, where they are wider

/**
 * The side of a thumbnail, how far apart their columns stand, in px, and whether the grid scrolls inside itself.
 * Rounded down to whole cells, unless that would waste a fifth of the room. `layers` is given where the grid stands alone
 * and few rows may take more room.
 */
export function thumbnailSize({ column, heads, cells, narrow, large, layers = Infinity }) {
  const labels = narrow ? 34 : large ? 84 : 56;
  if (narrow) return { labels, pitch: 76, side: wholeCells(65, cells), scrolls: true };
  const most = Math.max(WIDEST, Math.min(WIDEST_ALONE, Math.floor(HIGHEST_ALONE / layers)));
  const pitch = Math.max(54, Math.min(most, Math.floor((column - labels) / heads)));
  return { labels, pitch, side: wholeCells(pitch - 17, cells), scrolls: labels + pitch * heads > column };
}

function wholeCells(room, cells) {
  const side = Math.floor(room / cells) * cells;
  return side >= 0.8 * room ? side : room;
}

function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}
