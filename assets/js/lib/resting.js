/** A finger that rests on something: it asks for what a tap does not, as a second button of the mouse would. */

export const REST = 500; // ms from which on a finger rests
const STILL = 10; // px that a resting finger may stray

/**
 * Calls back with what a finger rests on, and swallows the click and the menu that the browser makes of it.
 * @param {(name: string, handler: (event: any) => void, node?: EventTarget, options?: object) => void} listen
 * @param {(target: EventTarget) => any} what an event is on; null or undefined where resting means nothing
 * @param {(it: any) => void} rested
 */
export function resting(listen, what, rested) {
  let waiting = null; // the finger that is down: where, and its timer
  let done = false; // whether the finger that was down last has rested

  function lifted() {
    if (waiting) clearTimeout(waiting.timer);
    waiting = null;
  }

  listen("pointerdown", (event) => {
    lifted();
    done = false;
    const it = event.pointerType === "touch" && event.isPrimary ? what(event.target) : null;
    if (it === null || it === undefined) return;
    const timer = setTimeout(() => {
      waiting = null;
      done = true;
      rested(it);
    }, REST);
    waiting = { x: event.clientX, y: event.clientY, timer };
  });
  listen("pointermove", (event) => {
    if (waiting && Math.hypot(event.clientX - waiting.x, event.clientY - waiting.y) > STILL) lifted();
  });
  for (const name of ["pointerup", "pointercancel"]) listen(name, lifted);
  listen("contextmenu", (event) => {
    if (waiting || done) event.preventDefault();
  });
  return {
    /** Whether a click is only the end of a finger's rest; one click is. */
    swallows() {
      const was = done;
      done = false;
      return was;
    },
  };
}
