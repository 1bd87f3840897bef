// The service worker: shows the last seen tables without network, and nothing else from its cache.
//
// A table's page is kept by its address without the query, so without the secret of a link in it. Pages of earlier
// moves and of choices are not kept. All that are kept are one reader's, whom each page names; a page of another reader, or
// of nobody, empties the cache, and so do the pages of signing in: who looks next is unknown.

const SEEN = "seen", SHELL = "shell-1", MOST = 30;
const OFFLINE = "/offline", PAGE = /^\/(?:games\/[A-Za-z0-9]+|tables)$/, SIGNING = /^\/(?:sign-in|sign-out)(?:\/|$)/;

self.addEventListener("install", (event) => {
  event.waitUntil(install().then(() => self.skipWaiting()));
});

const install = async () => (await caches.open(SHELL)).add(OFFLINE);

self.addEventListener("activate", (event) => {
  event.waitUntil(
    caches.keys().then((names) =>
      Promise.all(names.filter((name) => name !== SEEN && name !== SHELL).map((name) => caches.delete(name)))
    ).then(() => self.clients.claim()));
});

self.addEventListener("fetch", (event) => {
  const { request } = event, { origin, pathname } = new URL(request.url), isPage = request.mode === "navigate";
  // The browser alone asks, on the way back to a form's answer, whether to send it again.
  if (origin !== self.location.origin || (request.method === "POST" && navigator.onLine)) return;
  if (isPage || (request.method === "GET" && PAGE.test(pathname))) event.respondWith(answered(request, event, isPage));
});

// Answers from the network, and only without it from the cache.
async function answered(request, event, isPage) {
  let response;
  try {
    response = await fetch(request);
  } catch (error) {
    if (!isPage) throw error;
    return shown(request);
  }
  const url = new URL(request.url);
  if (SIGNING.test(url.pathname) && response.status < 500) await caches.delete(SEEN);
  event.waitUntil(keep(request.method === "GET" && isWhole(url) ? url.pathname : null, response.clone()));
  if (isPage && url.pathname === "/tables") event.waitUntil(install().catch(() => {})); // perhaps in another language
  return response;
}

function isWhole({ pathname, searchParams }) {
  return PAGE.test(pathname) && [...searchParams.keys()].every((name) => name === "link");
}

const readerOf = async (page) => /<body[^>]* data-reader="([^"]*)"/.exec(await page.text())?.[1];

async function keep(path, response) {
  if (!response.headers.get("Content-Type")?.startsWith("text/html")) return;
  const reader = await readerOf(response.clone()), [one] = await (await caches.open(SEEN)).keys();
  if (one && reader !== undefined && reader !== (await readerOf(await caches.match(one)))) await caches.delete(SEEN);
  if (!path) return;
  const cache = await caches.open(SEEN);
  if (response.ok || response.status === 404) await cache.delete(path); // the newest comes last
  if (!response.ok) return;
  await cache.put(path, response);
  const paths = await cache.keys();
  await Promise.all(paths.slice(0, Math.max(0, paths.length - MOST)).map((old) => cache.delete(old)));
}

// Returns the page as it was seen last, which then says so, or else one that lists what was seen.
async function shown(request) {
  const cache = await caches.open(SEEN), url = new URL(request.url);
  const seen = request.method === "GET" ? await cache.match(url.pathname) : undefined;
  if (seen) return html(seen, (text) => text.replace('<p class="offline" hidden>', '<p class="offline" role="status">'));
  const offline = await (await caches.open(SHELL)).match(OFFLINE);
  if (!offline) return Response.error();
  const items = await Promise.all((await cache.keys()).reverse().map(async (each) => {
    const title = /<h1>([^<]*)<\/h1>/.exec(await (await cache.match(each)).text())?.[1] ?? "";
    return `<li><a class="to-table" href="${new URL(each.url).pathname}"><strong>${title}</strong></a></li>`;
  }));
  return html(offline, (text) => text.replace('<ul class="tables"></ul>', () => `<ul class="tables">${items.join("")}</ul>`));
}

async function html(response, change) {
  const kept = ["Content-Type", "Content-Security-Policy"].map((name) => [name, response.headers.get(name) ?? ""]);
  return new Response(change(await response.text()), { headers: Object.fromEntries(kept) });
}
