// Sends one request at a time, and keeps the sentence of a refusal.

import { refusal } from "./api.js";

/** @import { Answer } from "../state/messages" */

export class Sender {
  sending = false;
  message = "";

  /** @param {() => void} onchange called before and after each request */
  constructor(onchange) {
    this.onchange = onchange;
  }

  /** @param {() => Promise<Answer<object>>} request */
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
