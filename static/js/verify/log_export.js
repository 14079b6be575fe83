// An export of the log, line by line: the tree, its signatures, the balances and every game.

import { base64, hex, same, unhex, utf8 } from "./bytes.js";
import { isHandedOn } from "./keys.js";
import { LoggedGame } from "./log_games.js";
import { isSigned, leafHash, nodeHash, readCheckpoint, readKey } from "./receipt.js";
import { sha256 } from "./sha256.js";

/**
 * What is wrong, and with what: a line, a checkpoint, a game or the file.
 * @typedef {Finding & {of?: string}} Problem
 */
/** @import { Leaf } from "./log_games.js" */
/** @import { Finding } from "./verify_game.js" */

const MAX_PROBLEMS = 100;

// The tree (RFC 6962).
class Tree {
  size = 0;
  /** @type {Uint8Array[]} */
  peaks = [];

  /** @param {Uint8Array} leaf */
  append(leaf) {
    let node = leafHash(leaf);
    for (let rest = this.size; rest % 2 === 1; rest = (rest - 1) / 2) {
      const left = this.peaks.pop();
      if (left) node = nodeHash(left, node);
    }
    this.peaks.push(node);
    this.size += 1;
  }

  root() {
    if (!this.size) return sha256(new Uint8Array());
    return this.peaks.reduceRight((right, left) => nodeHash(left, right));
  }
}

/** Checks an export; `problems` are the first that were found, `faults` counts all. */
export class LogExport {
  tree = new Tree();
  /** @type {Problem[]} */
  problems = [];
  faults = 0;
  games = 0;
  voids = 0;
  entries = 0;
  /** The lines that a sound checkpoint signs, and whether this browser can check signatures. */
  signed = 0;
  canVerify = true;
  /** @type {Set<string>} */
  keys = new Set();
  /** @type {string[]} the key in force, and the one before it if the last line has changed it */
  current = [];
  /** @type {Map<string, number>} */
  balances = new Map();
  /** @type {{part: number, sum: number} | null} */
  rest = null;
  /** @type {Map<string, {chain: number, number: number, last: string}>} */
  chains = new Map();
  /** @type {Map<string, Leaf[]>} */
  terms = new Map();
  /** @type {Map<string, LoggedGame>} */
  running = new Map();
  /** @type {string | null} a game that is over, until a line of something else follows */
  ended = null;

  /** @param {string} what @param {string} of @param {Partial<Finding>} [more] */
  report(what, of, more = {}) {
    this.faults += 1;
    if (this.problems.length < MAX_PROBLEMS)
      this.problems.push({ what, good: false, detail: "", of, ...more });
  }

  /** @param {string} line */
  async add(line) {
    const of = `${this.tree.size}`;
    try {
      const { leaf, n, checkpoint } = JSON.parse(line);
      if (checkpoint !== undefined) await this.addCheckpoint(checkpoint);
      else if (leaf !== undefined) await this.addLeaf(n, leaf);
    } catch (error) {
      if (error instanceof RangeError) throw error;
      this.report("line", of);
    }
  }

  /** @param {string} note */
  async addCheckpoint(note) {
    const { size } = this.tree;
    const checkpoint = readCheckpoint(note);
    if (checkpoint.size !== size || !same(checkpoint.root, this.tree.root()))
      return this.report("tree", `${size - 1}`);
    const answers = [];
    for (const key of this.current) answers.push(await isSigned(checkpoint, readKey(key)));
    if (answers.includes(null)) this.canVerify = false;
    else if (!answers.includes(true)) return this.report("signature", `${size - 1}`);
    this.signed = size;
  }

  /** @param {number} n @param {string} text */
  async addLeaf(n, text) {
    const of = `${this.tree.size}`;
    if (n !== this.tree.size) this.report("number", of, { detail: `${n}` });
    this.tree.append(utf8(text));
    /** @type {Leaf} */
    const leaf = JSON.parse(text);
    this.current = this.current.slice(-1);
    if (leaf.type === "log_opened" || leaf.type === "key_rotated") await this.addKey(leaf, of);
    if (leaf.type === "entry") this.addEntry(leaf, of);
    else if (this.rest) this.report("entry", of);
    if (leaf.type === "terms") this.terms.set(leaf.table, [...(this.terms.get(leaf.table) ?? []), leaf]);
    if (leaf.type === "seed_chain")
      this.chains.set(leaf.table, { chain: leaf.chain, number: 0, last: leaf.anchor });
    if (this.ended && leaf.game !== this.ended) this.finishGame(this.ended);
    // A poule's lines belong to no game.
    if (leaf.game && !/-p\d+$/.test(leaf.game)) this.addToGame(leaf, of);
  }

  /** @param {Leaf} leaf @param {string} of */
  async addKey(leaf, of) {
    const index = this.tree.size - 1;
    if (leaf.type === "log_opened" && !index) this.current = [leaf.key];
    else if (leaf.old === this.current[0] && (await isHandedOn(leaf, index)) !== false)
      this.current = [leaf.old, leaf.new];
    else this.report("key", of);
    for (const key of this.current) this.keys.add(key);
  }

  // An entry may have several parts, which follow one another and balance together.
  /** @param {Leaf} leaf @param {string} of */
  addEntry({ entry, part = 1, parts = 1, postings }, of) {
    if (part === 1) this.entries += 1;
    let isSound = entry === this.entries && part === 1 + (this.rest?.part ?? 0);
    let sum = part === 1 ? 0 : (this.rest?.sum ?? 0);
    for (const [account, cents] of postings) {
      sum += cents;
      const balance = (this.balances.get(account) ?? 0) + cents;
      this.balances.set(account, balance);
      if (!Number.isSafeInteger(balance) || (balance < 0 && account !== "treasury")) isSound = false;
      if (balance === 0) this.balances.delete(account);
    }
    this.rest = part < parts ? { part, sum } : null;
    if (parts === 1 && postings.length < 2) isSound = false;
    if (!isSound || (!this.rest && sum !== 0)) this.report("entry", of);
  }

  /** @param {Leaf} leaf @param {string} of */
  addToGame(leaf, of) {
    if (leaf.type === "game_opened") this.openGame(leaf);
    const game = this.running.get(leaf.game);
    if (game) game.add(leaf);
    // A contribution that came late changes nothing.
    else if (leaf.type !== "cut_late") this.report("line", of);
    if (game && ["game_over", "game_void"].includes(leaf.type)) this.ended = leaf.game;
  }

  // Each commitment hashes to the one before it, the first is the anchor.
  /** @param {Leaf} opened */
  openGame(opened) {
    const { table, game, chain, number, commitment } = opened;
    const at = this.chains.get(table);
    const link = number === 1 ? commitment : hex(sha256(unhex(commitment)));
    if (at?.chain !== chain || at?.number !== number - 1 || at?.last !== link)
      this.report("chain", game, { detail: `${number}` });
    this.chains.set(table, { chain, number, last: commitment });
    const first = Number(game.slice(game.lastIndexOf("-") + 1));
    const terms = (this.terms.get(table) ?? []).filter(({ from_game }) => from_game <= first).at(-1);
    if (terms) this.running.set(game, new LoggedGame(opened, terms));
  }

  /** @param {string} id */
  finishGame(id) {
    const game = this.running.get(id);
    this.ended = null;
    this.running.delete(id);
    this.games += 1;
    if (game?.by.game_void) this.voids += 1;
    try {
      for (const finding of game?.check() ?? []) {
        if (finding.good === false) this.report(finding.what, id, finding);
      }
    } catch {
      this.report("game", id);
    }
  }

  /** Finish the last game. */
  finish() {
    if (this.ended) this.finishGame(this.ended);
    if (this.rest) this.report("entry", `${this.tree.size - 1}`);
  }

  get root() {
    return base64(this.tree.root());
  }
}
