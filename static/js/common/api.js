// Requests to the JSON API.

import { t } from "../text/i18n.js";
import { urlFor } from "./urls.js";

/** @type {Wire.Refusal} */
export const NO_ANSWER = { ok: false, code: "unavailable", message: "" };

/**
 * GET a JSON answer, or a refusal.
 * @template {keyof Wire.GetAnswers} Path
 * @param {Path} path its ID is replaced
 * @param {string | Record<string, string | number>} [more] what replaces it, or what is asked for
 * @returns {Promise<Wire.Answer<Wire.GetAnswers[Path]>>}
 */
export async function get(path, more = {}) {
  if (typeof more === "string") return send(withId(path, more));
  const query = new URLSearchParams(/** @type {Record<string, string>} */ (more));
  return send(query.size ? `${path}?${query}` : path);
}

/**
 * POST JSON, for an answer or a refusal.
 * @template {keyof Wire.PostAnswers} Path
 * @param {Path} path
 * @param {Wire.PostAnswers[Path][0]} body
 * @param {string} [id] what replaces its ID
 * @returns {Promise<Wire.Answer<Wire.PostAnswers[Path][1]>>}
 */
export async function post(path, body, id = "") {
  const headers = { "Content-Type": "application/json" };
  return send(withId(path, id), { method: "POST", headers, body: JSON.stringify(body) });
}

/** @param {string} path @param {string} id */
const withId = (path, id) => path.replace(/\bID\b/, encodeURIComponent(id));

/** @param {string} path @param {RequestInit} [options] */
async function send(path, options) {
  try {
    // Long enough for the expert to review a game.
    const signal = AbortSignal.timeout(20_000);
    const response = await fetch(urlFor(path), { credentials: "same-origin", signal, ...options });
    return await response.json();
  } catch {
    return NO_ANSWER;
  }
}

/**
 * Return the translated sentence of a refusal; the catalogue is loaded on first use.
 * @param {Wire.Refusal} answer
 */
export async function refusal(answer) {
  // Without a reason it comes from the page itself: its message, if any, is a sentence already.
  if (!answer.reason) return answer.message || t("The casino does not answer.");
  const sentences = await import("../text/error_text.js").catch(() => null);
  return sentences?.errorText(answer) ?? answer.message;
}

/** Return 128 random bits in hex, for an id or a secret. randomUUID() needs https. */
export const randomText = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (n) => n.toString(16).padStart(2, "0")).join("");

/** Sends one request at a time, and keeps the sentence of a refusal. */
export class Sender {
  sending = false;
  message = "";

  /** @param {() => void} onchange called before and after each request */
  constructor(onchange) {
    this.onchange = onchange;
  }

  /** @param {() => Promise<Wire.Answer<object>>} request */
  async send(request) {
    if (this.sending) return;
    this.sending = true;
    this.onchange();
    const answer = await request();
    this.sending = false;
    this.message = answer.ok ? "" : await refusal(answer);
    this.onchange();
  }
}
