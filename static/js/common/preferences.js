// What a person has chosen for this device: light or dark, four colours, sound, language.

import { byId, recall, remember } from "./dom.js";

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

/** How loud sounds are wanted, from 0 to 1; there are none until asked for. */
function volume() {
  return LOUD[ROOT.dataset.sound ?? ""] ?? 0;
}

/**
 * What happens sounds, if the person wants sounds.
 * @param {{type: string, action?: string}} event
 */
export async function playEventSound({ type, action }) {
  const loud = volume();
  if (loud) (await import("./sound.js")).playSound(action === "K" ? "king" : type, loud);
}

/** Whether the last card of a hand is played by itself. */
export function isLastCardAutomatic() {
  return ROOT.dataset.last === "itself";
}

/** Connect the menu of the page's head. */
export function connectPrefs() {
  for (const [name, values] of Object.entries(CHOICES)) {
    const saved = recall(name, values[0]);
    const value = values.includes(saved) ? saved : values[0];
    ROOT.dataset[name] = value;
    /** @type {NodeListOf<HTMLInputElement>} */
    const inputs = document.querySelectorAll(`input[name=${name}]`);
    for (const input of inputs) {
      input.checked = input.value === value || (input.type === "checkbox" && value === values.at(-1));
      input.addEventListener("change", () => choose(name, input, values));
    }
  }
  closeOutside(byId("menu", HTMLDetailsElement));
  connectSpeaker();
}

// One click turns sounds on or off, where a page has the button for it.
function connectSpeaker() {
  const speaker = document.getElementById("speaker");
  if (!speaker) return;
  const pressed = () => speaker.setAttribute("aria-pressed", String(volume() > 0));
  speaker.addEventListener("click", () => {
    const wanted = volume() ? "off" : "full";
    document.querySelector(`input[name=sound][value=${wanted}]`)?.dispatchEvent(new MouseEvent("click"));
  });
  for (const input of document.querySelectorAll("input[name=sound]")) {
    input.addEventListener("change", pressed);
  }
  pressed();
}

/**
 * @param {string} name
 * @param {HTMLInputElement} input
 * @param {string[]} values
 */
function choose(name, input, values) {
  const value = input.type === "checkbox" ? values[input.checked ? 1 : 0] : input.value;
  ROOT.dataset[name] = value;
  remember(name, value);
}

/** @param {HTMLDetailsElement} menu */
function closeOutside(menu) {
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
