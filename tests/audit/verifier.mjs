// An independent verifier of the casino's log, written from docs/log.md alone.
// It reads an export (jsonl) and recomputes the tree and its signatures, every balance, and for
// each game the cut, the decks, the matching and the settlement. Node, no libraries.
//
//   node verifier.mjs export.jsonl     prints the root; exits with 1 and says what is wrong

import { createHash, createHmac, createPublicKey, verify } from "node:crypto";
import { readFileSync } from "node:fs";

const problems = [];
const wrong = (place, text) => problems.push(`${place}: ${text}`);
const sha256 = (...parts) => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest();
};
const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

// --- the tree (RFC 6962) and the checkpoints -------------------------------------------------

class Tree {
  size = 0;
  peaks = [];

  append(leaf) {
    let node = sha256(Buffer.from([0]), leaf);
    for (let rest = this.size; rest % 2 === 1; rest = (rest - 1) / 2) {
      node = sha256(Buffer.from([1]), this.peaks.pop(), node);
    }
    this.peaks.push(node);
    this.size += 1;
  }

  root() {
    if (this.size === 0) return sha256();
    return this.peaks.reduceRight((right, left) => sha256(Buffer.from([1]), left, right));
  }
}

class Key {
  constructor(text) {
    const [name, id, encoded] = [text.split("+")[0], text.split("+")[1], text.split("+").slice(2).join("+")];
    const raw = Buffer.from(encoded, "base64");
    this.name = name;
    this.id = sha256(`${name}\n`, raw).subarray(0, 4);
    if (this.id.toString("hex") !== id || raw[0] !== 1) throw new Error("the key is not well formed");
    const prefix = Buffer.from("302a300506032b6570032100", "hex");
    this.key = createPublicKey({ key: Buffer.concat([prefix, raw.subarray(1)]), format: "der", type: "spki" });
  }

  open(note) {
    const end = note.indexOf("\n\n");
    const body = note.slice(0, end + 1);
    const line = note.slice(end + 2).split("\n").find((one) => one.startsWith(`— ${this.name} `));
    const signature = Buffer.from((line ?? "").split(" ")[2] ?? "", "base64");
    const good = signature.subarray(0, 4).equals(this.id)
      && verify(null, Buffer.from(body), this.key, signature.subarray(4));
    const [name, size, root] = body.split("\n");
    return { good: good && name === this.name, size: Number(size), root };
  }
}

// --- the money -------------------------------------------------------------------------------

const balances = new Map();
let entries = 0;
let rest = null;

// An entry, or a part of one: the parts stand directly behind one another and balance together.
function enter(place, leaf) {
  const { part = 1, parts = 1 } = leaf;
  if (part === 1) entries += 1;
  if (leaf.entry !== entries) wrong(place, `entry ${leaf.entry} should be ${entries}`);
  if (part !== 1 + (rest?.part ?? 0)) wrong(place, `part ${part} of entry ${leaf.entry} is out of place`);
  let sum = part === 1 ? 0 : (rest?.sum ?? 0);
  for (const [account, cents] of leaf.postings) {
    sum += cents;
    const balance = (balances.get(account) ?? 0) + cents;
    balances.set(account, balance);
    if (balance < 0 && account !== "treasury") wrong(place, `${account} falls to ${balance}`);
    if (balance === 0) balances.delete(account);
  }
  rest = part < parts ? { part, sum } : null;
  const few = parts === 1 && leaf.postings.length < 2;
  if (!rest && (sum !== 0 || few)) wrong(place, "the entry does not balance");
}

// --- fair dealing ----------------------------------------------------------------------------

function cutOf(texts) {
  const parts = texts.flatMap((text) => {
    const bytes = Buffer.from(text, "utf8");
    return [Buffer.from([bytes.length >> 8, bytes.length & 255]), bytes];
  });
  return sha256(...parts).toString("hex");
}

function deck(seed, game, cut, deal) {
  const pack = [..."SHDC"].flatMap((suit) => [..."KQJAT987"].map((rank) => rank + suit));
  let block = 0;
  let words = [];
  const next = () => {
    if (words.length === 0) {
      const bytes = createHmac("sha256", seed).update(`${game}|${deal}|${cut}|${block}`).digest();
      block += 1;
      words = Array.from({ length: 8 }, (_, at) => bytes.readUInt32BE(4 * at));
    }
    return words.shift();
  };
  for (let i = 31; i > 0; i -= 1) {
    const limit = 2 ** 32 - (2 ** 32 % (i + 1));
    let word = next();
    while (word >= limit) word = next();
    const j = word % (i + 1);
    [pack[i], pack[j]] = [pack[j], pack[i]];
  }
  return pack.join("");
}

// --- the gallery -----------------------------------------------------------------------------

const total = (bets, side) => bets.filter((bet) => bet.side === side).reduce((sum, bet) => sum + bet.unit, 0);

function covered(bets, cover, challenger) {
  const [house, other] = [total(bets, "house"), total(bets, "challenger")];
  const byHouse = other > house;
  const most = byHouse ? cover.house_cents : cover.challenger_cents;
  const unit = Math.min(most, Math.abs(other - house));
  if (unit === 0) return [];
  const [player, side] = byHouse ? ["house", "house"] : [challenger, "challenger"];
  return [{ player, side, unit }];
}

// The cut of a game: the texts fit their seals, and the closing names all of them.
function checkCut(place, game, { seals, texts, closed }) {
  const opened = [...texts.keys()].sort((a, b) => a - b);
  const shut = seals.map((_, at) => at + 1).filter((number) => !texts.has(number));
  const cuts = opened.map((number) => [seals[number - 1].player, texts.get(number)]);
  for (const number of opened) {
    const { player, seal } = seals[number - 1];
    const made = sha256(`${game}|${player}|${texts.get(number)}`).toString("hex");
    if (made !== seal) wrong(place, `text ${number} does not fit its seal`);
  }
  const silent = shut.map((number) => seals[number - 1].player);
  if (!same(shut, closed.withheld ?? [])) wrong(place, "the closing names other texts");
  return { cut: cutOf(cuts.map(([, text]) => text)), silent };
}

function matched(bets, law) {
  const standing = Math.min(total(bets, "house"), total(bets, "challenger"));
  const kept = new Map();
  for (const side of ["house", "challenger"]) {
    const mine = bets.filter((bet) => bet.side === side);
    const sum = total(bets, side);
    if (sum === standing) {
      for (const bet of mine) kept.set(bet.order, bet.unit);
    } else if (law === "last_in_first_out") {
      let excess = sum - standing;
      for (const bet of [...mine].reverse()) {
        const cut = Math.min(bet.unit, excess);
        kept.set(bet.order, bet.unit - cut);
        excess -= cut;
      }
    } else {
      const shares = mine.map((bet) => {
        const product = BigInt(bet.unit) * BigInt(standing);
        return { bet, share: Number(product / BigInt(sum)), rest: product % BigInt(sum) };
      });
      let left = standing - shares.reduce((all, one) => all + one.share, 0);
      const order = [...shares].sort((a, b) => (a.rest < b.rest ? 1 : a.rest > b.rest ? -1 : 0));
      for (const one of order) kept.set(one.bet.order, one.share + (left-- > 0 ? 1 : 0));
    }
  }
  return { standing, stands: bets.map((bet) => ({ ...bet, matched: kept.get(bet.order) })) };
}

function outcome(bet, risk, units, winner, rate, gross) {
  const paid = units * bet.matched;
  const held = risk * bet.matched;
  if (bet.side !== winner) return [bet.order, bet.player, bet.side, bet.matched, held, -paid, 0];
  const base = BigInt(paid + (gross ? bet.matched : 0));
  return [bet.order, bet.player, bet.side, bet.matched, held, paid, Number((base * BigInt(rate)) / 10000n)];
}

function checkGame(game, told) {
  const { opened, terms, bets, locked, closed, over, entry, dealt, shown, exchanges } = told;
  const place = `game ${game}`;
  const laws = terms.gallery;
  const { cut, silent } = checkCut(place, game, told);
  const seed = Buffer.from(over.server_seed, "hex");
  if (sha256(seed).toString("hex") !== opened.commitment) wrong(place, "the seed is not the one committed to");
  if (cut !== closed.cut) wrong(place, "the cut is not that of the texts");
  dealt.forEach(({ deal }, at) => {
    const turned = shown.get(deal);
    if (deal !== at + 1) wrong(place, `deal ${deal} comes as deal ${at + 1}`);
    if (turned && deck(seed, game, cut, deal).slice(20, 22) !== turned) wrong(place, `the deck of deal ${deal} is another`);
  });
  if (exchanges.length !== (over.exchanges ?? []).length) wrong(place, "other exchanges are revealed");
  exchanges.forEach(({ deal, number, action, seal }, at) => {
    const token = `X${over.exchanges[at]}`;
    const message = `${game}|exchange|${deal}|${number}|${token}`;
    const made = createHmac("sha256", seed).update(message).digest("hex");
    if (made !== seal || token.length !== action.length) wrong(place, `an exchange of deal ${deal} does not fit its seal`);
  });
  const staying = bets.filter((bet) => !silent.includes(bet.player));
  const cover = covered(staying, locked.cover, opened.players.challenger)
    .map((bet) => ({ order: bets.length + 1, ...bet }));
  const { standing, stands: kept } = matched([...staying, ...cover], laws.matching);
  const stands = [...bets, ...cover].map((bet) => (
    { ...bet, matched: kept.find((one) => one.order === bet.order)?.matched ?? 0 }));
  if (standing !== closed.matched_cents) wrong(place, "the matching is another");
  const { score, winner, stake } = over;
  const lost = Math.min(score.house, score.challenger);
  const times = lost >= 3 ? 1 : lost >= 1 ? 2 : 3;
  const won = Object.keys(score).filter((seat) => score[seat] === terms.laws.target);
  if (times !== stake || !same(won, [winner])) wrong(place, "the result is another");
  const gross = laws.commission_base === "gross";
  const [risk, units] = laws.gallery_stakes === "game" ? [3, times] : [1, 1];
  const outcomes = stands.map((bet) => outcome(bet, risk, units, winner, laws.commission_bp, gross));
  const seats = [["house", "house"], [opened.players.challenger, "challenger"]];
  const staked = silent.includes(opened.players.challenger) ? 0 : terms.stake_cents;
  const principals = seats.map(([player, side]) =>
    outcome({ order: 0, player, side, matched: staked }, 3, times, winner, laws.principal_commission_bp, gross));
  const due = new Map();
  const add = (account, cents) => due.set(account, (due.get(account) ?? 0) + cents);
  for (const [, player, , , held, gain, fee] of [...principals, ...outcomes]) {
    add(`escrow/${game}/${player}`, -held);
    add(player === "house" ? "house/bank" : `wallet/${player}`, held + gain - fee);
    add("house/commission", fee);
  }
  const postings = [...due].filter(([, cents]) => cents !== 0).sort(([a], [b]) => (a < b ? -1 : 1));
  if (!same(postings, entry)) wrong(place, "the settlement is not what was paid");
}

// --- the log ---------------------------------------------------------------------------------

const running = new Map();
const laidDown = [];
const chains = new Map();
const tree = new Tree();
let games = 0;

// Each commitment is the seed before it: hashed, it is the commitment before, or the anchor.
function link(place, { table, chain, number, commitment }) {
  const at = chains.get(table);
  const led = number === 1 ? commitment : sha256(Buffer.from(commitment, "hex")).toString("hex");
  if (at?.chain !== chain || at.number + 1 !== number || led !== at.led) wrong(place, "the chain of seeds is broken");
  chains.set(table, { chain, number, led: commitment });
}

function tell(place, leaf) {
  if (rest && leaf.type !== "entry") wrong(place, "an entry is cut off");
  if (leaf.type === "entry") enter(place, leaf);
  if (leaf.type === "seed_chain") chains.set(leaf.table, { chain: leaf.chain, number: 0, led: leaf.anchor });
  if (leaf.type === "terms") laidDown.push(leaf);
  if (leaf.game === undefined) return;
  if (leaf.type === "game_opened") {
    const number = Number(leaf.game.slice(leaf.table.length + 1));
    const terms = laidDown.filter((one) => one.table === leaf.table && one.from_game <= number).at(-1);
    if (terms === undefined) return wrong(place, "no terms are set for the game");
    const play = { dealt: [], shown: new Map(), exchanges: [], actions: 0 };
    running.set(leaf.game, { opened: leaf, terms, bets: [], seals: [], texts: new Map(), entry: [], ...play });
    link(place, leaf);
  }
  const told = running.get(leaf.game);
  if (told === undefined) return wrong(place, "a leaf of a game that is not open");
  if (["bet", "cut"].includes(leaf.type) && leaf.seal !== undefined) {
    told.seals.push({ player: leaf.player, seal: leaf.seal });
  }
  if (leaf.type === "bet") {
    if (told.locked) wrong(place, "a bet after the betting was closed");
    if (leaf.order !== told.bets.length + 1) wrong(place, "a bet out of order");
    told.bets.push({ order: leaf.order, player: leaf.player, side: leaf.side, unit: leaf.unit_cents });
  }
  if (leaf.type === "book_locked") {
    told.locked = leaf;
    if (leaf.bets !== told.bets.length || leaf.seals !== told.seals.length) wrong(place, "the lock counts others");
  }
  if (leaf.type === "cut_opened") told.texts.set(leaf.number, leaf.text);
  if (leaf.type === "betting_closed") told.closed = leaf;
  if (leaf.type === "dealt") {
    told.dealt.push(leaf);
    told.actions = 0;
  }
  const deal = told.dealt.at(-1)?.deal;
  if (leaf.type === "turned_up") told.shown.set(deal, leaf.card);
  if (leaf.type === "action") {
    told.actions += 1;
    if (leaf.seal !== undefined) told.exchanges.push({ deal, number: told.actions, ...leaf });
  }
  if (leaf.type === "game_over") told.over = leaf;
  if (leaf.type === "game_void") told.void = leaf;
  if (leaf.type === "entry" && leaf.move === "settle") told.entry.push(...leaf.postings);
}

const [head, ...lines] = readFileSync(process.argv[2], "utf8").trimEnd().split("\n").map((line) => JSON.parse(line));
const key = new Key(head.key);
for (const line of lines) {
  if (line.checkpoint !== undefined) {
    const { good, size, root } = key.open(line.checkpoint);
    if (!good) wrong(`checkpoint ${size}`, "the signature is false");
    if (size !== tree.size || root !== tree.root().toString("base64")) wrong(`checkpoint ${size}`, "the root is another");
    continue;
  }
  if (line.n !== tree.size) wrong(`leaf ${line.n}`, `leaf ${tree.size} is missing`);
  tree.append(Buffer.from(line.leaf, "utf8"));
  tell(`leaf ${line.n}`, JSON.parse(line.leaf));
}
for (const [game, told] of running) {
  if (told.over === undefined && told.void === undefined) continue;
  games += 1;
  try {
    if (told.over !== undefined) checkGame(game, told);
  } catch (error) {
    wrong(`game ${game}`, `cannot be told: ${error.message}`);
  }
  for (const account of balances.keys()) {
    if (account.startsWith(`escrow/${game}/`)) wrong(`game ${game}`, `${account} is not empty`);
  }
}
let sum = 0;
for (const cents of balances.values()) sum += cents;
if (sum !== 0) wrong("balances", `they sum to ${sum}`);

for (const problem of problems) console.log(problem);
console.log(`root ${tree.root().toString("hex")}, ${tree.size} leaves, ${games} games, ${entries} entries`);
process.exit(problems.length === 0 ? 0 : 1);
