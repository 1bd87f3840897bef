// Verify that a record is the game that a log committed to, by docs/CHECKPOINTS.md.
import {
  EMPTY, entryOf, isConsistent, isSame, leafHash, linksOf, rootOfPath, statusAt, tag,
} from "./merkle.mjs";
import { checkpointOf, fromBase64, fromDecimal, hashFrom, keyFrom, noteFrom, signersOf } from "./notes.mjs";
import { unhex } from "./sha256.mjs";
import { hasFields, hold } from "./values.mjs";

const LARGEST = 64 * 1024 * 1024, LARGEST_KNOWN = 16 * 1024 * 1024, LONGEST_PATH = 63, LONGEST_HEAD = 4096;
const malformed = (fact, why) => hold(fact, "proof_malformed", null, why);

// Texts --------------------------------------------------------------------------------------------------------------

/** The bundle in some bytes. */
export function bundleFrom(bytes) {
  let value = null;
  try {
    if (bytes.length <= LARGEST)
      value = JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch { /* the same fault */ }
  const areTexts = (list) => Array.isArray(list) && list.every((text) => typeof text === "string");
  const whole = hasFields(value, ["format", "proofs", "consistency"]) && value.format === "nova-luna-proof/1";
  const isBundle = whole && areTexts(value.proofs) && areTexts(value.consistency);
  hold(isBundle, "bundle_malformed", null, "the form of a bundle");
  hold(value.proofs.length, "bundle_malformed", null, "it has no proof");
  return value;
}

/** The lines of a proof before its note, and the note. */
function parted(text) {
  const end = text.slice(0, LONGEST_HEAD).indexOf("\n\n");
  malformed(end >= 0, "there is no empty line before the note");
  return [text.slice(0, end).split("\n"), text.slice(end + 2)];
}

function pathFrom(lines) {
  malformed(lines.length <= LONGEST_PATH, "the path is too long");
  const path = lines.map(hashFrom);
  malformed(path.every((hash) => hash !== null), "a path has a hash of 32 bytes a line");
  return path;
}

const after = (name, line) => (line?.startsWith(name) ? line.slice(name.length) : "?");

function proofFrom(text) {
  const [[first, extra, indexLine, ...lines], note] = parted(text);
  malformed(first === "c2sp.org/tlog-proof@v1", "the first line");
  const bytes = fromBase64(after("extra ", extra)) ?? [];
  const words = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("").split(" ");
  const [form, versionText, status, entry] = words, version = fromDecimal(versionText ?? "", 2 ** 32 - 1);
  const isLeaf = words.length === 4 && form === "nova-luna-leaf/1" && ["running", "finished"].includes(status);
  malformed(isLeaf && version !== null && /^[0-9a-f]{128}$/.test(entry), "the extra line");
  const index = fromDecimal(after("index ", indexLine));
  malformed(index !== null, "the index");
  return { version, status, entry: unhex(entry), index, path: pathFrom(lines), note };
}

function consistencyFrom(text) {
  const [[first, ...lines], note] = parted(text), older = fromDecimal(after("old ", first));
  malformed(older !== null, "the old size");
  return { older, path: pathFrom(lines), note };
}

// Verifying ----------------------------------------------------------------------------------------------------------

function checkEntry({ version, status, entry }, record, links) {
  hold(isSame(tag(links[0], version), entry.slice(0, 32)), "wrong_game", null, "the leaf is another game's");
  const last = links.length - 1;
  hold(version <= last, "record_shorter", null, `the log has version ${version}, the record ${last}`);
  const own = entryOf(links[0], version, status, links[version]);
  hold(isSame(own, entry), "record_changed", null, `the log has another history at version ${version}`);
  const over = statusAt(record, version);
  hold(status !== "finished" || over === status, "reopened", null, `the log has the game over at version ${version}`);
  hold(over === status, "status_wrong", null, `the record has the game over at version ${version}`);
}

/** Verify a record that is right in itself: what is found is [version, status, index, size] for each proof. */
export async function verifyBundle(record, bundle, policy, known = null) {
  const read = new Map(), links = linksOf(record), found = [], roots = new Map(), steps = [];
  const checkpoint = async (note) => {
    if (!read.has(note)) read.set(note, await checkpointOf(noteFrom(note), policy));
    return read.get(note);
  };
  for (const text of bundle.proofs) {
    const proof = proofFrom(text), { size, root } = await checkpoint(proof.note);
    checkEntry(proof, record, links);
    const reached = rootOfPath(leafHash(proof.entry), proof.index, size, proof.path);
    hold(isSame(reached, root), "not_included", null, `the path of version ${proof.version} does not lead to the root`);
    found.push([proof.version, proof.status, proof.index, size]);
  }
  for (const text of bundle.consistency) {
    const step = consistencyFrom(text);
    steps.push({ ...step, ...(await checkpoint(step.note)) });
  }
  for (const { size, root } of known === null ? read.values() : [...read.values(), known]) {
    hold(isSame(roots.get(size) ?? root, root), "split_view", null, `the tree of size ${size} has two roots`);
    roots.set(size, root);
  }
  for (const { older, size, root, path } of steps) {
    const old = older === 0 ? EMPTY : roots.get(older);
    hold(old !== undefined, "unlinked", null, `no checkpoint has the size ${older}`);
    hold(isConsistent(older, size, old, root, path), "not_consistent", null, `${size} does not begin with ${older}`);
  }
  const before = new Map([...roots.keys()].map((size) => [size, []])), reached = new Set(), todo = [];
  for (const { older, size } of steps) before.get(size).push(older);
  if (roots.size) todo.push([...roots.keys()].reduce((one, two) => Math.max(one, two)));
  while (todo.length) {
    const size = todo.pop();
    if (reached.has(size)) continue;
    reached.add(size);
    for (const older of before.get(size) ?? []) todo.push(older);
  }
  for (const size of roots.keys()) hold(reached.has(size), "unlinked", null, `nothing joins ${size} to the largest`);
  return found;
}

/** The kept checkpoint in some bytes: JSON of size and root, or what a witness has written; null if it is neither. */
export function knownFrom(bytes) {
  let value = null;
  try {
    if (bytes.length <= LARGEST_KNOWN)
      value = JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch { /* it is neither */ }
  const told = value?.format === "nova-luna-witness/1" ? value.known : value;
  const root = typeof told?.root === "string" ? hashFrom(told.root) : null;
  const whole = hasFields(told, ["size", "root"]) && Number.isSafeInteger(told.size) && told.size >= 0 && root !== null;
  return whole && (told.size > 0 || isSame(root, EMPTY)) ? { size: told.size, root } : null;
}

// Following a log ----------------------------------------------------------------------------------------------------

/** What a witness knows after it has seen a checkpoint that the policy accepts. */
export function follow(known, seen, path) {
  hold(known === null || seen.size >= known.size, "rolled_back", null, "the log has become smaller");
  const isOther = known?.size === seen.size && !isSame(known.root, seen.root);
  hold(!isOther, "split_view", null, `the tree of size ${seen.size} has two roots`);
  const grown = known !== null && seen.size > known.size;
  const proved = !grown || isConsistent(known.size, seen.size, known.root, seen.root, path);
  hold(proved, "not_consistent", null, `${seen.size} does not begin with ${known?.size}`);
  return seen;
}

/** The vkey of the new key that a note introduces. */
export async function endorsed(note, policy) {
  const signers = await signersOf(note, policy.logs);
  hold(signers.length, "unsigned", null, "no key that the log had before signed it");
  const lines = note.text.split("\n"), key = keyFrom(lines[2] ?? "");
  const own = key?.name === policy.origin && key.kind === 1 && lines.length === 4;
  const whole = own && lines[0] === "nova-luna-log-key/1" && lines[1] === policy.origin;
  hold(whole, "key_malformed", null, "three lines: the format, the origin and a vkey of it");
  hold((await signersOf(note, [key])).length, "unsigned", null, "the new key did not sign it");
  return key.vkey;
}
