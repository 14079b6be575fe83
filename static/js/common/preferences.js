// The menu of preferences, which are stored on this device. Loaded after the page.

import { all, byId, remember } from "./dom.js";
import { volume } from "./event_sound.js";

const ROOT = document.documentElement;

for (const input of all("#menu input", HTMLInputElement)) {
  const { name, value } = input;
  // What is stored was set before the page was painted (theme_init.js).
  if (ROOT.dataset[name]) input.checked = value === ROOT.dataset[name];
  input.addEventListener("change", () => {
    ROOT.dataset[name] = input.checked ? value : "";
    remember(name, ROOT.dataset[name]);
  });
}
for (const field of all("#menu fieldset", HTMLFieldSetElement)) field.disabled = false;
for (const link of all("a.choice[hreflang]", HTMLAnchorElement))
  link.addEventListener("click", () => {
    link.hash = location.hash;
  });
closeOutside(byId("menu", HTMLDetailsElement));

// Tables have one.
const speaker = document.getElementById("speaker");
if (speaker) {
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
    if (event.key !== "Escape") return;
    menu.open = false;
    menu.querySelector("summary")?.focus();
  });
}
