// What the scripts hand each other, for TypeScript alone; what the server sends them is in blocks.d.ts.
import type { Blocks } from "./blocks.d.ts";

/** Tells the server a state or an event, and what of. */
export type Tell = (name: string, value: unknown) => void;

/** What a drawer has at hand. */
export interface Tools {
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
  /** The words of this kind's own legend. */
  legend: Record<string, string>;
  trigger: Tell;
}

/** How blocks of one kind are drawn into their place. */
export type Drawer<K extends keyof Blocks> = (place: HTMLElement, block: Blocks[K], tools: Tools) => void;
