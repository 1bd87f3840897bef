// boardgame.io's own server with its Postgres store: `node server.js SOCKET_FOLDER DATABASE USER`.
// The port is printed as one line once it listens on this machine.

const { Server } = require("boardgame.io/server");
const { PostgresStore } = require("bgio-postgres");
const { novaLuna } = require("./game");

const [host, database, username] = process.argv.slice(2);
// Its pool has 5 connections by default; with 20 none of 8 matches waits for one.
const db = new PostgresStore({ host, port: 5432, database, username, logging: false, pool: { max: 20 } });
const server = Server({ games: [novaLuna], db, origins: [] });

server.run({ port: 0 }).then(({ appServer }) => console.log(`listening on ${appServer.address().port}`));
