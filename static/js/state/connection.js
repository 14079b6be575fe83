// The connection to a table: join, stay in step by version, send requests.

import { NO_ANSWER } from "../common/api.js";
import { h } from "../common/dom.js";
import { urlFor } from "../common/urls.js";
import { isKnown } from "./reducer.js";

/** @import { Socket } from "socket.io-client" */

/**
 * Callbacks of a connection; `answer` says why the server refuses.
 * @typedef {{
 *   snapshot: (snapshot: Wire.Snapshot) => void,
 *   event: (event: Wire.Event) => void,
 *   you?: (you: Wire.You) => void,
 *   chance?: (chance: Wire.Odds) => void,
 *   said?: (said: Wire.ChatMessage) => void,
 *   closed?: (message: {successor: string, is_over: boolean}) => void,
 *   connected?: (there: boolean, answer?: Wire.Refusal) => void,
 * }} Listener
 */

const ANNOUNCEMENT_MS = 60_000;
const TIMEOUT_MS = 5000;
const MIN_RETRY_MS = 1000;
const MAX_RETRY_MS = 8000;
const MAX_TRIES = 4;
// These events repeat the current version instead of increasing it.
const NOTICES = ["checkpoint", "notice", "restored"];
// Refusals that pass by themselves.
const TRANSIENT_CODES = ["unavailable", "rate_limited"];

/** Open a socket; its library is loaded after the page, and once for all pages. */
export async function openSocket() {
  const { io } = await import("socket.io-client");
  const socket = io({ path: urlFor("/socket.io"), transports: ["websocket"], reconnectionDelayMax: 3000 });
  socket.on("announcement", ({ text }) => announce(text));
  return socket;
}

// Show an operator's announcement above the page until it is clicked or times out.
/** @param {string} text */
function announce(text) {
  const shown = h("p.banner.announcement", { role: "alert", onclick: () => shown.remove() }, text);
  document.body.prepend(shown);
  setTimeout(() => shown.remove(), ANNOUNCEMENT_MS);
}

/** A connection to one table that keeps its owner's state current. */
export class TableConnection {
  /** @type {number | null} */
  version = null;
  isPreview = false; // not counted as watching the table
  /** @type {object | null} */
  joining = null;
  latestVersion = 0;
  retryMs = MIN_RETRY_MS;
  heard = 0;
  /** @type {Socket | null} */
  socket = null;

  /** @param {string} table @param {Listener} on @param {(step: () => void, ms: number) => unknown} [later] */
  constructor(table, on, later = (step, ms) => setTimeout(step, ms)) {
    this.table = table;
    this.on = on;
    this.later = later;
  }

  /** @param {Socket} socket */
  listen(socket) {
    const { table, on } = this;
    this.socket = socket;
    socket.on("connect", () => this.join());
    socket.on("disconnect", () => {
      this.joining = null;
      on.connected?.(false);
    });
    socket.on("connect_error", () => on.connected?.(false));
    socket.on("event", (event) => this.receive(event));
    socket.on("you", (you) => on.you?.(you));
    socket.on("said", (said) => said.table === table && on.said?.(said));
    socket.on("chance", (chance) => chance.table === table && on.chance?.(chance));
    socket.on("table_closed", (closed) => closed.table === table && on.closed?.(closed));
    for (const sign of /** @type {const} */ (["ping", "packet"])) socket.io.on(sign, () => (this.heard += 1));
    if (socket.connected) this.join();
  }

  /** Request a snapshot, or the events since the last known version. */
  async join() {
    if (this.joining) return;
    const joining = {};
    this.joining = joining;
    this.latestVersion = 0;
    const since = this.version === null ? {} : { since: this.version };
    const preview = this.isPreview && { preview: true };
    const answer = await this.request("join", { table: this.table, ...since, ...preview });
    // The connection broke in the meantime: it joins again once it is back.
    if (joining !== this.joining) return;
    if (!answer.ok) return void this.onRefused(answer);
    this.joining = null;
    this.retryMs = MIN_RETRY_MS;
    if (answer.snapshot) {
      this.version = answer.version;
      this.on.snapshot(answer.snapshot);
    } else {
      for (const event of answer.events ?? []) this.receive(event);
      const { taking, away, version } = answer;
      if (taking !== undefined) this.receive({ type: "notice", table: this.table, version, taking, away });
    }
    if (this.version === null || this.version < this.latestVersion) return void this.join();
    this.on.connected?.(true);
    if (answer.you) this.on.you?.(answer.you);
    if (answer.chance) this.on.chance?.(answer.chance);
  }

  // Retry later; `joining` stays set so that nothing else joins before.
  /** @param {Wire.Refusal} answer */
  onRefused(answer) {
    const { joining } = this;
    const retry = () => {
      if (joining !== this.joining) return;
      this.joining = null;
      this.join();
    };
    if (TRANSIENT_CODES.includes(answer.code)) {
      this.later(retry, this.retryMs);
      this.retryMs = Math.min(2 * this.retryMs, MAX_RETRY_MS);
    } else {
      this.joining = null;
    }
    this.on.connected?.(false, answer);
  }

  /** @param {Wire.Event} event */
  receive(event) {
    if (event.table !== this.table) return;
    this.latestVersion = Math.max(this.latestVersion, event.version);
    if (this.version === null) return;
    const isNotice = NOTICES.includes(event.type);
    if (event.version <= this.version && !isNotice) return;
    const isNext = event.version <= this.version + (isNotice ? 0 : 1);
    // An unknown event cannot be folded: request a snapshot.
    if (isNext && !isKnown(event)) this.version = null;
    if (!isNext || this.version === null) return void this.join();
    this.version = event.version;
    this.on.event(event);
  }

  /**
   * Send a message and return the answer, or a refusal after a timeout.
   * @template {keyof Wire.Requests} Name
   * @param {Name} name
   * @param {Wire.Requests[Name][0]} payload
   * @returns {Promise<Wire.Answer<Wire.Requests[Name][1]>>}
   */
  async request(name, payload) {
    const { heard } = this;
    try {
      return (await this.socket?.timeout(TIMEOUT_MS).emitWithAck(name, payload)) ?? NO_ANSWER;
    } catch {
      // The line is dead, although the library will know only when a ping is late.
      if (this.socket?.connected && this.heard === heard && !this.joining) {
        this.on.connected?.(false);
        this.join();
      }
      return NO_ANSWER;
    }
  }
}

/**
 * Send an idempotent message until an answer comes.
 * @template {keyof Wire.Requests} Name
 * @param {Pick<TableConnection, "request">} connection
 * @param {Name} name
 * @param {Wire.Requests[Name][0]} payload
 * @returns {Promise<Wire.Answer<Wire.Requests[Name][1]>>}
 */
export async function requestWithRetry(connection, name, payload) {
  let answer = await connection.request(name, payload);
  for (let n = 1; n < MAX_TRIES && !answer.ok && answer.code === "unavailable" && !answer.message; n += 1) {
    answer = await connection.request(name, payload);
  }
  return answer;
}
