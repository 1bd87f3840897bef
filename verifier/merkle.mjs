// The leaves of a game and the tree of the log, by docs/CHECKPOINTS.md: RFC 6962 hashing, paths, tiles.
import { hex, joined, sha256, unhex, utf8 } from "./sha256.mjs";
import { canonical } from "./values.mjs";

export const EMPTY = sha256(new Uint8Array());
const WIDTH = 256, HASH = 32;

export const leafHash = (entry) => sha256(joined([0], entry));
export const nodeHash = (left, right) => sha256(joined([1], left, right));
export const isSame = (one, two) =>
  one !== null && one.length === two.length && one.every((byte, i) => byte === two[i]);

// The leaf -----------------------------------------------------------------------------------------------------------

const STATUS = { running: 0, finished: 1 };

function big(number) {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, number);
  return bytes;
}

export const tag = (first, version) => sha256(joined(utf8("nova-luna-leaf/1 tag"), [0], first, big(version)));

/** The 64 bytes of the log for a game's version; `first` and `head` are the hashes of its header and of that entry. */
export function entryOf(first, version, status, head) {
  const body = joined(utf8("nova-luna-leaf/1 body"), [0], first, big(version), [STATUS[status]], head);
  return joined(tag(first, version), sha256(body));
}

/** The hashes of a record's header and entries, each recomputed on the one before it. */
export function linksOf({ format, rules, game, draw, log }) {
  const { server_seed: seed, tiles, ...bound } = draw;
  const digest = (value) => sha256(utf8(canonical(value)));
  const links = [digest({ format, rules, game, draw: bound })];
  for (const { hash, ...entry } of log) links.push(digest({ ...entry, prev: hex(links.at(-1)) }));
  return links;
}

export const statusAt = (record, version) =>
  record.result !== null && version === record.log.length ? "finished" : "running";

// Paths --------------------------------------------------------------------------------------------------------------

/** The number of leaves on the left side; found by doubling, as bit operations end at 2^32. */
function split(size) {
  let left = 1;
  while (2 * left < size) left *= 2;
  return left;
}

/** The root to which a path leads, or null if it has not the length of one there. */
export function rootOfPath(leaf, index, size, path) {
  if (index >= size) return null;
  if (size === 1) return path.length ? null : leaf;
  if (!path.length) return null;
  const left = split(size), last = path.at(-1), rest = path.slice(0, -1);
  const below = index < left ? rootOfPath(leaf, index, left, rest) : rootOfPath(leaf, index - left, size - left, rest);
  if (below === null) return null;
  return index < left ? nodeHash(below, last) : nodeHash(last, below);
}

/** The roots of the old and the new tree to which a path leads, or null if it has not the length of one there. */
function rootsOf(older, newer, oldRoot, path, whole) {
  if (older === newer) {
    if (whole) return path.length ? null : [oldRoot, oldRoot];
    return path.length === 1 ? [path[0], path[0]] : null;
  }
  if (!path.length) return null;
  const left = split(newer), last = path.at(-1), rest = path.slice(0, -1), isLeft = older <= left;
  const roots = isLeft ? rootsOf(older, left, oldRoot, rest, whole)
    : rootsOf(older - left, newer - left, oldRoot, rest, false);
  if (roots === null) return null;
  return isLeft ? [roots[0], nodeHash(roots[1], last)] : [nodeHash(last, roots[0]), nodeHash(last, roots[1])];
}

/** Whether a path proves that the newer tree begins with the older one. */
export function isConsistent(older, newer, oldRoot, newRoot, path) {
  if (older === 0) return isSame(oldRoot, EMPTY) && !path.length;
  if (older > newer) return false;
  const roots = rootsOf(older, newer, oldRoot, path, true);
  return roots !== null && isSame(roots[0], oldRoot) && isSame(roots[1], newRoot);
}

// Tiles --------------------------------------------------------------------------------------------------------------

/** The root of equally high subtrees; the last may be lower. */
function rootOf(hashes) {
  if (!hashes.length) return EMPTY;
  let level = hashes;
  while (level.length > 1) {
    const above = [];
    for (let i = 0; i + 1 < level.length; i += 2) above.push(nodeHash(level[i], level[i + 1]));
    if (level.length % 2) above.push(level.at(-1));
    level = above;
  }
  return level[0];
}

/** The root of a tree, and all its tiles, from the hashes of its leaves. */
export function treeOf(leaves) {
  const tiles = [];
  let hashes = leaves;
  for (let level = 0; hashes.length; level++) {
    const above = [];
    for (let number = 0; number * WIDTH < hashes.length; number++) {
      const held = hashes.slice(number * WIDTH, (number + 1) * WIDTH);
      tiles.push({ level, number, width: held.length, hashes: joined(...held) });
      if (held.length === WIDTH) above.push(rootOf(held));
    }
    hashes = above;
  }
  return { root: rootOf(leaves), tiles };
}

/** The path of a tile, such as tile/0/x001/234.p/8. */
export function tilePath(level, number, width = WIDTH) {
  const groups = [String(number % 1000).padStart(3, "0")];
  for (let rest = Math.floor(number / 1000); rest > 0; rest = Math.floor(rest / 1000))
    groups.unshift(`x${String(rest % 1000).padStart(3, "0")}`);
  return `tile/${level}/${groups.join("/")}${width === WIDTH ? "" : `.p/${width}`}`;
}

// A scan -------------------------------------------------------------------------------------------------------------

/** What entries of the log say of a record's game: [index, version, same, forked, ahead or repeated]. */
export function scan(record, entries) {
  const links = linksOf(record), wanted = new Map(), seen = new Set(), found = [];
  for (let version = 0; version < links.length + WIDTH; version++) {
    const whole = version < links.length
      ? entryOf(links[0], version, statusAt(record, version), links[version]) : null;
    wanted.set(hex(tag(links[0], version)), [version, whole]);
  }
  for (const [index, text] of entries.entries()) {
    const entry = unhex(text), key = hex(entry.slice(0, HASH));
    if (!wanted.has(key)) continue;
    const [version, whole] = wanted.get(key);
    const kind = whole === null ? "ahead" : "same";
    found.push([index, version, whole && !isSame(whole, entry) ? "forked" : seen.has(key) ? "repeated" : kind]);
    seen.add(key);
  }
  return found;
}
