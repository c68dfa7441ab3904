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
  columns: Columns;
  copy_link: CopyLink;
  definitions: Definitions;
  empty_map: EmptyMap;
  guess_text: GuessText;
  heading: Heading;
  rows: Rows;
  said: Said;
}

export type Block = Blocks[keyof Blocks];

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
