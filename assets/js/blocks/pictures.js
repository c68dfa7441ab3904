/** The pictures of all pages but those of one cell, by the kind of their block: laid out here, so drawn anew at every width. */

import { CARRIED_DRAWERS, carriedLegend } from "./carried.js";
import { SMALL_MAP_DRAWERS } from "./small_map.js";
import { leanLegend, LOOK_DRAWERS, marksKey } from "./look.js";
import { looks } from "./looks.js";
import { MATTER_DRAWERS } from "./matter.js";
import { maxima } from "./maxima.js";

const KEYS = {
  carried_legend: carriedLegend,
  lean_legend: leanLegend,
  marks_key: marksKey,
};

export const PICTURES = {
  ...CARRIED_DRAWERS,
  key: (block, tools) => KEYS[block.style](block, tools),
  ...SMALL_MAP_DRAWERS,
  ...LOOK_DRAWERS,
  looks,
  ...MATTER_DRAWERS,
  maxima,
};
