// Plays every running game of an account: the bot of bot.py again, by types that are generated from the service.
//
//   npm install openapi-fetch openapi-typescript typescript@5
//   npx openapi-typescript https://nova.example/openapi.yaml --output types.ts
//   npx tsc --strict --target es2022 --module nodenext bot.ts
//   NOVALUNA_URL=https://nova.example NOVALUNA_TOKEN=… node bot.js
import createClient from "openapi-fetch";
import type { components, paths } from "./types.js";

type Place = components["schemas"]["PlaceMove"];

const client = createClient<paths>({
  baseUrl: process.env["NOVALUNA_URL"] ?? "http://127.0.0.1:8080",
  headers: { Authorization: `Bearer ${process.env["NOVALUNA_TOKEN"]}` },
});

/** Return the body of an answer; a problem is thrown. */
function body<T>(answer: { data?: T; error?: components["schemas"]["Problem"] }): T {
  if (answer.data === undefined) throw new Error(`${answer.error?.code}: ${answer.error?.detail}`);
  return answer.data;
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
  const made = await client.POST("/v1/games/{game_id}/moves", { params: { ...params, header }, body: chosen });
  if (made.response.status !== 409) body(made); // 409: something came first; the next event brings the bot back here
}

let { after } = body(await client.GET("/v1/events"));
for (;;) {
  const running = body(await client.GET("/v1/games", { params: { query: { mine: true, status: "running" } } })).items;
  if (running.length === 0) break;
  for (const game of running) if (game.turn === game.you) await move(game.id);
  after = body(await client.GET("/v1/events", { params: { query: { wait: 30, after } } })).after;
}
