// A table as a spectator sees it, kept current: the lobby's tables and the overlay.

import { isHurried } from "../common/dom.js";
import { Caption } from "../text/caption.js";
import { AnimationQueue } from "./animation_queue.js";
import { TableConnection } from "./connection.js";
import { fold } from "./reducer.js";
import { anonymousViewer, emptyTable, fromSnapshot } from "./table_state.js";

/** @import { Socket } from "socket.io-client" */

export class Spectator {
  caption = new Caption();

  /** @param {string} table @param {() => void} render called after each change */
  constructor(table, render) {
    this.state = emptyTable(table);
    this.render = render;
  }

  /** @param {State.Table} state */
  show(state) {
    this.state = state;
    this.render();
  }

  /** Follow the table card by card, until it is over. @param {Socket} socket @param {() => void} [onover] */
  follow(socket, onover = () => {}, isPreview = false) {
    const queue = new AnimationQueue(
      (event, came) => {
        this.show(fold(this.state, event, came));
        this.caption.update(event, this.state);
      },
      { hurry: isHurried },
    );
    const connection = new TableConnection(this.state.table, {
      snapshot: (snapshot) => {
        queue.drop();
        this.show(fromSnapshot(snapshot, anonymousViewer(), Date.now()));
        this.caption.reset(this.state);
      },
      event: (event) => queue.push(event),
      chance: (chance) => queue.push(() => this.show({ ...this.state, chance })),
      closed: ({ is_over }) => is_over && queue.push(onover),
      connected: (_, answer) => answer?.code === "unknown_table" && onover(),
    });
    connection.isPreview = isPreview;
    connection.listen(socket);
  }
}
