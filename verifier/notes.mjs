// Signed notes, keys, checkpoints and policies, by docs/CHECKPOINTS.md (C2SP signed-note, tlog-checkpoint and -policy).
import { EMPTY, isSame } from "./merkle.mjs";
import { hex, joined, sha256, utf8 } from "./sha256.mjs";
import { hold } from "./values.mjs";

const LARGEST = 65_536, MOST_SIGNATURES = 100, LOG = 1, WITNESS = 4;

/** What is thrown where nothing can check Ed25519: an old browser, or a page that came by plain HTTP. */
export class NotVerified extends Error {}

// Spellings ----------------------------------------------------------------------------------------------------------

export const isUnicode = (text) => !/\p{Surrogate}/u.test(text);
const latin = (bytes) => Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
export const toBase64 = (bytes) => btoa(latin(bytes));

/** The bytes of base64 in its one spelling, or null. */
export function fromBase64(text) {
  try {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    return toBase64(bytes) === text ? bytes : null;
  } catch {
    return null;
  }
}

/** A whole number without leading zeros, or null. */
export const fromDecimal = (text, most = Number.MAX_SAFE_INTEGER) =>
  /^(0|[1-9][0-9]{0,15})$/.test(text) && Number(text) <= most ? Number(text) : null;

/** The 32 bytes of a hash in base64, or null. */
export function hashFrom(text) {
  const bytes = fromBase64(text);
  return bytes?.length === 32 ? bytes : null;
}

const isKeyName = (name) => name !== "" && isUnicode(name) &&
  !/[\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000+]/.test(name);

// Keys ---------------------------------------------------------------------------------------------------------------

/** The key that a vkey describes, or null. */
export function keyFrom(vkey) {
  const [name, id, ...rest] = vkey.split("+"), data = fromBase64(rest.join("+"));
  if (!isKeyName(name) || !/^[0-9a-f]{8}$/.test(id ?? "") || data?.length !== 33) return null;
  const isOwn = hex(sha256(joined(utf8(name), [10], data)).slice(0, 4)) === id;
  return isOwn && [LOG, WITNESS].includes(data[0]) ? { vkey, name, id, kind: data[0], raw: data.slice(1) } : null;
}

let subtle;

async function imported(raw) {
  const given = globalThis.crypto ?? (globalThis.process && (await import("node:crypto")).webcrypto);
  subtle ??= given?.subtle;
  if (!subtle) throw new NotVerified("there is no WebCrypto here");
  try {
    return await subtle.importKey("raw", raw, { name: "Ed25519" }, false, ["verify"]);
  } catch (error) {
    if (error.name === "NotSupportedError") throw new NotVerified("Ed25519 is not known here");
    return null; // the bytes are no key, so nothing is signed by it
  }
}

async function isSigned(key, text, given) {
  let signature = given, message = utf8(text);
  if (key.kind === WITNESS) {
    if (given.length !== 72) return false;
    const time = new DataView(given.buffer, given.byteOffset).getBigUint64(0);
    [signature, message] = [given.slice(8), joined(utf8(`cosignature/v1\ntime ${time}\n`), message)];
  }
  if (signature.length !== 64) return false;
  const ready = await imported(key.raw);
  return ready !== null && subtle.verify({ name: "Ed25519" }, ready, signature, message);
}

// Notes --------------------------------------------------------------------------------------------------------------

/** A note's text and signatures; none is checked. */
export function noteFrom(whole) {
  const right = (fact, why) => hold(fact, "note_malformed", null, why);
  right(isUnicode(whole) && utf8(whole).length <= LARGEST, `not UTF-8, or more than ${LARGEST} bytes`);
  right(!/[\x00-\x09\x0b-\x1f]/.test(whole), "a control character");
  const gap = whole.lastIndexOf("\n\n"), lines = whole.slice(gap + 2).split("\n");
  right(gap >= 0 && lines.length > 1 && lines.pop() === "", "no signature lines after an empty line");
  right(lines.length <= MOST_SIGNATURES, `more than ${MOST_SIGNATURES} signatures`);
  const signatures = lines.map((line) => {
    const [dash, name, ...rest] = line.split(" "), data = fromBase64(rest.join(" "));
    right(dash === "—" && isKeyName(name ?? "") && data?.length >= 5, "the form of a signature line");
    return { name, id: hex(data.slice(0, 4)), signature: data.slice(4) };
  });
  return { text: whole.slice(0, gap + 1), signatures };
}

/** Those of the keys that signed a note; a line that names one of them must be its signature. */
export async function signersOf(note, keys) {
  const found = [];
  for (const key of keys) {
    const own = note.signatures.filter((line) => line.name === key.name && line.id === key.id);
    for (const { signature } of own)
      hold(await isSigned(key, note.text, signature), "signature_bad", null, `not a signature of ${key.vkey}`);
    if (own.length) found.push(key);
  }
  return found;
}

/** The checkpoint of a note, if the policy accepts it. */
export async function checkpointOf(note, policy) {
  const witnesses = [...policy.witnesses], logs = policy.logs;
  const signers = await signersOf(note, [...logs, ...witnesses.map(([, key]) => key)]);
  hold(logs.some((key) => signers.includes(key)), "unsigned", null, "no key of the log in the policy signed it");
  const [origin, sizeText, rootText, ...rest] = note.text.split("\n");
  hold(origin === policy.origin, "wrong_origin", null, `the log is ${origin}, not ${policy.origin}`);
  const size = fromDecimal(sizeText ?? ""), root = hashFrom(rootText ?? "");
  const whole = size !== null && root !== null && rest.length === 1 && rest[0] === "";
  hold(whole && (size > 0 || isSame(root, EMPTY)), "checkpoint_malformed", null, "three lines: origin, size and root");
  const met = new Set(witnesses.filter(([, key]) => signers.includes(key)).map(([name]) => name));
  for (const [name, { least, members }] of policy.groups)
    if (members.filter((member) => met.has(member)).length >= least) met.add(name);
  hold(policy.quorum === "none" || met.has(policy.quorum), "witnesses_missing", null, `${policy.quorum} is not met`);
  return { size, root };
}

// Policies -----------------------------------------------------------------------------------------------------------

/** A word of a policy; bytes that are not UTF-8 stand for themselves, and can be in no name of a key. */
function decoded(word) {
  const bytes = Uint8Array.from(word, (letter) => letter.charCodeAt(0));
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return word.replace(/[\x80-\xff]/g, (letter) => String.fromCharCode(0xdc00 + letter.charCodeAt(0)));
  }
}

/** The policy that a text or some bytes are. */
export function policyFrom(given) {
  const right = (fact, why) => hold(fact, "policy_malformed", null, why);
  right(typeof given !== "string" || isUnicode(given), "half a character");
  const bytes = typeof given === "string" ? utf8(given) : given;
  right(bytes.length <= LARGEST, `more than ${LARGEST} bytes`);
  const text = latin(bytes);
  right(!/[\x00-\x08\x0b-\x1f\x7f]/.test(text), "a control character other than tab and line feed");
  const logs = [], witnesses = new Map(), groups = new Map(), grouped = new Set(), quorums = [], keys = new Set();
  const isDefined = (name) => witnesses.has(name) || groups.has(name);
  const keyOf = (vkey, kind) => {
    const key = keyFrom(vkey ?? "");
    right(key?.kind === kind && !keys.has(kind + hex(key.raw)), "a vkey that is none, of another type, or named twice");
    keys.add(kind + hex(key.raw));
    return key;
  };
  for (const line of text.split("\n")) {
    const items = line.split(/[ \t]+/).filter(Boolean).map(decoded), [what, name, third, ...members] = items;
    if (!items.length || what.startsWith("#")) continue;
    if (what === "log" && [2, 3].includes(items.length)) {
      const key = keyOf(name, LOG);
      right(!logs.length || logs[0].name === key.name, "the keys are of two logs");
      logs.push(key);
    } else if (what === "quorum" && items.length === 2) {
      right(name === "none" || isDefined(name), `no line above defines ${name}`);
      quorums.push(name);
    } else {
      const isWitness = what === "witness" && [3, 4].includes(items.length);
      right(isWitness || (what === "group" && members.length), "a line that is none of a policy");
      right(name !== "none" && !isDefined(name), `the name ${name} is taken`);
      if (isWitness) {
        witnesses.set(name, keyOf(third, WITNESS));
        continue;
      }
      const count = { any: 1, all: members.length }, least = Object.hasOwn(count, third) ? count[third] : Number(third);
      const isNumber = /^[1-9][0-9]{0,4}$/.test(third);
      right(Object.hasOwn(count, third) || (isNumber && least <= members.length), "k of a group");
      for (const member of members) {
        right(isDefined(member) && !grouped.has(member), `${member} is not defined above, or in a group twice`);
        grouped.add(member);
      }
      groups.set(name, { least, members });
    }
  }
  right(logs.length && quorums.length === 1, "a key of the log and one quorum");
  return { origin: logs[0].name, logs, witnesses, groups, quorum: quorums[0] };
}
