// The page /verify: check records that are dropped, chosen or linked to, and show each step. Nothing is sent anywhere.
import { Fault, verify } from "./nova-luna-verify.mjs";

const part = (id) => document.getElementById(id);
const found = part("found"), words = found.dataset, file = part("file"), link = part("link");
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

/** Check one record and show what came of it; its steps are open if it is the only one. */
function show(bytes, number, only) {
  const steps = document.createElement("ol");
  let entries = 0, fault = null;
  try {
    verify(bytes, (step) => {
      add(steps, "li", `✓ ${named(step)}`);
      entries = step.entry ?? entries;
    });
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    fault = error;
    add(steps, "li", `✗ ${error.message}`, "wrong");
  }
  if (!only) add(found, "h3", fill(words.record, { number }));
  const verdict = fault ? fill(words.broken, { why: fault.message }) : fill(words.right, { entries });
  add(found, "p", verdict, fault ? "verdict wrong" : "verdict");
  const details = document.createElement("details");
  add(details, "summary", words.steps);
  details.open = only;
  details.append(steps);
  found.append(details);
}

let newest = 0;

/** Check all records in some bytes, one a line. */
async function check(bytes) {
  const mine = ++newest;
  found.replaceChildren();
  found.hidden = false;
  if (!bytes.length) add(found, "p", words.nothing, "verdict wrong");
  for (let start = 0, number = 1, end; start < bytes.length && mine === newest; start = end + 1, number++) {
    const feed = bytes.indexOf(10, start);
    end = feed < 0 ? bytes.length : feed;
    show(bytes.subarray(start, end + 1), number, number === 1 && end + 1 >= bytes.length);
    await new Promise((resolve) => setTimeout(resolve)); // so that the page stays responsive
  }
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

async function checkFile(chosen) {
  link.value = "";
  await check(new Uint8Array(await chosen.arrayBuffer()));
}

part("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  if (link.value) read(link.value);
  else if (file.files[0]) checkFile(file.files[0]);
});
file.addEventListener("change", () => file.files[0] && checkFile(file.files[0]));
addEventListener("dragover", (event) => event.preventDefault());
addEventListener("drop", (event) => {
  event.preventDefault();
  const text = event.dataTransfer.getData("text/uri-list");
  if (event.dataTransfer.files[0]) checkFile(event.dataTransfer.files[0]);
  else if (text) read((link.value = text));
});
part("ask").hidden = false;

// A link to this page may name a record behind #. One of this site is checked at once, any other when asked for.
try {
  const address = new URL(decodeURIComponent(location.hash.slice(1)));
  link.value = address.href;
  if (address.origin === location.origin) read(address);
} catch { /* there is none */ }
