// The tiles, and the rules of the game. The numbers in comments are those of docs/RULINGS.md.
import { hold } from "./values.mjs";

const TILES = [null, ...`
b1 b2:bbbb b2:bbbb b3:bby b3:bty b3:rrt b3:brty:rrr b4:bbb:rt b4:br:ty b4:rrrr:rr b4:rrr:ttt:yy b5:ttt:t b5:yy:t
b5:bb:tt:yy b6:rr:tt:y b6:yyy:rr:ry b7:rt:ry:ty r1 r2:rrrr r2:rrrr r3:brr r3:brt r3:tty r3:brty:ttt r4:by:rt
r4:rrr:ty r4:yyyy:yy r4:bbb:yyy:tt r5:bb:y r5:bbb:b r5:bb:rr:tt r6:bb:yy:t r6:ttt:ty:yy r7:bt:by:ty t1 t2:tttt
t2:tttt t3:byy t3:rtt t3:rty t3:brty:yyy t4:bbbb:bb t4:br:ty t4:ttt:by t4:bbb:yyy:rr t5:rr:b t5:yyy:y
t5:rr:tt:yy t6:bb:yy:r t6:rrr:bb:br t7:br:by:ry y1 y2:yyyy y2:yyyy y3:bbr y3:bry y3:tyy y3:brty:bbb y4:by:rt
y4:tttt:tt y4:yyy:br y4:rrr:ttt:bb y5:rrr:r y5:tt:r y5:bb:rr:yy y6:bbb:bt:tt y6:rr:tt:b y7:br:bt:rt
`.trim().split(/\s+/).map((text) => {
  const [face, ...goals] = text.split(":");
  return { color: face[0], cost: Number(face[1]), goals };
})];

/** The state of a game. */
export class Table {
  constructor(seats, goalDiscs, tiles, stack) {
    Object.assign(this, { seats, solo: seats === 1, tiles, shown: 0, marker: 0, first: null, result: null });
    this.spaces = Array(12).fill(0);
    this.displays = Array.from({ length: seats }, () => new Map()); // by seat: the placed tiles by cell
    this.discs = Array(seats).fill(goalDiscs);
    this.track = stack.map((seat, arrived) => ({ seat, at: 0, arrived }));
    this.left = [];
    this.arrivals = seats;
    this.refill();
  }

  order() { // 2.1: the furthest back first; on one space, the last to arrive
    return this.track.slice().sort((a, b) => a.at - b.at || b.arrived - a.arrived).map((disc) => disc.seat);
  }

  get turn() { return this.result ? null : this.order()[0]; }
  get ring() { // the tiles on the track, clockwise from the marker
    return [...this.spaces.slice(this.marker), ...this.spaces.slice(0, this.marker)].filter((tile) => tile);
  }
  get atHand() { return this.discs[0] - (this.solo && this.first === null ? 13 : 0); } // 5.2; used in a solo alone

  refill() { // 2.2
    const needed = Math.min(68, this.shown + 11 - this.ring.length), before = this.shown;
    hold(needed <= this.tiles.length, "draw", 0, `the tile list is too short: ${needed} tiles have come out`);
    for (let i = 1; i < 12; i++) {
      const space = (this.marker + i) % 12;
      if (!this.spaces[space] && this.shown < 68) this.spaces[space] = this.tiles[this.shown++];
    }
    return this.shown - before;
  }

  place(seat, { tile, x, y }) { // 2.3 to 2.6, 3, 4, 5
    const display = this.displays[seat], cell = `${x},${y}`, around = neighbors(x, y);
    if (seat !== this.turn) return `it is the turn of seat ${this.turn}`;
    if (!this.ring.slice(0, 3).includes(tile)) return `tile ${tile} is not among the next three`;
    const open = display.size ? around.some((near) => display.has(near)) && !display.has(cell) : cell === "0,0";
    if (!open) return `no tile can go to ${cell}`;
    this.marker = this.spaces.indexOf(tile);
    this.spaces[this.marker] = 0;
    const disc = this.track.find((each) => each.seat === seat);
    Object.assign(disc, { at: disc.at + TILES[tile].cost, arrived: this.arrivals++ });
    display.set(cell, { ...TILES[tile], tile, x, y, covered: [] });
    this.cover(seat, this.solo ? this.atHand : this.discs[seat]);
    if (!this.discs[seat]) this.finish("discs");
    else if (!this.ring.length && this.solo && this.first !== null) this.finish("tiles");
    else if (!this.ring.length) this.afterRefill(this.refill());
    return null;
  }

  takeRefill(seat) { // 2.2, 5.2
    const allowed = this.solo ? this.first === null && !this.atHand : this.ring.length <= 2 && this.shown < 68;
    if (seat !== this.turn) return `it is the turn of seat ${this.turn}`;
    if (!allowed) return "a refill is not allowed now";
    this.afterRefill(this.refill());
    return null;
  }

  afterRefill(count) { // 5.3, 5.4
    if (!this.solo) return count || this.finish("tiles");
    this.first = this.cost() + 10 * this.atHand;
    this.cover(0, this.discs[0]);
    return this.discs[0] || this.finish("discs");
  }

  cost() { return [...this.displays[0].values()].reduce((sum, { cost }) => sum + cost, 0); }

  cover(seat, discs) { // 3.1 to 3.5
    for (const placed of this.displays[seat].values())
      for (const [index, goal] of placed.goals.entries())
        if (discs > 0 && !placed.covered.includes(index) && this.isMet(this.displays[seat], placed, goal)) {
          placed.covered.push(index);
          this.discs[seat]--;
          discs--;
        }
  }

  isMet(display, placed, goal) {
    const counted = new Set();
    const follow = (tile) => {
      if (!tile || counted.has(tile) || !goal.includes(tile.color)) return;
      counted.add(tile);
      for (const near of neighbors(tile.x, tile.y).map((cell) => display.get(cell)))
        if (near?.color === tile.color) follow(near);
    };
    for (const near of neighbors(placed.x, placed.y)) follow(display.get(near));
    counted.delete(placed);
    const number = (color) => [...counted].filter((tile) => tile.color === color).length;
    return [...new Set(goal)].every((color) => number(color) >= goal.split(color).length - 1);
  }

  leave(seat) { // 4.3, 5.6
    if (this.left.includes(seat)) return `seat ${seat} has left already`;
    if (this.solo) return this.finish("left");
    this.track = this.track.filter((disc) => disc.seat !== seat);
    this.left.push(seat);
    return this.track.length === 1 ? this.finish("left") : null;
  }

  finish(reason) { // 4, 5.7
    const rest = { reason, discs_left: [...this.discs] }, second = this.cost() + 10 * this.discs[0];
    const stayed = this.order().sort((a, b) => this.discs[a] - this.discs[b]);
    const scored = reason === "discs" || reason === "tiles";
    const score = { second_total: scored ? second : null, score: scored ? this.first + second : null };
    if (this.solo) this.result = { ...rest, first_total: this.first, ...score };
    else this.result = { ...rest, ranking: reason === "ended" ? null : [...stayed, ...this.left.slice().reverse()] };
    return null;
  }

  play(seat, move) { // why the rules do not allow it, or null
    if (this.result) return "the game is over";
    if (move.type === "place") return this.place(seat, move);
    if (move.type === "refill") return this.takeRefill(seat);
    if (move.type === "mark") return null;
    if (move.type === "end") return this.finish("ended");
    return move.type === "resign" || move.type === "timeout" ? this.leave(seat) : "there is no such move";
  }
}

const neighbors = (x, y) => [`${x},${y - 1}`, `${x - 1},${y}`, `${x + 1},${y}`, `${x},${y + 1}`];
