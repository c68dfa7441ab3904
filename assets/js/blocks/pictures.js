/** The pictures of Two readings, Change a word and Whole model, by the kind of their block: laid out here, so drawn anew at every width. */

import { ADDING_DRAWERS } from "./adding.js";
import { ATLAS_DRAWERS } from "./atlas/drawers.js";
import { BAR_DRAWERS } from "./bars.js";
import { CARRIED_DRAWERS } from "./carried.js";
import { CHANGE_DRAWERS } from "./change/drawers.js";
import { KIND_DRAWERS } from "./kinds.js";
import { LOOK_DRAWERS } from "./look.js";
import { LOOKS_DRAWERS } from "./looks.js";
import { MATTER_DRAWERS } from "./matter.js";
import { MAXIMA_DRAWERS } from "./maxima.js";
import { NEXT_DRAWERS } from "./next.js";
import { PAIR_DRAWERS } from "./pairs.js";
import { PATH_DRAWERS } from "./path.js";
import { SCORE_DRAWERS } from "./score_line.js";
import { SLOPE_DRAWERS } from "./slopes.js";
import { STORY_DRAWERS } from "./story.js";

export const PICTURES = {
  ...ADDING_DRAWERS,
  ...ATLAS_DRAWERS,
  ...BAR_DRAWERS,
  ...CARRIED_DRAWERS,
  ...CHANGE_DRAWERS,
  ...KIND_DRAWERS,
  ...LOOK_DRAWERS,
  ...LOOKS_DRAWERS,
  ...MATTER_DRAWERS,
  ...MAXIMA_DRAWERS,
  ...NEXT_DRAWERS,
  ...PAIR_DRAWERS,
  ...PATH_DRAWERS,
  ...SCORE_DRAWERS,
  ...SLOPE_DRAWERS,
  ...STORY_DRAWERS,
};
