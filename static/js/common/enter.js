// Entering with a name, and with the recovery code that brings it back.

import { post, randomText, refusal } from "./api.js";
import { onSubmit, recall, remember, within } from "./dom.js";

const CODE = /^recover-[0-9a-f]{32}$/;

/** Return where the recovery code of a name is kept. @param {string} name */
export const codeKey = (name) => `code.${name.trim().replace(/\s+/g, " ").normalize("NFC")}`;

/**
 * Enter with a name. Without a password, a code in this browser brings the name back if the cookie is lost.
 * @param {string} name
 * @param {string} [password] or the code
 */
export async function enter(name, password = "") {
  const key = codeKey(name);
  const code = CODE.test(password) ? password : password ? "" : recall(key) || `recover-${randomText()}`;
  // Kept before it is sent: the answer may be lost.
  if (!password) remember(key, code);
  const answer = await post("/api/enter", code ? { name, code } : { name, password });
  if (!answer.ok) return answer;
  remember(key, answer.recovery ? code : "");
  if (!code) remember("password", "set");
  return answer;
}

/**
 * Connect a form that enters with a name and an optional password.
 * @param {HTMLFormElement} form
 * @param {(you: Wire.Entered) => void} entered
 */
export function connectEnter(form, entered) {
  onSubmit(form, async () => {
    const fields = new FormData(form);
    const answer = await enter(String(fields.get("name")), String(fields.get("password")));
    within(form, "[role=alert]").textContent = answer.ok ? "" : await refusal(answer);
    if (answer.ok) entered(answer);
    else if (answer.code === "name_taken") form.querySelector("details")?.setAttribute("open", "");
  });
  // Until here the browser would have sent the form itself, and left the page for an error.
  within(form, "button.primary").removeAttribute("disabled");
}
