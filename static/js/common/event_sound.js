// The sounds of events, if the viewer wants any.

/** @type {Record<string, number>} */
const LOUD = { soft: 0.35, full: 1 };

/** Return the chosen volume from 0 to 1. */
export const volume = () => LOUD[document.documentElement.dataset.sound ?? ""] ?? 0;

/** Play the sound of an event if sounds are on. @param {{type: string, action?: string}} event */
export async function playEventSound({ type, action }) {
  const loud = volume();
  if (loud) (await import("./sound.js")).playSound(action === "K" ? "king" : type, loud);
}
