// Written by `python -m tests.interfaces` from the classes of blocks in mha/screens. Change those, not this file.

/** What is said, by kind; of a term the third is its entry of the glossary. */
export type Span = [kind: string, text: string, entry?: string];
/** An array of one axis; null is what is no number. */
export type NumberRow = (number | null)[];
/** An array of two axes. */
export type NumberRows = NumberRow[];
/** An array of one axis, of yes and no. */
export type FlagRow = boolean[];
/** An array of two axes, of yes and no. */
export type FlagRows = FlagRow[];

/** Every kind of block. */
export interface Blocks {
  array: Array;
  arrow: Arrow;
  arrow_keys: ArrowKeys;
  buttons: Buttons;
  calculation: Calculation;
  carried_bars: CarriedBars;
  carried_map: CarriedMap;
  cell_dims: CellDims;
  cell_hero: CellHero;
  cell_keys: CellKeys;
  columns: Columns;
  copy_link: CopyLink;
  definitions: Definitions;
  effect_map: EffectMap;
  empty_map: EmptyMap;
  flow: Flow;
  guess_text: GuessText;
  heading: Heading;
  key: Key;
  lean_map: LeanMap;
  looks: Looks;
  maxima: Maxima;
  rows: Rows;
  said: Said;
  second_words: SecondWords;
  sentence: Sentence;
}

export type Block = Blocks[keyof Blocks];

/** One array [row, column] as a table of numbers; `name` finds it again, `now` frames it. */
export interface Array {
  kind: "array";
  name: string;
  title: Span[];
  shape: string;
  values: (number | null)[][];
  shares: boolean;
  now: boolean;
  decimals: number;
  rows: string[];
  columns: string[];
  cell?: [number, number];
  sums: string;
  total: number[];
  picks?: number;
  drawn?: "bars";
}

/** An arrow, or another sign between two arrays; a plain arrow points down on a phone. */
export interface Arrow {
  kind: "arrow";
  sign: string;
}

/** The arrow keys on a focused step go to the next one; what is said of `step`, from 0, is kept in view. */
export interface ArrowKeys {
  kind: "arrow_keys";
  step: number;
}

/** A button by the name that it sends back. */
export interface Button {
  act: string;
  text: string;
}

/** Buttons in a row. */
export interface Buttons {
  kind: "buttons";
  buttons: Button[];
}

/** Lines (what, number, how) of one number worked out by hand; style sheets know it by its `name`. */
export interface Calculation {
  kind: "calculation";
  lines: [string | Span[], string, string][];
  name: string;
  bars?: [number, string][];
}

/** One head in units of the score: the mean of both directions, each of them, and whether both pass its limit. */
export interface CarriedBar {
  name: string;
  mean: number;
  into: number;
  back: number;
  beyond: boolean;
  share: string;
  ways: string;
}

/** What heads carry, in units of the score, before what one head moves where the reading stays (`floor`). */
export interface CarriedBars {
  kind: "carried_bars";
  label: string;
  bars: CarriedBar[];
  whole: number;
  floor: number;
  rest: NumberRow;
  rest_says: string;
  direct: NumberRow;
  direct_says: string;
}

/** What each head carries; `control` has the mean and the range of three others for each layer that acts. */
export interface CarriedMap {
  kind: "carried_map";
  label: string;
  carried: NumberRows;
  control: ([number, number, number] | null)[];
  direct: number;
  floor: number;
}

/** Query, key and their products, column by column; NaN where a column stands for several numbers. */
export interface CellDims {
  kind: "cell_dims";
  numbers: string[];
  q: NumberRow;
  k: NumberRow;
  products: NumberRow;
  wash: number;
  called: number[];
  decimals: number;
  query_name: string;
  key_name: string;
  count: number;
  total: string;
  label: string;
}

/** The sentence with two words and one arc; `cut` says that words before or behind were left out. */
export interface CellHero {
  kind: "cell_hero";
  pieces: Piece[];
  query: number;
  key: number;
  share: string;
  weight: number;
  cut: [boolean, boolean];
  label: string;
}

/** All keys of one query; `reach` is from the lowest score to the highest, `told` whether lengths are. */
export interface CellKeys {
  kind: "cell_keys";
  rows: KeyRow[];
  reach: [number, number];
  told: boolean;
  label: string;
}

/** Columns that stand under each other on a phone. */
export interface Columns {
  kind: "columns";
  columns: Block[][];
  shares: number[];
}

/** The button that copies the address of this very view; the browser does it alone. */
export interface CopyLink {
  kind: "copy_link";
  label: string;
}

/** Entries as a list of definitions: each has a `name`, a `text` and a `formula`, a command. */
export interface Definitions {
  kind: "definitions";
  entries: { [name: string]: string }[];
}

/** How far silencing each head moves the score, written `times` as large. */
export interface EffectMap {
  kind: "effect_map";
  label: string;
  times: number;
  effect: NumberRows;
  reach: number;
  direct: number | null;
  hint: string;
}

/** A map without weights, whose rows look at its columns. */
export interface EmptyMap {
  kind: "empty_map";
  words: string[];
  label: string;
}

/** A tree of nodes with a text alternative; all its signed arrays share one `ink`, the number of full colour. */
export interface Flow {
  kind: "flow";
  root: Array | Arrow | Group | Said | Sentence | Calculation;
  label: string;
  compact: boolean;
  ink: number;
}

/** Parts side by side (where there is room), below each other, or framed with a title, such as one head. */
export interface Group {
  kind: "row" | "column" | "box";
  parts: (Array | Arrow | Group | Said | Sentence | Calculation)[];
  title: string;
  spread: boolean;
}

/** The reader's sentence, large, and nothing measured on it: only a dashed arc from the word `asked` to a guess. */
export interface GuessText {
  kind: "guess_text";
  text: string;
  pieces: Piece[];
  asked?: number;
  guessed?: number;
  label: string;
}

/** A heading; `style` is "first" at the top of a column of pictures, "near" after a small one. */
export interface Heading {
  kind: "heading";
  spans: Span[];
  level: string;
  style: string;
}

/** What the marks and colours of a picture mean; its words are in `mha.screens.legends`, by its `style`. */
export interface Key {
  kind: "key";
  style: string;
  arrows?: boolean;
}

/** One key; its score, and the bars of its weight, its length and what it brings: parts of the largest of a column. */
export interface KeyRow {
  name: string;
  style: string;
  score: [number, string] | null;
  weight: [number, string];
  length?: [number, string];
  brought?: [number, string];
}

/** Both links' strengths of every head; `none` marks heads that look along neither, `furthest` is ringed. */
export interface LeanMap {
  kind: "lean_map";
  label: string;
  a: NumberRows;
  b: NumberRows;
  none: FlagRows;
  furthest: [layer: number, head: number];
  roles?: string[][];
}

/** The strongest attention from the ambiguous word to each candidate, drawn on the sentence; `cue` decides. */
export interface Looks {
  kind: "looks";
  label: string;
  pivot: number;
  a: number[];
  b: number[];
  cue: number | null;
  pieces: Piece[];
  looks: PartnerLook[];
}

/** The furthest lean of any head in each order of the same words, beside the furthest here. */
export interface Maxima {
  kind: "maxima";
  label: string;
  furthest: NumberRow;
  here: number;
  name: string;
  reached: string;
  often: Span[] | null;
}

/** A head's attention from the ambiguous word to a candidate: how much, to each of its words, on side "a" or "b". */
export interface PartnerLook {
  name: string;
  share: number;
  parts: number[];
  side: string;
  usual?: number;
}

/** A run of the sentence: `space` says whether it stands apart from the one before, `at` which place it has. */
export interface Piece {
  text: string;
  at: number | null;
  space: boolean;
  special?: boolean;
  roles?: string[];
  changed?: boolean;
  rtl?: boolean;
}

/** A table as text: `names` of its columns, which are `numbers`, its `rows`; `note` says what is cut. */
export interface Rows {
  kind: "rows";
  title: string;
  names: string[];
  numbers: boolean[];
  rows: string[][];
  note: string;
  csv: string;
  file: string;
}

/** Sentences in one paragraph, whose terms open their line of the glossary. */
export interface Said {
  kind: "said";
  style: string;
  spans: Span[];
}

/** Two words for each reading, the second of each to be given; `taken` is refused. */
export interface SecondWords {
  kind: "second_words";
  slots: [Slot, Slot];
  taken: string[];
}

/** The words, large; the one that looks is underlined, the one that is looked at has a thin line. */
export interface Sentence {
  kind: "sentence";
  words: string[];
  asking: number;
  asked: number;
  quiet: number[];
  rtl?: boolean;
}

/** The words that force one reading: a second one may be given, from some `offered` or any other. */
export interface Slot {
  side: string;
  first: string;
  second: string;
  ask: string;
  offered: string[];
}
