// Nova Luna for two as a game of boardgame.io, with the least that a move is made of: one of the next three tiles on the
// track goes to a free cell beside others, the disc moves on by its time cost, and who is furthest back moves next.
// Goals are left out: they would only make its moves dearer.

const { INVALID_MOVE, PlayerView } = require("boardgame.io/core");

const TILES = 68;
const SHOWN = 11;
const CHOICES = 3;
const COSTS = [1, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 6, 6, 7];

const cost = (tile) => COSTS[(tile - 1) % COSTS.length];

/** Where the next three tiles stand, counted on from the marker. */
function choices(G) {
  const found = [];
  for (let step = 1; step < G.track.length && found.length < CHOICES; step++) {
    const place = (G.marker + step) % G.track.length;
    if (G.track[place] !== null) found.push(place);
  }
  return found;
}

function isFree(display, x, y) {
  const beside = display.some((each) => Math.abs(each.x - x) + Math.abs(each.y - y) === 1);
  return display.length === 0 ? x === 0 && y === 0 : beside && !display.some((each) => each.x === x && each.y === y);
}

function place({ G, ctx, playerID }, tile, x, y) {
  const from = choices(G).find((each) => G.track[each] === tile);
  const display = G.displays[playerID];
  if (from === undefined || !isFree(display, x, y)) return INVALID_MOVE;
  G.marker = from;
  G.track[from] = null;
  display.push({ tile, x, y });
  G.times[playerID] += cost(tile);
  G.last = Number(playerID);
  if (G.track.filter((each) => each !== null).length < CHOICES) {
    for (let step = 1; step < G.track.length; step++) {
      const at = (G.marker + step) % G.track.length;
      if (G.track[at] === null && G.secret.pile.length > 0) G.track[at] = G.secret.pile.pop();
    }
  }
}

/** The seat that is furthest back; of two on one space, who came there last. */
const next = (G) => (G.times[0] === G.times[1] ? G.last : G.times[0] < G.times[1] ? 0 : 1);

const novaLuna = {
  name: "nova-luna",
  minPlayers: 2,
  maxPlayers: 2,
  setup: ({ random }) => {
    const pile = random.Shuffle(Array.from({ length: TILES }, (_, index) => index + 1));
    return {
      secret: { pile: pile.slice(SHOWN) },
      track: [...pile.slice(0, SHOWN), null],
      marker: SHOWN,
      displays: [[], []],
      times: [0, 0],
      last: 0,
    };
  },
  playerView: PlayerView.STRIP_SECRETS,
  moves: { place: { move: place, client: false } },
  turn: {
    minMoves: 1,
    maxMoves: 1,
    order: { first: ({ G }) => next(G), next: ({ G }) => next(G) },
  },
  endIf: ({ G }) => (choices(G).length === 0 ? { ended: true } : undefined),
};

module.exports = { novaLuna, choices };
