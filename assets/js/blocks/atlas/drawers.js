/** The pictures of Whole model, by the kind of their block. */

import { different, heat, like, matrix, plane } from "./alike.js";
import { lean } from "./lean.js";
import { map, row } from "./map.js";
import { SHEET_DRAWERS } from "./sheet.js";

export const ATLAS_DRAWERS = {
  atlas_map: map,
  atlas_row: row,
  atlas_matrix: matrix,
  atlas_plane: plane,
  atlas_different: different,
  atlas_like: like,
  atlas_heat: heat,
  atlas_lean: lean,
  ...SHEET_DRAWERS,
};
