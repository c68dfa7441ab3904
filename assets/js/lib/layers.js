/** Pictures whose columns are layers: the rank line above the grid of heads. */

import { PHONE } from "./view.js";

export const LAYER_SELECTED = "parallax-layer"; // a layer was selected in one picture, for the others
const MANY_LAYERS = 12;

/** Whether layers run from left to right. @param {number} layers @param {number} width px */
export const isSideways = (layers, width) => layers > MANY_LAYERS && width > PHONE;

/** Tells the other pictures which layer is selected. @param {number} layer */
export const selectLayer = (layer) => globalThis.dispatchEvent(new CustomEvent(LAYER_SELECTED, { detail: layer }));
