/** Where the small maps of a layer stand, and which cell a key moves to. Pure. */

const GAP = 22; // px between maps of a line
const LINE = 18; // px between lines, besides the name
const NAME = 26; // px above each map
const LEGIBLE = 11; // px of a cell below which words do not fit: then fewer maps in a line, then no words
const LARGEST = 40; // px of a cell
const LEAN = 0.82; // of its length, how far down a turned word reaches

/**
 * As many maps in a line as keep the words legible; a text too long for that gets maps without words.
 * @param {{width: number, count: number, rows: number, columns: number, label: number, size: number, rtl?: boolean}} layer
 * px there are, maps, cells of one, px of the longest word, of type
 */
export function plan({ width, count, rows, columns, label, size, rtl = false }) {
  const wanted = width >= 900 ? 6 : width >= 520 ? 4 : 2;
  const words = Math.min(label, width * 0.3);
  const beside = Math.max(40, words + 14);
  const cellOf = (number, side) =>
    Math.floor(Math.min(LARGEST, (width - side - GAP * (number - 1)) / number / columns));
  const numbers = Array.from({ length: wanted }, (_, i) => wanted - i).filter(
    (number) => number >= Math.max(1, Math.floor(wanted / 3)),
  );
  const legible = numbers.find((number) => cellOf(number, beside) >= LEGIBLE);
  const labelled = legible !== undefined;
  const inLine = legible ?? Math.max(1, Math.floor((2 * wanted) / 3));
  const side = labelled ? beside : 0;
  const cell = Math.max(1, cellOf(inLine, side));
  const [wide, tall] = [cell * columns, cell * rows];
  const lines = Math.ceil(count / inLine);
  const under = labelled ? LEAN * words + size : 8;
  return {
    cell,
    labelled,
    columns: inLine,
    label: words,
    width: wide,
    tall,
    height: Math.ceil(lines * (NAME + tall) + (lines - 1) * LINE + under),
    /** Where a map stands in px, whether it is the first of its line, and whether none stands under it. */
    at(i) {
      const [line, place] = [Math.floor(i / inLine), i % inLine];
      const from = rtl ? 0 : side; // words of a text from right to left stand at the right, beside the last map
      const lastOfLine = place === inLine - 1 || i === count - 1;
      return {
        x: from + place * (wide + GAP),
        y: NAME + line * (NAME + tall + LINE),
        first: rtl ? lastOfLine : place === 0,
        last: i + inLine >= count,
      };
    },
  };
}

/**
 * The cell that a key moves to, or null when it means nothing; over the edge of a map it goes on in the next one.
 * @param {string} key @param {{head: number, q: number | null, k: number | null}} cell
 * @param {{heads: number, columns: number, rows: number, keys: number, causal: boolean}} layer
 */
export function nextCell(key, { head, q, k }, { heads, columns, rows, keys, causal }) {
  const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[key];
  if (!step) return null;
  if (q === null || k === null) return { head, q: 0, k: 0 };
  const seen = (row) => (causal ? Math.min(keys, row + 1) : keys); // columns of a row that the mask leaves
  const [row, column] = [q + step[0], k + step[1]];
  if (row >= 0 && row < rows && column >= 0 && column < seen(row)) return { head, q: row, k: column };
  const next = head + (step[0] ? step[0] * columns : step[1]);
  const blocked = row >= 0 && row < rows && step[0] !== 0; // the mask hides what is above
  if (blocked || next < 0 || next >= heads) return { head, q, k };
  if (step[0]) {
    const to = step[0] > 0 ? 0 : rows - 1;
    return { head: next, q: to, k: Math.min(k, seen(to) - 1) };
  }
  return { head: next, q, k: step[1] > 0 ? 0 : seen(q) - 1 };
}
