/** The pictures of Change a word, by the kind of their block. */

import { hero } from "./hero.js";
import { map, rank } from "./map.js";
import { pin, scale, variants } from "./pin.js";
import { words } from "./words.js";

export const CHANGE_DRAWERS = {
  change_hero: hero,
  change_map: map,
  change_rank: rank,
  change_pin: pin,
  change_scale: scale,
  change_variants: variants,
  change_words: words,
};
