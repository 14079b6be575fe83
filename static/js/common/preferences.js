// Preferences stored on this device: theme, colours of the suits, sound.

import { all, byId, recall, remember } from "./dom.js";

const ROOT = document.documentElement;
/** @type {Record<string, string[]>} */
const CHOICES = {
  theme: ["auto", "light", "dark"],
  deck: ["two", "four"],
  courts: ["own", "french"],
  sound: ["off", "soft", "full"],
  last: ["ask", "itself"],
};

/** @type {Record<string, number>} */
const LOUD = { soft: 0.35, full: 1 };

/** Return the chosen volume from 0 to 1. */
const volume = () => LOUD[ROOT.dataset.sound ?? ""] ?? 0;

/**
 * Play the sound of an event if sounds are on.
 * @param {{type: string, action?: string}} event
 */
export async function playEventSound({ type, action }) {
  const loud = volume();
  if (loud) (await import("./sound.js")).playSound(action === "K" ? "king" : type, loud);
}

export const isLastCardAutomatic = () => ROOT.dataset.last === "itself";

/** Connect the preferences menu. */
export function connectPrefs() {
  for (const [name, values] of Object.entries(CHOICES)) {
    const saved = recall(name, values[0]);
    const value = values.includes(saved) ? saved : values[0];
    ROOT.dataset[name] = value;
    for (const input of all(`input[name=${name}]`, HTMLInputElement)) {
      input.checked = input.value === value || (input.type === "checkbox" && value === values.at(-1));
      input.addEventListener("change", () => choose(name, input, values));
    }
  }
  closeOutside(byId("menu", HTMLDetailsElement));
  connectSpeaker();
}

function connectSpeaker() {
  const speaker = document.getElementById("speaker");
  if (!speaker) return;
  const pressed = () => speaker.setAttribute("aria-pressed", String(volume() > 0));
  speaker.addEventListener("click", () => {
    const wanted = volume() ? "off" : "full";
    document.querySelector(`input[name=sound][value=${wanted}]`)?.dispatchEvent(new MouseEvent("click"));
  });
  for (const input of all("input[name=sound]")) input.addEventListener("change", pressed);
  pressed();
}

/** @param {string} name @param {HTMLInputElement} input @param {string[]} values */
function choose(name, input, values) {
  const value = input.type === "checkbox" ? values[input.checked ? 1 : 0] : input.value;
  ROOT.dataset[name] = value;
  remember(name, value);
}

/** Close a menu by a click elsewhere, or by Escape. @param {HTMLDetailsElement} menu */
export function closeOutside(menu) {
  document.addEventListener("click", (event) => {
    if (menu.open && event.target instanceof Node && !menu.contains(event.target)) menu.open = false;
  });
  menu.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      menu.open = false;
      menu.querySelector("summary")?.focus();
    }
  });
}
