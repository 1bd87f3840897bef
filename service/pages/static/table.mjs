// The script of a table's page. Without it, every link and every form does the same by loading a page.
//
// It knows no rule of the game, and no way to a move of its own: it follows the page's links, sends its forms, and puts
// what comes back into the page that is there. What it says stands in the page, in the reader's language.

// Milliseconds until it looks again: when something has happened, after a failure, where there is no stream; and for
// which what a screen reader is told stays.
const SOON = 150, AGAIN = 10_000, PATIENCE = 60_000, READ = 20_000;
const part = (id) => document.getElementById(id);
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const path = location.pathname, root = document.documentElement;
const calm = matchMedia("(prefers-reduced-motion: reduce)");
const parsed = (text) => new DOMParser().parseFromString(text, "text/html");
const isOpenDetails = (node, name) => name === "open" && node.nodeName === "DETAILS";

// What is shown -------------------------------

/** Make a part of the page equal to a fresh one. What has not changed stays, with the focus and what is typed there. */
function merge(old, fresh) {
  if (old.isEqualNode(fresh) || old.dataset?.kept !== undefined) return;
  if (old.nodeType !== Node.ELEMENT_NODE) return void (old.data = fresh.data);
  if (old.nodeName === "svg") return old.replaceWith(fresh);
  for (const { name } of [...old.attributes])
    if (!fresh.hasAttribute(name) && !isOpenDetails(old, name)) old.removeAttribute(name);
  for (const { name, value } of fresh.attributes)
    if (old.getAttribute(name) !== value && !isOpenDetails(old, name)) old.setAttribute(name, value);
  const named = new Set([...fresh.children].map(({ id }) => id));
  for (const each of [...old.children]) if (each.id && !named.has(each.id)) each.remove();
  let next = old.firstChild;
  for (const each of [...fresh.childNodes]) {
    const same = counterpart(old, next, each);
    if (!same) {
      old.insertBefore(each, next);
      continue;
    }
    if (next && next.compareDocumentPosition(same) & Node.DOCUMENT_POSITION_FOLLOWING)
      for (let gone = next; gone !== same; ) {
        const after = gone.nextSibling;
        if (!gone.id) gone.remove();
        gone = after;
      }
    else if (same !== next) old.insertBefore(same, next);
    next = same.nextSibling;
    if (same.nodeName === each.nodeName) merge(same, each);
    else same.replaceWith(each);
  }
  while (next?.nextSibling) next.nextSibling.remove();
  next?.remove();
}

/** Return the child, from `next` on, that a fresh one stands for: by its id, or the next of its kind. */
function counterpart(old, next, fresh) {
  if (fresh.id) return [...old.children].find(({ id }) => id === fresh.id);
  let found = next;
  if (fresh.nodeType === Node.ELEMENT_NODE) while (found && (found.nodeName !== fresh.nodeName || found.id)) found = found.nextSibling;
  return found?.nodeType === fresh.nodeType && found;
}

/** Tell a screen reader, which hears of nothing else that changes, after what it may still read. */
function say(...texts) {
  const told = document.createElement("p"), sentences = texts.map((text) => text.trim().replace(/[^?!.…]$/, "$&."));
  told.textContent = sentences.join(" ").replace(/\s+/g, " ").trim();
  part("said").append(told);
  setTimeout(() => told.remove(), READ);
}

const texts = (selector) => all(selector).map(({ innerText }) => innerText);
const talked = () => texts(".said > li");
const entries = () => all("ol[reversed] > li").reverse();

/** Return what happened last and how the table is now, which the end of a game says at once. */
function happened() {
  const [state = "", did = ""] = texts(".state, #did");
  return did.endsWith(state) ? [did] : [did, state];
}

/** Return what happened after an entry of the history, before what happened last. */
const between = (seen) =>
  entries().filter((each) => each.value > seen && !each.querySelector("[aria-current]"))
    .flatMap((each) => [each.querySelector("a")?.textContent ?? "", each.lastChild.textContent]);

/** Show a fresh page in place of this one, with tiles and discs moving to where they are now. */
function put(fresh) {
  const focused = document.activeElement?.id, before = places();
  document.title = fresh.title;
  root.lang = fresh.documentElement.lang;
  merge(document.body, fresh.body);
  if (focused && document.activeElement === document.body) part(focused)?.focus({ preventScroll: true });
  const cell = looked?.href;
  pieces.clear();
  look(null);
  light(null);
  dress();
  look(all("#move .cell, #move .tap").find(({ href }) => href === cell) ?? null);
  glide(before);
  if (!source) listen(); // somebody has signed in again
}

/** Say whether something is under way. */
const busy = (is) => document.querySelector("main").setAttribute("aria-busy", is);

/** Show what only works with this script, as the page that is there needs it. */
function dress() {
  root.classList.add("scripted");
  for (const each of all("[data-scripted]")) each.hidden = false;
  const slider = part("slider");
  if (slider) {
    slider.value = slider.getAttribute("value");
    slider.setAttribute("aria-valuetext", part("did").textContent);
  }
  const motion = part("motion");
  if (motion) motion.checked = moves();
}

// Asking the site -----------------------------

let newest = 0, sending = false, later = null, choosing = 0, due = 0;

// Ask for a page of this table, or send a form, and show the answer; what is on another page is loaded there. Nothing
// overtakes a form that is under way: what was asked for last is shown after its answer.
async function show(address, options = {}) {
  const { form, button, keeping = form ? "replaceState" : "pushState", quiet } = options;
  if (sending && !form) return void (later = () => show(address, options));
  const mine = ++newest, heard = talked(), { section, done } = from(form);
  const before = happened().join(), seen = entries().at(-1)?.value;
  const sent = form && { method: "POST", body: new URLSearchParams(new FormData(form, button)) };
  let answer = null, text = "";
  if (!quiet) busy(true);
  try {
    answer = await fetch(address, sent);
    text = await answer.text();
  } catch {
    answer = null; // it may have begun
  }
  if (mine !== newest) return false;
  busy(false);
  const isPage = answer?.headers.get("Content-Type")?.startsWith("text/html");
  const fresh = parsed(isPage ? text : ""), { reader } = document.body.dataset;
  // A page with 422 has the choices.
  const refused = !answer?.ok && (form || answer?.status !== 422), lost = form && !(answer?.status < 500);
  if (!form && reader && (fresh.body.dataset.reader ?? reader) !== reader) {
    source?.close();
    source = null;
    fail(part("signed-out").content.cloneNode(true));
    return false;
  }
  if (refused || (!isPage && (form || quiet))) {
    fail(fresh, form, lost);
    // Who has filled in a form sends it again.
    if (!form || lost) refresh(Math.max(AGAIN, 1000 * answer?.headers.get("Retry-After") || 0));
    else if (answer.status === 409) refresh();
    return false;
  }
  const to = new URL(answer.url);
  if (!isPage || (answer.redirected && to.pathname !== path)) {
    location.assign(answer.url);
    return false;
  }
  if (!quiet) delete part("trouble")?.dataset.kept;
  to.hash = form ? (section === "move" ? "board" : section) : new URL(address, location).hash;
  put(fresh);
  if (keeping && to.pathname === path) history[keeping](null, "", to);
  const news = (quiet || done) && happened().join() === before ? [] : happened();
  if (news.length && (quiet || form)) news.unshift(...between(seen));
  news.push(...(quiet ? talked().filter((each) => !heard.includes(each)) : [done ?? ""]));
  if (news.join("")) say(...news);
  if (form) arrive(part(section) ? section : "board");
  else if (!quiet) arrive(to.hash.slice(1));
  return true;
}

/** Return the section of a form, and what is to be said once it is sent. */
const from = (form) => ({ section: form?.closest("section[id]")?.id ?? "board", done: form?.dataset.done });

/** Say that there was no answer, or what it said. The page stays, with what is typed; a form may be lost. */
function fail(fresh, form, lost) {
  const trouble = part("trouble");
  const why = all("main :is([role=alert], ul, a.button)", fresh).filter((each) => each.pathname !== path);
  const said = part("live").dataset;
  if (!why.length) why.push(said.lost);
  if (lost || trouble.textContent.endsWith(said.unknown)) why.push(` ${said.unknown}`);
  trouble.toggleAttribute("data-kept", !!form && !lost); // until somebody does something else
  if (trouble.textContent !== why.map((each) => each.textContent ?? each).join("")) trouble.replaceChildren(...why);
}

/** Bring a part of the page into view, and give it the focus, or else what stands in its place. */
function arrive(id) {
  const target = part(id), focused = document.activeElement;
  if (target !== focused && target?.contains(focused)) return;
  const heading = { board: part("did"), move: part("move-heading") }[id] ?? target;
  (heading ?? document.querySelector("#did, #sitting, main :is(textarea, a)"))?.focus({ preventScroll: true });
  if (!target) return;
  const { top, bottom } = target.getBoundingClientRect();
  if (top < 0 || top > innerHeight * 0.8 || bottom < 0) target.scrollIntoView({ behavior: moves() ? "smooth" : "instant" });
}

/** Read this page again, soon: others have moved, or spoken. */
function refresh(wait = SOON) {
  clearTimeout(due);
  due = setTimeout(() => {
    if (sending || choosing || drag?.ghost) refresh();
    else show(location.href, { keeping: null, quiet: true });
  }, wait);
}

/** Return the address of this page for the table after a move. */
function moment(move, last) {
  const to = new URL(location.href);
  for (const name of ["tile", "x", "y", "refill", "why", "at"]) to.searchParams.delete(name);
  if (!last) to.searchParams.set("at", move);
  to.hash = "slider";
  return to.href;
}

document.addEventListener("click", (event) => {
  if (drag?.ghost) return event.preventDefault();
  if (event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const drawn = event.target.closest(".drawn [data-tile], .drawn [data-cell]"), { tile, cell } = drawn?.dataset ?? {};
  if (drawn) return pick((section) => (tile ? choiceOf(tile, section) : tapOf(cell, section)));
  if (event.target.id === "check") import("./check.mjs").then(({ check }) => check(part("verdict")));
  const link = event.target.closest("a[href]");
  if (!link || link.target || link.hasAttribute("download")) return;
  const to = new URL(link.href);
  if (to.origin !== location.origin || to.pathname !== path || (to.search === location.search && to.hash)) return;
  event.preventDefault();
  if (link.closest("#move")) choose(link.href);
  else show(link.href);
});

document.addEventListener("submit", (event) => {
  const form = event.target, to = new URL(form.action);
  if (form.method !== "post" || to.origin !== location.origin || !`${to.pathname}/`.startsWith(`${path}/`)) return;
  event.preventDefault();
  if (sending) return;
  sending = true;
  let moved = form.closest("#move"); // it may be gone afterwards
  show(to.href, { form, button: event.submitter }).then((shown) => {
    moved &&= shown;
    if (shown) form.reset();
  }).finally(() => {
    sending = false;
    later?.(moved);
    later = null;
  });
});

addEventListener("popstate", () => show(location.href, { keeping: null }));

// Choosing a move -----------------------------

const pieces = new Map(); // what the site has said of choices, until the page changes
const choiceOf = (tile, section) =>
  all("a.pick-tile", section).find((link) => new URL(link.href).searchParams.get("tile") === tile);

/** Return the link to a cell, by its letters: for the chosen tile or, given its choice, for another. */
const tapOf = (letters, section = part("move")) =>
  all(section?.matches("li") ? ".tap" : ".cell", section ?? document).find((link) => link.textContent.trim() === letters);

/** Follow the link that a function finds in this step of choosing, or else in one before it. */
async function pick(found) {
  for (let section = part("move"); section; ) {
    const link = found(section), back = section.querySelector("[data-back]");
    if (link && new URL(link.href).search !== location.search) choose(link.href);
    section = link || !back ? null : await piece(back.href);
  }
}

/** Return the section in which one chooses, for an address of the page; null if there is none. */
function piece(address) {
  const { search } = new URL(address);
  if (!pieces.has(search))
    pieces.set(search, fetch(`${path}/choices${search}`).then(async (answer) =>
      answer.ok || answer.status === 422 ? parsed(await answer.text()).getElementById("move") : null,
    ).catch(() => null).then((found) => found ?? (pieces.delete(search), null)));
  return pieces.get(search);
}

async function choose(address) {
  if (sending) return void (later = (moved) => moved || choose(address)); // there are other choices after a move
  const mine = ++newest;
  choosing++;
  busy(true);
  const found = await piece(address);
  choosing--;
  if (mine !== newest) return;
  busy(false);
  if (!found || !part("move")) return show(address);
  look(null);
  merge(part("move"), found.cloneNode(true));
  history.pushState(null, "", address);
  dress();
  const section = part("move"), heading = part("move-heading");
  const first = section.querySelector(".cell.good") ?? section.querySelector(".cell, form button, a.pick-tile");
  if (keyed && first) first.focus({ preventScroll: true });
  else if (document.activeElement === document.body) heading.focus({ preventScroll: true });
  const { top } = section.getBoundingClientRect();
  if (top < 0 || top > innerHeight * 0.6) section.scrollIntoView();
  say(heading.textContent, ...texts("#move :is(.would li, [role=alert])"));
}

let near = null; // what is pointed at, or has the focus

/** Tell of it at the other end of the window, so that nothing covers it. */
function avoid() {
  if (!near?.isConnected || near.closest("#trouble")) return; // the page has changed below the pointer
  const { top, bottom } = near.getBoundingClientRect();
  root.classList.toggle("low", top + bottom > innerHeight);
}

addEventListener("scroll", () => near === document.activeElement && avoid(), { passive: true });

let looked = null, looking = 0;

/** Show what a move would do, before it is chosen, and the tile in its cell. */
function look(link) {
  if (looked === link) return;
  looked = link;
  clearTimeout(looking);
  for (const each of all(".ghostly")) {
    each.classList.remove("ghostly");
    each.removeAttribute("style");
  }
  const ahead = part("ahead");
  if (!link) return ahead?.replaceChildren();
  const badge = (link.closest("li") ?? part("move")).querySelector(".pick-tile .tile");
  const { backgroundColor: fill, color } = getComputedStyle(badge);
  for (const cell of cells(link.textContent.trim())) {
    cell.classList.add("ghostly");
    cell.style.cssText = `background: ${fill} !important; color: ${color} !important; fill: ${fill}`;
  }
  looking = setTimeout(async () => {
    const told = (await piece(link.href))?.querySelector(".would");
    if (looked !== link || !told) return;
    ahead?.replaceChildren(told.cloneNode(true));
    if (keyed) say(ahead?.innerText ?? "");
  }, 80);
}

/** Return the places of an open cell: in the display, and in the picture. */
function cells(letters) {
  const drawn = all(`.drawn [data-cell="${CSS.escape(letters)}"] rect`);
  return [...all("#move td.free b, #move .cell").filter((each) => each.textContent.trim() === letters), ...drawn];
}

let keyed = true; // whether the last thing that was pressed was a key
for (const name of ["pointerdown", "keydown"]) addEventListener(name, () => (keyed = name === "keydown"), true);

let under = null; // what the pointer was moved over, not what is scrolled below it

for (const name of ["pointermove", "pointerdown", "focusin"])
  document.addEventListener(name, ({ target }) => {
    if (drag?.ghost || (name !== "focusin" && target === under)) return;
    if (name !== "focusin") under = target;
    near = target;
    avoid();
    const cell = target.closest(".drawn [data-cell]");
    const link = cell ? tapOf(cell.dataset.cell) : target.closest("#move .cell, #move .tap");
    if (link || looked) look(link ?? null);
    light(goalAt(target));
  });

/** Return the nearest cell in a direction, given as steps of x and y. */
function beside(cell, [x, y]) {
  const middle = (each) => {
    const { left, top, width, height } = each.getBoundingClientRect();
    return [left + width / 2, top + height / 2];
  };
  const [from, above] = middle(cell);
  const away = (each) => {
    const [to, under] = middle(each), along = (to - from) * x + (under - above) * y;
    return along < 1 ? Infinity : along + 3 * Math.abs((to - from) * y + (under - above) * x);
  };
  const others = all("#move .cell").filter((each) => away(each) < Infinity);
  return others.sort((one, other) => away(one) - away(other))[0];
}

const DIRECTIONS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

document.addEventListener("keydown", (event) => {
  const { key, target } = event, section = part("move");
  if (event.ctrlKey || event.metaKey || event.altKey || target.closest("input, textarea, select")) return;
  if (key === "Escape" && drag) return dropped();
  let to = null;
  if (section?.contains(target)) {
    if (key === "Escape") section.querySelector("[data-back]")?.click();
    else if (/^[1-9]$/.test(key)) all("a.pick-tile", section)[key - 1]?.click();
    else if (DIRECTIONS[key] && target.matches(".cell")) to = beside(target, DIRECTIONS[key]) ?? target;
    else if (DIRECTIONS[key] && !target.matches(".scroll")) to = section.querySelector(".cell");
    to?.focus();
  } else if (!event.shiftKey && !target.matches(".scroll")) {
    to = { ArrowLeft: part("prev"), ArrowRight: part("next") }[key];
    if (!to?.href) return;
    to.click();
  }
  if (to) event.preventDefault();
});

// Dragging a tile to its cell -----------------

let drag = null; // the tile's badge, where the pointer is, and once it moves the ghost and the cell

addEventListener("pointerdown", (event) => {
  dropped();
  const badge = event.target.closest?.("#move .pick-tile .tile");
  if (badge && !event.button) drag = { badge, x: event.clientX, y: event.clientY };
});
addEventListener("dragstart", (event) => drag && event.preventDefault());
addEventListener("pointermove", ({ clientX, clientY }) => {
  if (!drag) return;
  if (!drag.ghost) {
    if (Math.hypot(clientX - drag.x, clientY - drag.y) < 6) return;
    drag.ghost = document.body.appendChild(drag.badge.cloneNode(true));
    drag.ghost.classList.add("dragged");
    drag.ghost.setAttribute("aria-hidden", "true");
    requestAnimationFrame(scroll);
  }
  [drag.x, drag.y] = [clientX, clientY];
  drag.ghost.style.transform = `translate(${clientX}px, ${clientY}px)`;
  const below = near = document.elementFromPoint(clientX, clientY);
  avoid();
  const letters = below?.closest(".drawn [data-cell]")?.dataset.cell ?? below?.closest("#move td.free")?.textContent.trim();
  drag.link = letters ? tapOf(letters, drag.badge.closest("li")) : null;
  look(drag.link ?? null);
});
addEventListener("pointerup", () => {
  const link = drag?.ghost && drag.link;
  if (link) choose(link.href);
  setTimeout(dropped); // after the click that may follow
});
addEventListener("pointercancel", dropped);

function dropped() {
  drag?.ghost?.remove();
  drag = null;
}

/** Scroll while a tile is held at the edge of the window. */
function scroll() {
  if (!drag?.ghost) return;
  if (drag.y < 60) scrollBy(0, -12);
  if (drag.y > innerHeight - 60) scrollBy(0, 12);
  requestAnimationFrame(scroll);
}

// Why a goal is met or not --------------------

/** Return the row of the goal that an element shows: of the picture, of a display, or of the list; null if none. */
function goalAt(element) {
  const row = element.closest("li[data-asks]"), drawn = element.closest(".drawn [data-goal]");
  if (row) return row;
  const goal = element.closest(".grid .goal"), tile = goal?.closest("td").querySelector(".which").textContent.trim();
  const name = drawn?.dataset.goal ?? (goal && `${tile}.${all(".goal", goal.closest("td")).indexOf(goal) + 1}`);
  return name ? document.querySelector(`li[data-asks="${CSS.escape(name)}"]`) : null;
}

let lit = null;

/** Light up the tiles that count for a goal, and the goal's own tile. */
function light(row) {
  if (row === lit) return;
  lit = row;
  const counting = new Set(row?.dataset.counts.split(" ")), own = row?.dataset.asks.split(".")[0];
  root.classList.toggle("explaining", Boolean(row));
  for (const each of all(".drawn [data-tile], .shown .grid td")) {
    const tile = each.dataset.tile ?? each.querySelector(".which")?.textContent.trim();
    each.classList.toggle("counts", counting.has(tile));
    each.classList.toggle("asks", own !== undefined && tile === own);
  }
  const because = part("because");
  const name = row?.querySelector("a").textContent;
  if (because) because.textContent = row ? `${name}. ${row.textContent.slice(name.length).trim()}` : "";
}

// Motion --------------------------------------

/** Return whether things move: as the switch says, or else as the device is set. */
function moves() {
  try {
    return (localStorage.getItem("motion") ?? (calm.matches ? "off" : "on")) === "on";
  } catch {
    return !calm.matches;
  }
}

/** Return where the tiles and discs of the picture are, in it. */
function places() {
  const drawn = document.querySelector(".drawn svg"), edge = drawn?.getBoundingClientRect();
  const found = new Map();
  for (const each of drawn ? all("[data-tile], [data-seat]", drawn) : []) {
    const { left, top, width } = each.getBoundingClientRect();
    const { tile, seat } = each.dataset;
    found.set(tile ? `tile ${tile}` : `disc ${seat}`, { each, x: left - edge.left, y: top - edge.top, width });
  }
  return found;
}

/** Let tiles and discs move from where they were, and new ones appear. */
function glide(before) {
  if (!moves() || !before.size) return;
  const timing = { duration: 700, easing: "ease-in-out" };
  for (const [name, { each, x, y, width }] of places()) {
    const old = before.get(name), ratio = each.getScreenCTM() && each.parentNode.getScreenCTM().a;
    if (!old) each.animate([{ opacity: 0 }, { opacity: 1 }], timing);
    if (!old || Math.hypot(old.x - x, old.y - y) < 2) continue;
    const [left = 0, top = 0, scale = 1] = (each.getAttribute("transform") ?? "").match(/-?[\d.]+/g)?.map(Number) ?? [];
    const [right, down] = [left + (old.x - x) / ratio, top + (old.y - y) / ratio];
    const frame = (x, y, size) => ({ transform: `translate(${x}px, ${y}px) scale(${size})` });
    each.animate([frame(right, down, (scale * old.width) / width), frame(left, top, scale)], timing);
  }
}

document.addEventListener("change", ({ target }) => {
  if (target.id === "motion")
    try {
      localStorage.setItem("motion", target.checked ? "on" : "off");
    } catch { /* it holds until the page is left */ }
});

// History -------------------------------------

let sliding = 0;

document.addEventListener("input", ({ target }) => {
  if (target.id !== "slider") return;
  const versions = target.dataset.moves.split(" "), at = Number(target.value);
  clearTimeout(sliding);
  const to = moment(versions[at], at === versions.length - 1);
  sliding = setTimeout(() => show(to, { keeping: "replaceState" }), 60);
});

// What happens at the table -------------------

let source = null, again = 0;

/** Return whether an event's state of the table is newer than the one that the page shows. */
function isNew(tag) {
  const numbers = (text) => text?.match(/\d+/g) ?? [];
  const [version, revision] = numbers(tag), [seen, revised] = numbers(part("live").dataset.seen);
  return !tag || Number(version) > Number(seen) || Number(revision) > Number(revised);
}

/** Hear of what happens while the page is looked at; without a stream, look again from time to time. */
function listen() {
  source?.close();
  source = null;
  clearTimeout(again);
  const live = part("live");
  if (!live.dataset.changes || document.hidden) return;
  source = new EventSource(live.dataset.changes);
  source.onmessage = ({ data }) => isNew(JSON.parse(data).etag) && refresh();
  source.addEventListener("reset", () => refresh());
  source.onerror = () => {
    if (source.readyState !== EventSource.CLOSED) return;
    again = setTimeout(() => {
      refresh();
      listen();
    }, PATIENCE);
  };
}

document.addEventListener("visibilitychange", listen);
addEventListener("pagehide", () => source?.close());
addEventListener("pageshow", ({ persisted }) => persisted && listen());

dress();
listen();
navigator.serviceWorker?.register("/service-worker.js").catch(() => {});
