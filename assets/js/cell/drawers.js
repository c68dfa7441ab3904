/** The pictures of one cell, by the kind of their block. */

import { dims } from "./dims.js";
import { hero } from "./hero.js";
import { keys } from "./keys_table.js";

export const PICTURES = { cell_hero: hero, cell_dims: dims, cell_keys: keys };
