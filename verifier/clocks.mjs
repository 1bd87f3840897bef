// Verify the marks of clocks and of the host in a log, by "Clocks in a record" of docs/FORMATS.md.
import { instant, isObject } from "./values.mjs";

const MINUTE = 60_000, HOUR = 60 * MINUTE, DAY = 24 * HOUR;
const BOUNDS = { per_wait: [HOUR, 30 * DAY], bank: [HOUR, 60 * DAY], increment: [0, 14 * DAY], cap: [HOUR, 90 * DAY],
  nudge: [HOUR, 7 * DAY], grace: [HOUR, 14 * DAY], more: [HOUR, 14 * DAY] };
const PARTS = ["worker", "web", "mailin", "relay", "database"];
const LAST_TIME = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
const OWN = ["place", "refill", "resign"];
const OF_PERSONS = ["clock.nudge", "clock.grace", "clock.autopilot", "clock.more", "clock.back", "clock.keep"];
const STEPS = ["clock.nudge", "clock.grace"], LEAVING = ["resign", "timeout"];
const FIELDS = {
  "clock.nudge": ["wait", "for", "next"], "clock.grace": ["wait", "for", "next"], "clock.autopilot": ["wait"],
  "clock.outage": ["wait", "from", "to", "what"], "clock.warning": ["wait", "not_before"], "clock.back": null,
  "clock.keep": null, "clock.pause": ["until", "reason"], "clock.resume": ["reason"], "host.out": ["seat", "reason"],
  "host.end": ["reason"], "clock.more": ["wait", "for", "given_by"], "clock": ["clock", "ladder", "quiet", "absences"],
};

const has = (value, names) => isObject(value) && Object.keys(value).length === names.length &&
  names.every((name) => Object.hasOwn(value, name));
const isNumber = (value) => Number.isSafeInteger(value) && value >= 0;
const isListed = (value, allowed) => Array.isArray(value) && value.length > 0 && value.every(allowed) &&
  new Set(value).size === value.length;
const isReserved = (kind) => typeof kind === "string" && (kind === "clock" || /^(clock|host)\./.test(kind));
const moveOf = (entry) => (isObject(entry) && isObject(entry.move) ? entry.move : {});
const kindOf = (entry) => (moveOf(entry).type === "mark" ? moveOf(entry).kind : null);

/** The milliseconds of a duration in its shortest form, or null. */
function duration(text) {
  const found = typeof text === "string" && /^P(?:(\d{1,6})D)?(?:T(?=\d)(?:(\d{1,6})H)?(?:(\d{1,6})M)?)?$/.exec(text);
  if (!found || found.slice(1).every((part) => part === undefined)) return null;
  const [days, hours, minutes] = found.slice(1).map((part) => Number(part ?? 0));
  const all = days * DAY + hours * HOUR + minutes * MINUTE;
  const [d, h, m] = [Math.floor(all / DAY), Math.floor((all % DAY) / HOUR), Math.floor((all % HOUR) / MINUTE)];
  const time = (h ? `${h}H` : "") + (m ? `${m}M` : "");
  return text === (d ? `P${d}D` + (time && `T${time}`) : `PT${time || "0M"}`) ? all : null;
}

const within = (name, text) => {
  const lasts = duration(text);
  return lasts !== null && lasts >= BOUNDS[name][0] && lasts <= BOUNDS[name][1];
};

/** Whether the data of the mark `clock` are settings that there can be. */
function isTerms({ clock, ladder, quiet, absences }) {
  const names = clock?.kind === "bank" ? ["bank", "increment", "cap"] : ["per_wait"];
  return has(clock, ["kind", ...names]) && ["per_wait", "bank"].includes(clock.kind) &&
    names.every((name) => within(name, clock[name])) &&
    (clock.kind !== "bank" || duration(clock.cap) >= duration(clock.bank)) && has(ladder, ["nudge", "grace", "then"]) &&
    within("nudge", ladder.nudge) && (ladder.grace === null || within("grace", ladder.grace)) &&
    ["autopilot", "out", "wait"].includes(ladder.then) && typeof quiet === "boolean" && typeof absences === "boolean";
}

/** Whether a mark of a clock or of the host has the form that its kind has. */
function isForm({ kind, data }) {
  if (!Object.hasOwn(FIELDS, kind)) return false;
  if (FIELDS[kind] === null) return data === undefined;
  const hostMore = kind === "clock.more" && isObject(data) && Object.hasOwn(data, "reason");
  if (!has(data, hostMore ? ["wait", "for", "seat", "reason"] : FIELDS[kind])) return false;
  const checks = {
    wait: isNumber, seat: isNumber, for: (text) => duration(text) !== null,
    reason: (text) => typeof text === "string" && text !== "" && [...text].length <= 200,
    given_by: (seats) => isListed(seats, Number.isSafeInteger),
    what: (parts) => isListed(parts, (part) => PARTS.includes(part)),
    next: (name) => [...(kind === "clock.nudge" ? ["grace"] : []), "autopilot", "out", null].includes(name),
  };
  for (const name of ["from", "to", "until", "not_before"]) checks[name] = (text) => instant(text) !== null;
  if (kind === "clock") return isTerms(data);
  if (!Object.keys(data).every((name) => checks[name](data[name]))) return false;
  if (kind === "clock.more") return within("more", data.for);
  return kind !== "clock.outage" || instant(data.to) - instant(data.from) > 15 * MINUTE;
}

/** The check of one record's clock, entry by entry. */
export class ClockCheck {
  /** Return the check of a record, or null if its log has no mark of a clock or of the host. */
  static of(record, turn) {
    return record.log.some((entry) => isReserved(kindOf(entry))) ? new ClockCheck(record, turn) : null;
  }

  constructor({ log, game }, turn) {
    const started = instant(game.started_at);
    Object.assign(this, { terms: null, seats: game.seats, counted: started, banks: null, left: [], last: null,
      paused: null, warning: null, autopilot: new Set(), graced: new Set(), bots: new Set(), people: new Set() });
    this.stretch = { number: 0, seat: turn, since: started, left: 0, step: null, given: 0 };
    if (kindOf(log[0]) === "clock") this.tellSeats(log);
  }

  /** Tell from the log which seats bots play, and which persons. */
  tellSeats(log) {
    const [bot, marked] = [new Set(), new Set()];
    for (const entry of log) {
      const kind = kindOf(entry) ?? (isObject(entry?.move) ? entry.move.type : null);
      if (!Number.isSafeInteger(entry?.seat)) continue;
      if (OWN.includes(kind) && entry.by === undefined) this.people.add(entry.seat);
      else if (OWN.includes(kind) && !marked.has(entry.seat)) bot.add(entry.seat);
      else if (OF_PERSONS.includes(kind) && entry.by === undefined) {
        const given = entry.move.data?.given_by;
        const givers = Array.isArray(given) ? given.filter(Number.isSafeInteger) : [];
        for (const seat of [entry.seat, ...givers]) if (!bot.has(seat)) marked.add(seat);
      }
    }
    this.bots = new Set([...bot].filter((seat) => !this.people.has(seat)));
    for (const seat of marked) this.people.add(seat);
  }

  get there() { return [0, 1, 2, 3].slice(0, this.seats).filter((seat) => !this.left.includes(seat)); }
  get persons() { return this.there.filter((seat) => this.people.has(seat) && !this.autopilot.has(seat)); }
  get possible() { return this.there.filter((seat) => !this.bots.has(seat) && !this.autopilot.has(seat)); }
  get leftNobody() {
    const { last } = this;
    return last !== null && (LEAVING.includes(last.type) || last.kind === "clock.autopilot") && !this.persons.length;
  }
  isPaused(at) { return this.paused !== null && at < this.paused; }
  allowance(seat) {
    return this.terms?.clock.kind === "per_wait" ? duration(this.terms.clock.per_wait) : (this.banks?.[seat] ?? 0);
  }

  /** Check an entry that the rules allow; `table` is the game after it, and `hold` refuses what is not so. */
  check(entry, table, hold) {
    const { seq, seat, by, move } = entry, { terms, stretch, last } = this, at = instant(entry.at);
    const reserved = move.type === "mark" && isReserved(move.kind), data = move.data ?? {};
    hold(!reserved || isForm(move), `the form of a mark ${move.kind}`);
    const now = { seq, at, seat, by, move, type: move.type, kind: reserved ? move.kind : null, data };
    this.hold = hold;
    if (last?.kind === "host.out")
      hold(move.type === "timeout" && seat === last.data.seat, "the timeout that host.out names");
    if (last?.kind === "host.end") hold(move.type === "end" && by === "host", "the end that host.end announces");
    if (terms && this.leftNobody && !this.possible.length)
      hold(move.type === "end" && by === undefined, "no person is left");
    if (reserved) this.checkMark(now);
    if (terms) {
      if (by?.startsWith("bot:")) hold(this.bots.has(seat) || this.autopilot.has(seat), `${by} acts for a person`);
      if (move.type === "timeout" && last?.kind !== "host.out") {
        hold(seat === stretch.seat, `seat ${stretch.seat} is to move`);
        this.checkDue(at, "out");
      }
      if (move.type === "end" && by !== undefined) hold(last?.kind === "host.end", "an end by the host");
      else if (move.type === "end" && !this.leftNobody)
        hold(this.warning !== null && this.warning <= at && !this.isPaused(at), "no warning whose time has come");
    }
    this.take(now, table);
  }

  finish(hold) {
    hold(this.last?.kind !== "host.out" && this.last?.kind !== "host.end", "what the host announces does not follow");
  }

  later(at, span) {
    this.hold(at + span <= LAST_TIME, "a time is beyond the year 9999");
    return at + span;
  }

  checkMark({ seq, at, seat, by, kind, data }) {
    const { hold, terms, stretch } = this, hostMore = kind === "clock.more" && Object.hasOwn(data, "reason");
    const hosts = hostMore || ["clock.pause", "clock.resume", "host.out", "host.end"].includes(kind);
    hold(hosts ? by === "host" : by === undefined, `by of a ${kind}`);
    const ladder = [...STEPS, "clock.autopilot", "clock.more"].includes(kind);
    hold(terms || !(ladder || kind === "clock.back" || kind === "clock.outage"), `there is no ${kind} without a clock`);
    if (ladder || kind === "clock.outage" || kind === "clock.warning")
      hold((hostMore ? data.seat : seat) === stretch.seat && data.wait === stretch.number, `the stretch of a ${kind}`);
    if (ladder) hold(!this.bots.has(stretch.seat) && !this.autopilot.has(stretch.seat), "a bot plays the seat");
    const then = terms?.ladder.then === "wait" ? null : terms?.ladder.then;
    if (kind === "clock") hold(seq === 1 && this.seats > 1 && seat === stretch.seat, "the mark clock is entry 1");
    if (kind === "clock.nudge") {
      hold(stretch.step === null && this.later(stretch.since, stretch.left) <= at, "the time is not up");
      hold(!this.isPaused(at) && data.for === terms.ladder.nudge, "for of the nudge, or a pause");
      const graceful = terms.ladder.grace !== null && !this.graced.has(stretch.seat);
      hold(data.next === (graceful ? "grace" : then), "next of the nudge");
    }
    if (kind === "clock.grace") {
      this.checkDue(at, "grace");
      hold(data.for === terms.ladder.grace && data.next === then, "for and next of the grace");
    }
    if (kind === "clock.autopilot") this.checkDue(at, "autopilot");
    if (kind === "clock.back") hold(this.autopilot.has(seat), "the seat is not on autopilot");
    if (kind === "clock.keep") hold(!this.left.includes(seat) && !this.bots.has(seat), "nobody who could say keep");
    if (kind === "clock.more" && !hostMore) {
      const among = (some, all) => some.every((other) => other === stretch.seat || all.includes(other));
      hold(among(this.persons, data.given_by) && !data.given_by.includes(stretch.seat), "given_by lacks a person");
      hold(among(data.given_by, this.possible), "given_by has who is no person");
      hold(stretch.given + duration(data.for) <= 28 * DAY, "more than 28 days in one stretch");
    }
    if (kind === "clock.outage") hold(instant(data.to) <= at, "the outage reaches past the entry");
    if (kind === "clock.warning") {
      const goesOn = terms && (stretch.step === null || stretch.step.next !== null);
      hold(!goesOn || this.autopilot.has(stretch.seat) || this.bots.has(stretch.seat), "a step can follow");
      hold(!this.isPaused(at) && instant(data.not_before) >= this.later(at, 14 * DAY), "14 days after the warning");
      hold(instant(data.not_before) >= this.later(this.counted, 30 * DAY), "30 days after the last sign of life");
    }
    if (kind === "clock.pause")
      hold(instant(data.until) <= this.later(at, 30 * DAY) && instant(data.until) > at, "until of the pause");
    if (kind === "clock.resume") hold(this.isPaused(at), "no pause is on");
    if (kind === "host.out") hold(this.there.includes(data.seat), "the seat is not in the game");
  }

  /** Check that the step before names this one as the next, and that its time has passed. */
  checkDue(at, name) {
    const { step } = this.stretch;
    this.hold(step !== null && step.next === name, `no step has named ${name}`);
    this.hold(this.later(step.at, step.lasts) <= at && !this.isPaused(at), `${name} is early, or in a pause`);
  }

  /** Change the state by an entry that was found right. */
  take(now, table) {
    const { at, seat, by, type, kind, data } = now, own = by === undefined && (type === "place" || type === "refill");
    let { stretch } = this;
    const leftAt = () => (stretch.step === null ? Math.max(0, stretch.left - (at - stretch.since)) : 0);
    const renew = (left) => Object.assign(stretch, { left, since: at, step: null });
    const takeBack = (which) => {
      this.autopilot.delete(which);
      if (this.terms.clock.kind === "bank")
        this.banks[which] = Math.max(this.banks[which], duration(this.terms.clock.increment));
      if (stretch?.seat === which) renew(this.allowance(which));
    };
    if (kind === "clock") {
      this.terms = data;
      this.banks = Array(this.seats).fill(data.clock.kind === "bank" ? duration(data.clock.bank) : 0);
      stretch.left = this.allowance(stretch.seat);
    }
    const counts = [...STEPS, "clock.keep", "clock.autopilot", "clock.more"].includes(kind);
    if (own || (LEAVING.includes(type) && by === undefined) || counts) [this.counted, this.warning] = [at, null];
    if (kind === "clock.pause") this.paused = instant(data.until);
    if (kind === "clock.resume") this.paused = null;
    if (kind === "clock.warning") this.warning = instant(data.not_before);
    if (STEPS.includes(kind)) stretch.step = { next: data.next, lasts: duration(data.for), at };
    if (kind === "clock.grace") this.graced.add(stretch.seat);
    if (kind === "clock.more") {
      if (by === undefined) stretch.given += duration(data.for);
      renew(leftAt() + duration(data.for));
    }
    if (kind === "clock.autopilot") {
      this.autopilot.add(stretch.seat);
      this.banks[stretch.seat] = 0;
    }
    if (kind === "clock.back") takeBack(seat);
    if (own && this.terms && stretch) {
      const { clock } = this.terms;
      if (this.autopilot.has(stretch.seat)) takeBack(stretch.seat);
      else if (table.turn !== stretch.seat && clock.kind === "bank")
        this.banks[stretch.seat] = Math.min(duration(clock.cap), leftAt() + duration(clock.increment));
    }
    if (!table.solo) this.left = [...table.left];
    if (table.turn === null) this.stretch = null;
    else if (table.turn !== stretch?.seat)
      this.stretch = {
        number: now.seq, seat: table.turn, since: at, left: this.allowance(table.turn), step: null, given: 0,
      };
    this.last = now;
  }
}
