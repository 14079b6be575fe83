// Share a link: the device's share sheet if it has one, else the clipboard.

import { loadTexts, t } from "../text/i18n.js";
import { text } from "./dom.js";

await loadTexts("share_link");

/** Copy a link and return whether that worked. @param {string} link */
export async function copyLink(link) {
  try {
    await navigator.clipboard.writeText(link);
    return true;
  } catch {
    return copyField(link);
  }
}

// Copy from a text field: browsers offer no clipboard API without https.
/** @param {string} link */
function copyField(link) {
  const field = document.createElement("textarea");
  const before = document.activeElement;
  field.value = link;
  field.className = "visually-hidden";
  document.body.append(field);
  field.select();
  const copied = document.execCommand("copy");
  field.remove();
  if (before instanceof HTMLElement) before.focus();
  return copied;
}

/** Copy the address of a link that was clicked, and say so. @param {Event} event */
export async function copyLinkOf(event) {
  const link = /** @type {HTMLAnchorElement} */ (event.currentTarget);
  event.preventDefault();
  const words = (await copyLink(link.href)) ? t("Copied.") : link.href;
  text(link, words);
  // Also where it is heard: at a table, or beside its line in the lobby.
  const region = document.getElementById("live") ?? link.parentElement?.querySelector("[role=status]");
  if (region) text(region, words);
}

/** Share a link and return true if it was copied. @param {string} link @param {string} title */
export async function shareLink(link, title) {
  const sheet = { title, url: link };
  if (!navigator.canShare?.(sheet)) return copyLink(link);
  // Closing the sheet rejects the promise: that is no error.
  await navigator.share(sheet).catch(() => {});
  return false;
}
