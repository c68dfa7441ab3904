/** The pictures of one cell, by the kind of their block. */

import { dims } from "./dims.js";
import { hero } from "./hero.js";
import { keys, lengths, steps, strips } from "./numbers.js";

export const PICTURES = { cell_hero: hero, cell_dims: dims, cell_steps: steps, cell_keys: keys, cell_lengths: lengths, cell_strips: strips };
