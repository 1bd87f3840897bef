// Faults, and the values that a record is made of.

/** A fault in a record: its code, and the number of the first bad entry, or null if it is in none. */
export class Fault extends Error {
  constructor(code, entry, why) {
    super((entry === null ? "" : `entry ${entry}: `) + `${code}: ${why}`);
    Object.assign(this, { code, entry, why });
  }
}

/** What was thrown while something was verified, as a fault: any other error is one of the verifier itself. */
export const faultOf = (error) =>
  error instanceof Fault ? error : new Fault("failed", null, `the verifier itself failed: ${error}`);

/** Refuse what is not so. */
export const hold = (fact, code, entry, why) => {
  if (!fact) throw new Fault(code, entry, why);
};

export const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
export const isWhole = (value, least, most) => Number.isSafeInteger(value) && value >= least && value <= most;
/** Whether an object has these fields, all needed ones and no others. */
export const hasFields = (value, needed, optional = []) =>
  isObject(value) && needed.every((name) => Object.hasOwn(value, name)) &&
  Object.keys(value).every((name) => needed.includes(name) || optional.includes(name));
export const isHash = (value) => typeof value === "string" && /^[0-9a-f]{64}$/.test(value);
export const isText = (value) => typeof value === "string" && value !== "";

/** The milliseconds of a time such as 2026-11-27T20:56:00.123Z, or null for any other value or a date that is none. */
export function instant(value) {
  const form = /^(?!0000)\d{4}-\d\d-\d\dT([01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;
  if (typeof value !== "string" || !form.test(value)) return null;
  const time = Date.parse(value);
  return !Number.isNaN(time) && new Date(time).toISOString() === value ? time : null;
}

/** The RFC 8785 form of a value with whole numbers. */
export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (isObject(value))
    return `{${Object.keys(value).sort().map((name) => `${canonical(name)}:${canonical(value[name])}`).join(",")}}`;
  if (typeof value === "number" && !Number.isSafeInteger(value)) throw new RangeError("a number that is not whole");
  if (typeof value === "string" && /\p{Surrogate}/u.test(value)) throw new RangeError("half a character");
  return JSON.stringify(value);
}
