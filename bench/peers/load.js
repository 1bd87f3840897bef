// Matches of boardgame.io, played side by side: `node load.js PORT MATCHES MOVES`. When all players sit it prints their
// ids as one line of JSON, waits for a line on standard input, plays, and prints a result as that of bench/load.py.
//
// Two players sit at each match, each with a connection of its own, as with its own client; what they send is what that
// sends. The next move of a match is sent once the last one's update has come to who made it. (The server sends it before
// it has written it, and takes up the next one after.)

const { once } = require("node:events");
const { io } = require("socket.io-client");
const { choices } = require("./game");

const PATIENCE = 60_000;
// The server answers no sync that fails on its side, and a browser would be reloaded then. So the sync is sent again.
const SYNC_PATIENCE = 5_000;
const SYNCS = 4;

const [PORT, MATCHES, MOVES] = process.argv.slice(2).map(Number);
const address = `http://127.0.0.1:${PORT}`;

async function lobby(path, body) {
  const response = await fetch(`${address}/games/nova-luna${path}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

/** A player's connection to a match, which knows the state that it was sent last. */
class Player {
  constructor(matchID, playerID, credentials) {
    Object.assign(this, { matchID, playerID, credentials, state: null });
    this.socket = io(`${address}/nova-luna`, { transports: ["websocket"], forceNew: true });
    this.socket.on("sync", (_, info) => this.take(info.state));
    this.socket.on("update", (_, state) => this.take(state));
    this.waiting = [];
  }

  take(state) {
    if (this.state !== null && state._stateID <= this.state._stateID) return;
    this.state = state;
    this.waiting = this.waiting.filter(({ stateID, resolve }) => state._stateID < stateID || resolve());
  }

  reached(stateID, patience = PATIENCE) {
    if (this.state !== null && this.state._stateID >= stateID) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no state ${stateID} of match ${this.matchID}`)), patience);
      this.waiting.push({ stateID, resolve: () => (clearTimeout(timer), resolve()) });
    });
  }

  /** Sits down, and says how many syncs were dropped before one was answered. */
  async sit() {
    await new Promise((resolve, reject) => this.socket.on("connect", resolve).on("connect_error", reject));
    for (let dropped = 0; ; dropped++) {
      this.socket.emit("sync", this.matchID, this.playerID, this.credentials, 2);
      try {
        await this.reached(0, SYNC_PATIENCE);
        return dropped;
      } catch (error) {
        if (dropped + 1 === SYNCS) throw error;
      }
    }
  }

  /** Takes the first choice, and puts it at the end of its row. */
  async move() {
    const { G, _stateID: stateID } = this.state;
    const args = [G.track[choices(G)[0]], G.displays[this.playerID].length, 0];
    const { playerID, credentials } = this;
    const action = { type: "MAKE_MOVE", payload: { type: "place", args, playerID, credentials } };
    this.socket.emit("update", action, stateID, this.matchID, playerID);
    await this.reached(stateID + 1);
  }
}

let dropped = 0;

async function opened() {
  const { matchID } = await lobby("/create", { numPlayers: 2 });
  const players = [];
  for (const playerID of ["0", "1"]) {
    const { playerCredentials } = await lobby(`/${matchID}/join`, { playerID, playerName: `Player ${playerID}` });
    const player = new Player(matchID, playerID, playerCredentials);
    dropped += await player.sit();
    players.push(player);
  }
  return players;
}

async function played(players, latencies) {
  let current = players[0].state.ctx.currentPlayer;
  for (let number = 0; number < MOVES; number++) {
    const player = players[current];
    await player.reached(number);
    const begun = performance.now();
    await player.move();
    latencies.push((performance.now() - begun) / 1e3);
    current = player.state.ctx.currentPlayer;
  }
}

async function main() {
  const matches = await Promise.all(Array.from({ length: MATCHES }, opened));
  console.log(JSON.stringify(matches.map(([player]) => player.matchID)));
  await once(process.stdin, "data");
  const latencies = [];
  const spent = process.cpuUsage();
  const begun = performance.now();
  await Promise.all(matches.map((players) => played(players, latencies)));
  const seconds = (performance.now() - begun) / 1e3;
  const { user, system } = process.cpuUsage(spent);
  const result = { statuses: { made: latencies.length, dropped }, seconds, latencies, cpu: (user + system) / 1e6 };
  process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit());
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
