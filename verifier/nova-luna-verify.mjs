// Verify a record of Nova Luna by post, nova-luna-record/1, or nova-luna-exploration/1, by docs/FORMATS.md and
// docs/RULINGS.md alone.
// Node: node nova-luna-verify.mjs FILE… ("-" is standard input). Browser: import { verify } from this file.
// With proofs: node nova-luna-verify.mjs RECORD --proof BUNDLE --policy FILE [--known FILE], by docs/CHECKPOINTS.md.
import { ClockCheck } from "./clocks.mjs";
import { DownloadCheck, linesOf } from "./downloads.mjs";
import { Table } from "./rules.mjs";
import { hex, hmac, joined, sha256, unhex, utf8 } from "./sha256.mjs";
import { Fault, canonical, faultOf, hasFields, hold, instant, isHash, isObject, isText, isWhole } from "./values.mjs";

export { Fault };

/** The SHA-256 of a value's RFC 8785 form, in hex. */
const digest = (value) => hex(sha256(utf8(canonical(value))));

// The draw -----------------------------------------------------------------------------------------------------------

function drawn(seed, subject, entropy) {
  const nul = [0], message = joined(utf8("nova-luna-draw/1 key"), nul, utf8(subject));
  const key = hmac(seed, joined(message, ...entropy.flatMap((text) => [nul, utf8(text)])));
  const shuffled = (label, items) => {
    let counter = 0, numbers = [];
    const number = () => {
      if (!numbers.length) {
        const count = new Uint8Array(4);
        new DataView(count.buffer).setUint32(0, counter++);
        const block = new DataView(hmac(key, joined(utf8(label), nul, count)).buffer);
        numbers = Array.from({ length: 8 }, (_, i) => block.getUint32(4 * i));
      }
      return numbers.shift();
    };
    for (let i = items.length - 1; i > 0; i--) {
      const n = i + 1, limit = 2 ** 32 - (2 ** 32 % n);
      let u = number();
      while (u >= limit) u = number();
      [items[i], items[u % n]] = [items[u % n], items[i]];
    }
    return items;
  };
  return {
    commitment: hex(sha256(joined(utf8("nova-luna-draw/1 commitment"), nul, seed))),
    tiles: shuffled("tiles", Array.from({ length: 68 }, (_, i) => i + 1)),
    stack: shuffled("stack", entropy.map((_, seat) => seat)),
  };
}

// The record ---------------------------------------------------------------------------------------------------------

const LONGEST = 2 ** 24, DEEPEST = 64;

/** Whether lists and objects lie at most so deep in each other. */
function isAtMost(deep, value) {
  if (typeof value !== "object" || value === null) return true;
  return deep > 0 && Object.values(value).every((item) => isAtMost(deep - 1, item));
}

function parse(bytes) {
  try {
    hold(bytes.length <= LONGEST, "spelling", null, "too long");
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes), record = JSON.parse(text);
    if (isAtMost(DEEPEST, record) && `${canonical(record)}\n` === text) return record;
  } catch { /* the same fault */ }
  throw new Fault("spelling", null, "this is not the RFC 8785 form of JSON with whole numbers, and a line feed");
}

const RECORD = "nova-luna-record/1", EXPLORATION = "nova-luna-exploration/1";

function checkHeader({ format, rules, game, draw, origin }) {
  const header = (fact, why) => hold(fact, "header", 0, why);
  const { seats, kind } = game ?? {}, { stack, tiles } = draw ?? {};
  header((format === RECORD || format === EXPLORATION) && rules === "1", "another format or rules version");
  header(hasFields(game, ["id", "kind", "seats", "goal_discs", "created_at", "started_at"]), "the fields of game");
  header(isText(game.id), "the id is a text that is not empty");
  const match = kind === "match" && isWhole(seats, 2, 4) && isWhole(game.goal_discs, 5, 20);
  header(match || (kind === "solo" && seats === 1 && game.goal_discs === 21), "kind, seats and goal_discs");
  header(instant(game.created_at) !== null && instant(game.started_at) !== null, "the times");
  header(game.created_at <= game.started_at, "created_at is after started_at");
  const names = ["algorithm", "subject", "commitment", "entropy", "server_seed", "tiles", "stack"];
  header(hasFields(draw, names) && draw.algorithm === "nova-luna-draw/1" && isText(draw.subject), "the fields of draw");
  header(isHash(draw.commitment) && (draw.server_seed === null || isHash(draw.server_seed)), "commitment and seed");
  const isEntropy = (text) => typeof text === "string" && /^[\x20-\x7e]{0,64}$/.test(text);
  header(Array.isArray(draw.entropy) && draw.entropy.length === seats && draw.entropy.every(isEntropy), "entropy");
  const eachOnce = (list, least, most) =>
    Array.isArray(list) && list.every((item) => isWhole(item, least, most)) && new Set(list).size === list.length;
  header(eachOnce(stack, 0, seats - 1) && stack.length === seats, "the starting pile holds each seat once");
  header(eachOnce(tiles, 1, 68) && tiles.length >= 11, "tiles has at least 11 tiles, each at most once");
  if (format !== EXPLORATION) return;
  header(hasFields(origin, ["game", "seq", "hash", "tiles"]), "the fields of origin");
  const isOther = isText(origin.game) && origin.game !== game.id;
  header(isOther && isWhole(origin.seq, 0, MOST) && isHash(origin.hash) && isWhole(origin.tiles, 11, 68), "the origin");
  hold(draw.server_seed === null || origin.tiles === 68, "draw", 0, "tiles drawn anew follow from no seed");
}

function checkDraw({ server_seed: seed, subject, entropy, commitment, tiles, stack }) {
  if (seed === null) return;
  const made = drawn(unhex(seed), subject, entropy);
  hold(made.commitment === commitment, "draw", 0, "the commitment was not made to this seed");
  hold(canonical(made.tiles) === canonical(tiles), "draw", 0, "the seed does not give these tiles");
  hold(canonical(made.stack) === canonical(stack), "draw", 0, "the seed does not give this starting pile");
}

const FIELDS = { place: ["tile", "x", "y"], refill: [], resign: [], timeout: [], end: [], mark: ["kind"] };
const MOST = Number.MAX_SAFE_INTEGER;

function isData(value, depth = 1) {
  if (depth > 8) return false;
  if (isObject(value) && !Object.keys(value).every((name) => /^[\x00-\x7f]*$/.test(name))) return false;
  return typeof value !== "object" || value === null || Object.values(value).every((item) => isData(item, depth + 1));
}

function isMove(move) {
  const known = typeof move?.type === "string" && Object.hasOwn(FIELDS, move.type), fields = known && FIELDS[move.type];
  if (!fields || !hasFields(move, ["type", ...fields], move.type === "mark" ? ["data"] : [])) return false;
  const { type, kind, data, tile, x, y } = move;
  if (type === "place") return isWhole(tile, 1, 68) && isWhole(x, -MOST, MOST) && isWhole(y, -MOST, MOST);
  if (type !== "mark") return true;
  return typeof kind === "string" && /^[\x21-\x7e]{1,64}$/.test(kind) && data !== null && isData(data);
}

function checkEntry(entry, seq, seats) {
  const right = (fact, why) => hold(fact, "entry", seq, why);
  right(hasFields(entry, ["seq", "at", "seat", "move", "prev", "hash"], ["by"]) && entry.seq === seq, "fields and seq");
  right(instant(entry.at) !== null && isHash(entry.prev) && isHash(entry.hash), "at, prev and hash");
  const { seat, by, move } = entry, names = /^(host|bot:[\x21-\x7e]{1,60})$/;
  const named = by === undefined || (typeof by === "string" && names.test(by));
  right(named && (seat === null || isWhole(seat, 0, seats - 1)) && isMove(move), "seat, by and move");
  if (move.type === "end") right(seat === null && (by === undefined || by === "host"), "who ended the game");
  else if (by === "host") right(seat === null && move.type === "mark", "the host ends and marks, and has no seat");
  else right(seat !== null && (move.type !== "timeout" || by === undefined), "who acted");
}

/** Follow the chain of the game that an exploration goes on from; check that it leads to the hash in `origin`. */
function originOf({ rules, game, draw, origin }, bound, log) {
  let prev = digest({ format: RECORD, rules, game: { ...game, id: origin.game }, draw: bound });
  const reach = (seq) => hold(seq !== origin.seq || prev === origin.hash, "origin", 0, "not the entries of the origin");
  reach(0);
  return {
    kept: log.slice(0, origin.seq),
    check({ hash, ...body }) {
      if (body.seq <= origin.seq) prev = digest({ ...body, prev });
      if (body.seq <= origin.seq) return reach(body.seq);
      const isFree = !["mark", "timeout"].includes(body.move.type) && body.by !== "host";
      hold(isFree, "origin", body.seq, "what is explored has no marks, no timeouts and no host");
    },
    finish: () => hold(log.length >= origin.seq, "origin", 0, "the log ends before the origin was left"),
  };
}

/** Check the bytes of a record's line; throw a Fault if it is broken. `step` is told each part that was found right. */
export function verify(bytes, step = () => {}) {
  const record = parse(bytes), whole = ["format", "rules", "game", "players", "draw", "log", "result"];
  const isExplored = record?.format === EXPLORATION, more = isExplored ? ["origin"] : [];
  hold(hasFields(record, [...whole, ...more]), "record", null, "a record has seven fields, an exploration eight");
  const { format, rules, game, players, draw, log } = record, { server_seed: seed, tiles, ...bound } = draw ?? {};
  checkHeader(record);
  step({ entry: 0, what: "header" });
  checkDraw(draw);
  step({ entry: 0, what: seed === null ? "open" : "draw" });
  const isPlayer = (player, seat) => hasFields(player, ["seat", "name"]) && player.seat === seat &&
    (player.name === null || typeof player.name === "string");
  const seated = Array.isArray(players) && players.length === game.seats && players.every(isPlayer);
  hold(seated, "players", null, "there is one player for each seat, each with a name or null");
  hold(Array.isArray(log), "record", null, "the log is a list");
  const origin = isExplored ? originOf(record, bound, log) : null, timed = origin?.kept ?? log;
  const table = new Table(game.seats, game.goal_discs, tiles, draw.stack);
  const clock = ClockCheck.of({ ...record, log: timed }, table.turn);
  const header = { format, rules, game, draw: bound };
  let prev = digest(isExplored ? { ...header, origin: record.origin } : header), at = game.started_at;
  for (const [index, entry] of log.entries()) {
    const seq = index + 1, { hash, ...body } = isObject(entry) ? entry : {};
    checkEntry(entry, seq, game.seats);
    const own = digest(body) === hash;
    if (entry.prev !== prev && own && seq === 1) throw new Fault("chain", 0, "the header is not the one of the chain");
    hold(own && entry.prev === prev, "chain", seq, "the chain is broken");
    hold(entry.at >= at, "time", seq, "the time goes back");
    const { type, tile } = entry.move;
    hold(type !== "place" || tiles.includes(tile), "draw", 0, `the tile list lacks tile ${tile}`);
    const why = table.play(entry.seat, entry.move);
    hold(why === null, "rules", seq, why);
    if (index < timed.length) clock?.check(entry, table, (fact, because) => hold(fact, "clock", seq, because));
    origin?.check(entry);
    [prev, at] = [hash, entry.at];
    step({ entry: seq, what: type, move: entry.move, seat: entry.seat });
  }
  if (!isExplored) clock?.finish((fact, because) => hold(fact, "clock", log.length, because));
  origin?.finish();
  const over = table.result !== null, told = record.result !== null;
  hold(seed === null || over || told, "draw", 0, "the game is running, and its seed is shown");
  const due = over && told && draw.subject === game.id, { shown } = table, result = canonical(table.result);
  hold(seed !== null || !due, "draw", 0, "the game is over, and its seed is not shown");
  hold(seed !== null || tiles.length === shown, "draw", 0, `${shown} tiles were shown, the list has ${tiles.length}`);
  hold(canonical(record.result) === result, "result", null, `the log leads to ${result}`);
  step({ entry: null, what: "result", result: table.result });
  return record;
}

// The command line ---------------------------------------------------------------------------------------------------

/** Wrong arguments, or files that cannot be used. */
class Unusable extends Error {}

/** Verify the records in the lines of a file, and print each fault; return whether there was none. */
function verifyLines(name, bytes) {
  const download = new DownloadCheck();
  let number = 0, right = true;
  for (const line of linesOf(bytes)) {
    number++;
    try {
      const end = download.end(line);
      if (end === null) verify(line);
      else hold(end.missing === null, "download", null, end.missing);
    } catch (error) {
      right = false;
      console.log(`${name}:${number}: ${faultOf(error).message}`);
    }
  }
  return right;
}

/** Verify all files; return the exit code: 0; 1 if a record is broken or missing; 2 if only a file can't be read. */
function verifyFiles(names, read) {
  let broken = false, unread = false;
  for (const name of names) {
    try {
      const bytes = read(name);
      if (!bytes.length) throw new Unusable("nothing to read");
      broken = !verifyLines(name, bytes) || broken;
    } catch (error) {
      if (!(error instanceof Unusable)) throw error;
      unread = true;
      console.error(`${name}: ${error.message}`);
    }
  }
  return broken ? 1 : unread ? 2 : 0;
}

/** Verify one record with its proofs; print each leaf that is proved, or the fault, and return the exit code. */
async function verifyProof(name, read, options) {
  const { bundleFrom, knownFrom, verifyBundle } = await import("./proofs.mjs");
  const { NotVerified, policyFrom } = await import("./notes.mjs");
  const say = (text) => console.log(`${name}:1: ${text}`);
  try {
    const kept = options.known === undefined ? null : knownFrom(read(options.known));
    if (options.known !== undefined && kept === null) throw new Unusable(`${options.known} is no kept checkpoint`);
    const [line, ...others] = linesOf(read(name)), [policyText, proof] = [read(options.policy), read(options.proof)];
    if (!line || others.length) throw new Unusable(`${name}: ${line ? "one record was expected" : "nothing to read"}`);
    const record = verify(line);
    hold(record.format === RECORD, "header", 0, "an exploration has no proofs");
    const policy = policyFrom(policyText), found = await verifyBundle(record, bundleFrom(proof), policy, kept);
    for (const [version, status, index, size] of found)
      say(`version ${version}, ${status}, index ${index}, size ${size}`);
    say(policy.quorum === "none" ? "signed by the operator alone" : `the quorum ${policy.quorum} of the policy is met`);
    return 0;
  } catch (fault) {
    if (fault instanceof NotVerified) say(`not verified: ${fault.message}`);
    if (fault instanceof NotVerified) return 2;
    if (fault instanceof Unusable) throw fault;
    say(faultOf(fault).message);
    return 1;
  }
}

async function main(given) {
  const { readFileSync } = await import("node:fs");
  const { parseArgs } = await import("node:util");
  const texts = Object.fromEntries(["proof", "policy", "known"].map((name) => [name, { type: "string" }]));
  const { values, positionals } = parseArgs({ args: given, options: texts, allowPositionals: true });
  const read = (name) => {
    try {
      return readFileSync(name === "-" ? 0 : name);
    } catch (error) {
      throw new Unusable(error.message);
    }
  };
  const { proof, policy, known } = values, proofs = proof !== undefined && policy !== undefined;
  if (proofs ? positionals.length !== 1 : (proof ?? policy ?? known) !== undefined || !positionals.length)
    throw new Unusable("files of records, or a record, --proof BUNDLE, --policy FILE and, if you like, --known FILE");
  return proofs ? verifyProof(positionals[0], read, values) : verifyFiles(positionals, read);
}

const script = globalThis.process?.argv?.[1];
if (script?.endsWith("nova-luna-verify.mjs")) {
  try {
    process.exitCode = await main(process.argv.slice(2));
  } catch (error) {
    if (!(error instanceof Unusable) && !error.code?.startsWith("ERR_PARSE_ARGS")) throw error;
    console.error(error.message);
    process.exitCode = 2;
  }
}
