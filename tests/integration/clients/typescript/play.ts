// Plays a game of two players and a solo to their ends by the generated types alone, and prints what came of them.
import createClient from "openapi-fetch";
import type { components, paths } from "./types.js";

type Game = components["schemas"]["Game"];
type LegalMoves = components["schemas"]["LegalMoves"];
type MoveRequest = components["schemas"]["MoveRequest"];
type Problem = components["schemas"]["Problem"];

const [baseUrl = "", annsToken = "", bensToken = ""] = process.argv.slice(2);
const ann = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${annsToken}` } });
const ben = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${bensToken}` } });
const anybody = createClient<paths>({ baseUrl });

function shown<T>(answer: { data?: T; error?: Problem }): T {
  if (answer.data === undefined) throw new Error(`${answer.error?.code}: ${answer.error?.detail}`);
  return answer.data;
}

function chosen(legal: LegalMoves): MoveRequest {
  const [tile] = legal.tiles;
  const [cell] = legal.cells;
  if (tile !== undefined && cell !== undefined) {
    return { type: "place", tile, x: cell.x, y: cell.y, letter: cell.letter, expected_version: legal.version };
  }
  return { type: legal.refill ? "refill" : "resign", expected_version: legal.version };
}

async function match(): Promise<Game> {
  let game = shown(await ann.POST("/v1/games", { body: { seats: 2, discs: 5, clock: "week" } }));
  const path = { game_id: game.id };
  game = shown(await ben.POST("/v1/games/{game_id}/players", { params: { path }, body: { entropy: "clover" } }));
  const early = await ann.POST("/v1/games/{game_id}/moves", { params: { path }, body: { type: "refill" } });
  if (early.error?.code !== "version_required") throw new Error("a move needs a version");
  while (game.turn) {
    const [mover, other] = game.turn.seat === 0 ? [ann, ben] : [ben, ann];
    const legal = shown(await mover.GET("/v1/games/{game_id}/legal-moves", { params: { path } }));
    const body = chosen(legal);
    const refused = await other.POST("/v1/games/{game_id}/moves", { params: { path }, body });
    const problem: Problem | undefined = refused.error;
    if (problem?.rule !== "2.1" || problem.legal?.resign !== true) throw new Error("it was not their turn");
    const made = shown(await mover.POST("/v1/games/{game_id}/moves", { params: { path }, body }));
    if (!("id" in made)) throw new Error("this was no dry run");
    game = made;
  }
  return game;
}

async function solo(): Promise<Game> {
  let game = shown(await ann.POST("/v1/solo-sessions", { body: {} }));
  const path = { session_id: game.id };
  game = shown(await ann.POST("/v1/solo-sessions/{session_id}/start", { params: { path }, body: {} }));
  while (game.turn) {
    const legal = shown(await ann.GET("/v1/solo-sessions/{session_id}/legal-moves", { params: { path } }));
    const made = shown(
      await ann.POST("/v1/solo-sessions/{session_id}/moves", { params: { path }, body: chosen(legal) }),
    );
    if (!("id" in made)) throw new Error("this was no dry run");
    game = made;
  }
  return game;
}

function told(move: components["schemas"]["Move"]): string {
  switch (move.type) {
    case "place":
      return `${move.tile}@${move.x},${move.y}`;
    case "mark":
      return move.kind;
    case "refill":
    case "resign":
    case "timeout":
    case "end":
      return move.type;
  }
}

const played = await match();
const path = { game_id: played.id };
const record = shown(await anybody.GET("/v1/games/{game_id}/record", { params: { path } }));
const svg: string = shown(await anybody.GET("/v1/games/{game_id}/board.svg", { params: { path }, parseAs: "text" }));
const alone = await solo();
console.log(
  JSON.stringify({
    match: { id: played.id, reason: played.result?.reason, ranking: played.result?.ranking },
    log: record.log.map((entry) => told(entry.move)),
    last: played.last_move?.notation,
    colors: played.displays.flatMap((display) => display.tiles.map((tile) => tile.color)),
    svg: svg.slice(0, 4),
    solo: { id: alone.id, reason: alone.result?.reason, score: alone.result?.score, phase: alone.solo?.phase },
  }),
);
