// Share a link: the device's share sheet if it has one, else the clipboard.

import { loadTexts, t } from "../text/i18n.js";
import { text } from "./dom.js";

const COPIED_MS = 4000;

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

/** Copy the address that a pressed button has as its value, and say so in it. @param {Event} event */
export async function copyInvitation({ currentTarget }) {
  const button = /** @type {HTMLButtonElement} */ (currentTarget);
  const link = new URL(button.value, location.href).href;
  if (await copyLink(link)) text(button, t("Copied."));
  else prompt(t("Copy invitation"), link);
  setTimeout(() => text(button, t("Copy invitation")), COPIED_MS);
}

/** Share a link and return true if it was copied. @param {string} link @param {string} title */
export async function shareLink(link, title) {
  const sheet = { title, url: link };
  if (!navigator.canShare?.(sheet)) return copyLink(link);
  // Closing the sheet rejects the promise: that is no error.
  await navigator.share(sheet).catch(() => {});
  return false;
}
