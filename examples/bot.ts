// Plays every running game of an account: the bot of bot.py again, by types that are generated from the service.
//
//   npm install openapi-fetch openapi-typescript typescript@5 @types/node
//   npm pkg set type=module
//   npx openapi-typescript https://nova.example/openapi.yaml --output types.ts
//   npx tsc --strict --target es2022 --module nodenext bot.ts
//   NOVALUNA_URL=https://nova.example NOVALUNA_TOKEN=… node bot.js
import createClient from "openapi-fetch";
import type { components, paths } from "./types.js";

type Game = components["schemas"]["GameSummary"];
type Place = components["schemas"]["PlaceMove"];
type Problem = components["schemas"]["Problem"];

const client = createClient<paths>({
  fetch: untilAnswered,
  baseUrl: process.env["NOVALUNA_URL"] ?? "http://127.0.0.1:8080",
  headers: { Authorization: `Bearer ${process.env["NOVALUNA_TOKEN"]}` },
});

/** Send a request until the service answers. A move that is sent again has the same key, so it is made once. */
async function untilAnswered(request: Request): Promise<Response> {
  for (;;) {
    const answer = await fetch(request.clone()).catch(() => undefined);
    if (answer && ![429, 502, 503, 504].includes(answer.status)) return answer;
    const pause = Number(answer?.headers.get("Retry-After") ?? 2);
    console.error(`${answer?.status ?? "no answer"}: ${request.url} is sent again in ${pause} s`);
    await new Promise((resume) => setTimeout(resume, 1000 * pause));
  }
}

/** A problem in place of what was asked for. */
class Refused extends Error {
  constructor(readonly problem: Problem | undefined) {
    super(`${problem?.code}: ${problem?.detail}`);
  }
}

/** Return the body of an answer; a problem is thrown. */
function body<T>(answer: { data?: T; error?: Problem }): T {
  if (answer.data === undefined) throw new Refused(answer.error);
  return answer.data;
}

/** Yield the games that a query finds, page by page. */
async function* games(query: { mine?: boolean; my_turn?: boolean; status?: "running" }): AsyncGenerator<Game> {
  let cursor: string | undefined;
  do {
    const asked = { ...query, limit: 100, ...(cursor && { cursor }) };
    const page = body(await client.GET("/v1/games", { params: { query: asked } }));
    yield* page.items;
    cursor = page.next ?? undefined;
  } while (cursor);
}

/** Return how good a move is: mostly how many goals it would cover, and then how few spaces its disc would go. */
async function rate(game_id: string, move: Place): Promise<number> {
  const params = { path: { game_id }, query: { dry_run: true } };
  const preview = body(await client.POST("/v1/games/{game_id}/moves", { params, body: move }));
  if (!("covered" in preview)) throw new Error("a dry run is answered by a preview");
  return 100 * preview.covered.length - (preview.moved ? preview.moved.to - preview.moved.from : 0);
}

/** Make the best move that is legal in a game, of those on its first four cells. */
async function move(game_id: string): Promise<void> {
  const params = { path: { game_id } };
  const legal = body(await client.GET("/v1/games/{game_id}/legal-moves", { params }));
  let best: { rated: number; move: Place } | undefined;
  for (const tile of legal.tiles) {
    for (const { x, y } of legal.cells.slice(0, 4)) {
      const place: Place = { type: "place", tile, x, y, expected_version: legal.version };
      const rated = await rate(game_id, place);
      if (best === undefined || rated > best.rated) best = { rated, move: place };
    }
  }
  const chosen = best?.move ?? { type: "refill" as const, expected_version: legal.version };
  const header = { "Idempotency-Key": crypto.randomUUID() };
  body(await client.POST("/v1/games/{game_id}/moves", { params: { ...params, header }, body: chosen }));
}

/** Move in a game, unless something else happened there first; the event of that brings the bot back. */
async function moveUnlessLate(game_id: string): Promise<void> {
  try {
    await move(game_id);
  } catch (error) {
    const problem = error instanceof Refused ? error.problem : undefined;
    if (problem?.status !== 409 && problem?.code !== "not_your_turn") throw error;
  }
}

/** Wait until something happens after a place in the list of events, and return the place to go on from. */
async function wait(after: string): Promise<string> {
  const { data, error } = await client.GET("/v1/events", { params: { query: { wait: 30, after } } });
  const next = data ?? error; // 410: what happened since is no longer kept; all games are read again in any case
  if (next?.after === undefined) throw new Refused(error);
  return next.after;
}

let { after } = body(await client.GET("/v1/events"));
while (!(await games({ mine: true, status: "running" }).next()).done) {
  for await (const game of games({ my_turn: true })) await moveUnlessLate(game.id);
  after = await wait(after);
}
