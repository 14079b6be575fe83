// The JSON side of the house.

import { refusal } from "./i18n.js";

/** GET a JSON answer; a refusal comes as {ok: false, code, message}. */
export async function get(path) {
  return send(path, { headers: { Accept: "application/json" } });
}

/** POST JSON; the page's token shows that the page itself asks. */
export async function post(path, body) {
  const token = document.querySelector("meta[name=csrf-token]")?.content ?? "";
  const headers = { "Content-Type": "application/json", Accept: "application/json", "X-CSRF-Token": token };
  return send(path, { method: "POST", headers, body: JSON.stringify(body) });
}

async function send(path, options) {
  try {
    const response = await fetch(path, { credentials: "same-origin", ...options });
    return await response.json();
  } catch {
    return { ok: false, code: "unavailable", message: "" };
  }
}

/** Let a form with a name, and a password if he likes, open an account; `entered` is told. */
export function connectEnter(form, entered) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const fields = Object.fromEntries([...new FormData(form)].filter(([, value]) => value));
    const answer = await post("/api/enter", fields);
    const said = form.querySelector("[role=alert]");
    said.textContent = answer.ok ? "" : await refusal(answer);
    if (answer.code === "name_taken") form.querySelector("details")?.setAttribute("open", "");
    if (answer.ok) entered(answer);
  });
}
