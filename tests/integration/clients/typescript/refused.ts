// Requests that must not compile. A line below an @ts-expect-error that does compile is an error of its own.
import createClient from "openapi-fetch";
import type { paths } from "./types.js";

const client = createClient<paths>();
const params = { path: { game_id: "3kTmWq8ZbNpR" } };

// @ts-expect-error: a table has a number of seats
void client.POST("/v1/games", { body: {} });
// @ts-expect-error: `lots` is no number of discs
void client.POST("/v1/games", { body: { seats: 2, discs: "lots" } });
// @ts-expect-error: neither is it without seats
void client.POST("/v1/games", { body: { discs: "lots" } });
// @ts-expect-error: a clock of a kind that there is not
void client.POST("/v1/games", { body: { seats: 2, clock: { kind: "hourglass" } } });
// @ts-expect-error: a move has a type
void client.POST("/v1/games/{game_id}/moves", { params, body: {} });
// @ts-expect-error: a placement has a tile and a cell
void client.POST("/v1/games/{game_id}/moves", { params, body: { type: "place" } });
// @ts-expect-error: a refill has no tile
void client.POST("/v1/games/{game_id}/moves", { params, body: { type: "refill", tile: 3 } });
// @ts-expect-error: players send no timeouts
void client.POST("/v1/games/{game_id}/moves", { params, body: { type: "timeout" } });
// @ts-expect-error: an address has no path
void client.GET("/v1/games/{game_id}", {});

void client.POST("/v1/games", { body: { seats: 2 } });
void client.POST("/v1/games", { body: { seats: 3, discs: "first_game", clock: { kind: "per_wait", per_wait: "P2D" } } });
void client.POST("/v1/games", { body: { seats: 4, discs: 12, clock: "days-3", ladder: { nudge: "P1D", then: "out" } } });
void client.POST("/v1/games/{game_id}/moves", { params, body: { type: "place", tile: 3, x: 0, y: -1 } });
void client.POST("/v1/games/{game_id}/moves", { params, body: { type: "refill", expected_version: 4 } });
void client.POST("/v1/games/{game_id}/moves", { params, body: { type: "resign" } });
