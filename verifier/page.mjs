// The page /verify: check records that are dropped, chosen or linked to, and show each step. Nothing is sent anywhere.
import { DownloadCheck, linesOf } from "./downloads.mjs";
import { NotVerified, policyFrom } from "./notes.mjs";
import { verify } from "./nova-luna-verify.mjs";
import { bundleFrom, knownFrom, verifyBundle } from "./proofs.mjs";
import { faultOf } from "./values.mjs";

const part = (id) => document.getElementById(id);
const found = part("found"), words = found.dataset, file = part("file"), link = part("link");
const withProof = part("with-proof"), proof = part("proof"), policy = part("policy"), known = part("known");
const given = { proof: null, known: null, records: null }; // the bytes of files; of records, those that were dropped
const fill = (text, facts) => text.replace(/\{(\w+)\}/g, (_, name) => facts[name]);
const add = (parent, name, text, look) => {
  const made = document.createElement(name);
  made.textContent = text;
  if (look) made.className = look;
  parent.append(made);
  return made;
};

/** The name of a step: of an entry as the text notation has it, of the rest in the reader's language. */
function named({ entry, what, seat, move }) {
  if (!entry) return words[what];
  const shown = { place: () => `${move.tile}@${move.x},${move.y}`, mark: () => `mark ${move.kind}` };
  return `${entry}. ${seat === null ? "-" : "ABCD"[seat]} ${shown[what] ? shown[what]() : what}`;
}

/** Check one record and show what came of it; its steps are open if it is the only one. Return it if it is right. */
function show(bytes, number, only) {
  const steps = document.createElement("ol");
  let entries = 0, fault = null, record = null;
  try {
    record = verify(bytes, (step) => {
      add(steps, "li", `✓ ${named(step)}`);
      entries = step.entry ?? entries;
    });
  } catch (error) {
    fault = faultOf(error);
    add(steps, "li", `✗ ${fault.message}`, "wrong");
  }
  if (!only) add(found, "h3", fill(words.record, { number }));
  const verdict = fault ? fill(words.broken, { why: fault.message }) : fill(words.right, { entries });
  add(found, "p", verdict, fault ? "verdict wrong" : "verdict");
  if (record?.origin) add(found, "p", fill(words.exploration, record.origin));
  const details = document.createElement("details");
  add(details, "summary", words.steps);
  details.open = only;
  details.append(steps);
  found.append(details);
  return record;
}

/** Show whether all records of a download came. */
function showEnd({ came, told, unreadable, fewer }) {
  if (fewer) add(found, "p", fill(words.fewer, { told, came }), "verdict wrong");
  if (unreadable) add(found, "p", fill(words.unreadable, { number: unreadable }), "verdict wrong");
  if (!fewer && !unreadable) add(found, "p", fill(words.complete, { number: came }), "verdict");
}

/** Check the proofs of one record, and return what there is to say: lines, and whether it is a verdict against it. */
async function proved(record) {
  if (record === null) return { lines: [words.unchecked], wrong: true };
  if (!policy.value.trim()) return { lines: [words.policyless], wrong: true };
  try {
    const kept = given.known && knownFrom(given.known);
    if (given.known && !kept) return { lines: [words.kept], wrong: true };
    const believed = policyFrom(policy.value);
    const leaves = await verifyBundle(record, bundleFrom(given.proof), believed, kept);
    const lines = leaves.map(([version, status, index, size]) =>
      fill(status === "finished" ? words.last : words.leaf, { version, index, size }));
    const { quorum } = believed;
    return { lines: [words.proved, ...lines, quorum === "none" ? words.alone : fill(words.quorum, { name: quorum })] };
  } catch (error) {
    if (error instanceof NotVerified) return { lines: [fill(words.unverified, { why: error.message })], wrong: true };
    return { lines: [fill(words.refused, { why: faultOf(error).message })], wrong: true };
  }
}

let newest = 0;

/** Check all records in some bytes, one a line. */
async function check(bytes) {
  const mine = ++newest;
  found.replaceChildren();
  found.hidden = false;
  if (!bytes.length) add(found, "p", words.nothing, "verdict wrong");
  const download = new DownloadCheck();
  let record = null, number = 0;
  for (const line of linesOf(bytes)) {
    if (mine !== newest) break;
    number++;
    const only = line.length === bytes.length, end = download.end(line), right = end ? null : show(line, number, only);
    if (end) showEnd(end);
    record = only ? right : null;
    await new Promise((resolve) => setTimeout(resolve)); // so that the page stays responsive
  }
  if (!given.proof || mine !== newest) return;
  const { lines: [verdict, ...more], wrong } = await proved(record);
  if (mine !== newest) return;
  add(found, "h2", words.proof);
  add(found, "p", verdict, wrong ? "verdict wrong" : "verdict");
  for (const line of more) add(found, "p", line);
}

async function read(address) {
  try {
    const answer = await fetch(address, { headers: { Accept: "application/json" }, credentials: "omit" });
    if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
    await check(new Uint8Array(await answer.arrayBuffer()));
  } catch (error) {
    newest++;
    found.hidden = false;
    found.replaceChildren();
    add(found, "p", fill(words.unread, { why: error.message }), "verdict wrong");
  }
}

const bytesOf = async (chosen) => new Uint8Array(await chosen.arrayBuffer());

async function checkFile(chosen) {
  link.value = "";
  await check(await bytesOf(chosen));
}

/** Take each dropped file for what its content is: proofs, a kept checkpoint, a policy, or records. */
async function take(files) {
  let records = null;
  for (const each of files) {
    const bytes = await bytesOf(each), text = new TextDecoder().decode(bytes);
    let value = null;
    try {
      value = JSON.parse(text);
    } catch { /* it is a policy, or several records */ }
    if (value?.format === "nova-luna-proof/1") given.proof = bytes;
    else if (value && knownFrom(bytes)) given.known = bytes;
    else if (value === null && isPolicy(text)) policy.value = text;
    else records = bytes;
    withProof.open ||= records !== bytes;
  }
  given.records = records ?? given.records;
  if (records) link.value = "";
  if (records) await check(records);
}

function isPolicy(text) {
  const lines = text.split("\n").map((line) => line.trim());
  return /^(log|witness)[ \t]/.test(lines.find((line) => line && !line.startsWith("#")) ?? "");
}

part("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  if (link.value) read(link.value);
  else if (file.files[0]) checkFile(file.files[0]);
  else if (given.records) check(given.records);
});
for (const [name, field] of Object.entries({ proof, known }))
  field.addEventListener("change", async () => (given[name] = field.files[0] ? await bytesOf(field.files[0]) : null));
file.addEventListener("change", () => file.files[0] && checkFile(file.files[0]));
addEventListener("dragover", (event) => event.preventDefault());
addEventListener("drop", (event) => {
  event.preventDefault();
  const text = event.dataTransfer.getData("text/uri-list");
  if (event.dataTransfer.files[0]) take([...event.dataTransfer.files]);
  else if (text) read((link.value = text));
});
part("ask").hidden = false;

// A link to this page may name a record behind #. One of this site is checked at once, any other when asked for.
try {
  const address = new URL(decodeURIComponent(location.hash.slice(1)));
  link.value = address.href;
  if (address.origin === location.origin) read(address);
} catch { /* there is none */ }
