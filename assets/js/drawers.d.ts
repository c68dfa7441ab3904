// What the scripts hand each other, for TypeScript alone, known in each of them; what the server sends them is in blocks.d.ts.
import type * as Sent from "./blocks.d.ts";

declare global {
  type Blocks = Sent.Blocks;
  type Span = Sent.Span;

  /** Tells the server a state or an event, and what of. */
  type Tell = (name: string, value: unknown) => void;

  /** What a drawer has at hand. */
  interface Tools {
    /** Where it is put, which is on the page already. */
    place: HTMLElement;
    /** Of the theme, see lib/colour.js. */
    colours: any;
    /** px of the place. */
    width: number;
    /** Whether it is laid out for a phone. */
    narrow: boolean;
    /** How wide a text is set, at size 1. */
    gauge: (text: string) => number;
    /** A name of this place. */
    id: string;
    /** What outlives a drawing, by place. */
    memory: Map<string, any>;
    /** What the terms of the glossary mean. */
    terms: Record<string, string>;
    trigger: Tell;
  }

  /** How blocks of one kind are drawn: to nodes, as `put` takes them. */
  type Drawer<K extends keyof Blocks> = (block: Blocks[K], tools: Tools) => any;
}
