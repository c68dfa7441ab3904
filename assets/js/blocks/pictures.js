/** The pictures of Two readings and of Change a word, by the kind of their block: laid out here, so drawn anew at every width. */

import { CARRIED_DRAWERS } from "./carried.js";
import { CHANGE_DRAWERS } from "./change/drawers.js";
import { LOOK_DRAWERS } from "./look.js";
import { MATTER_DRAWERS } from "./matter.js";
import { PAIR_DRAWERS } from "./pairs.js";
import { SLOPE_DRAWERS } from "./slopes.js";
import { STORY_DRAWERS } from "./story.js";
import { STRIP_DRAWERS } from "./strips.js";

export const PICTURES = { ...CARRIED_DRAWERS, ...CHANGE_DRAWERS, ...LOOK_DRAWERS, ...MATTER_DRAWERS, ...PAIR_DRAWERS, ...SLOPE_DRAWERS, ...STORY_DRAWERS, ...STRIP_DRAWERS };
