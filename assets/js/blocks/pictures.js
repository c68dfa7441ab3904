/** The pictures of blocks by their kind: laid out here, so drawn again at every width. */

import { SMALL_MAP_DRAWERS } from "./small_map.js";

export const PICTURES = { ...SMALL_MAP_DRAWERS };
