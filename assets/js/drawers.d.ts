// What the scripts hand each other, for TypeScript alone, known in each of them.
export {};

declare global {
  /** A part of a sentence: its kind and its text (`mha/views/heads_sentences.py`). */
  type Span = [kind: string, text: string];

  /** Tells the server a state or an event, and what of. */
  type Tell = (name: string, value: unknown) => void;
}
