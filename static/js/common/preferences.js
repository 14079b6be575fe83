// The menu of preferences, which are stored on this device. Loaded after the page.

import { all, byId, remember } from "./dom.js";
import { volume } from "./event_sound.js";

const ROOT = document.documentElement;
/** @type {Record<string, string[]>} */
const CHOICES = {
  theme: ["auto", "light", "dark"],
  deck: ["two", "four"],
  courts: ["own", "french"],
  sound: ["off", "soft", "full"],
  last: ["ask", "itself"],
};

export const isLastCardAutomatic = () => ROOT.dataset.last === "itself";

/** Connect the preferences menu. */
export function connectPrefs() {
  for (const [name, values] of Object.entries(CHOICES)) {
    // What is stored was set before the page was painted (theme_init.js).
    const value = values.find((one) => one === ROOT.dataset[name]) ?? values[0];
    ROOT.dataset[name] = value;
    for (const input of all(`input[name=${name}]`, HTMLInputElement)) {
      input.checked = input.value === value || (input.type === "checkbox" && value === values.at(-1));
      input.addEventListener("change", () => {
        const chosen = input.type === "checkbox" ? values[input.checked ? 1 : 0] : input.value;
        ROOT.dataset[name] = chosen;
        remember(name, chosen);
      });
    }
  }
  for (const field of all("#menu fieldset", HTMLFieldSetElement)) field.disabled = false;
  for (const link of all("a.choice[hreflang]", HTMLAnchorElement))
    link.addEventListener("click", () => {
      link.hash = location.hash;
    });
  closeOutside(byId("menu", HTMLDetailsElement));
  connectSpeaker();
}

function connectSpeaker() {
  const speaker = document.getElementById("speaker");
  if (!speaker) return;
  speaker.removeAttribute("disabled");
  const pressed = () => speaker.setAttribute("aria-pressed", String(volume() > 0));
  speaker.addEventListener("click", () => {
    const wanted = volume() ? "off" : "full";
    document.querySelector(`input[name=sound][value=${wanted}]`)?.dispatchEvent(new MouseEvent("click"));
  });
  for (const input of all("input[name=sound]")) input.addEventListener("change", pressed);
  pressed();
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
