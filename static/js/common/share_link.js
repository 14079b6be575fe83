// A link given on: by the device's own sheet where it has one, else by the clipboard.

/**
 * Copy a link; whether that was possible.
 * @param {string} link
 */
export async function copyLink(link) {
  try {
    await navigator.clipboard.writeText(link);
    return true;
  } catch {
    return copyField(link);
  }
}

/**
 * Without https a browser has no clipboard, but copies what is selected in a field.
 * @param {string} link
 */
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

/**
 * Give a link to others; whether it has been copied.
 * @param {string} link
 * @param {string} title
 */
export async function shareLink(link, title) {
  const sheet = { title, url: link };
  if (!navigator.canShare?.(sheet)) return copyLink(link);
  // Whoever closes the sheet again has changed his mind.
  await navigator.share(sheet).catch(() => {});
  return false;
}
