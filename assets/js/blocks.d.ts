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
  buttons: Buttons;
  carried_bars: CarriedBars;
  carried_map: CarriedMap;
  columns: Columns;
  copy_link: CopyLink;
  definitions: Definitions;
  effect_map: EffectMap;
  empty_map: EmptyMap;
  guess_text: GuessText;
  heading: Heading;
  key: Key;
  lean_map: LeanMap;
  looks: Looks;
  maxima: Maxima;
  rows: Rows;
  said: Said;
  second_words: SecondWords;
}

export type Block = Blocks[keyof Blocks];

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

/** The words that force one reading: a second one may be given, from some `offered` or any other. */
export interface Slot {
  side: string;
  first: string;
  second: string;
  ask: string;
  offered: string[];
}
