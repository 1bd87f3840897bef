// SHA-256 and HMAC (FIPS 180-4, RFC 2104). WebCrypto has them only with promises, and not on plain HTTP.

const root = (n, power) => Math.floor((n ** (1 / power) % 1) * 2 ** 32) | 0;
const NUMBERS = Array.from({ length: 310 }, (_, n) => n + 2);
const PRIMES = NUMBERS.filter((n) => !NUMBERS.some((d) => d < n && n % d === 0));
const ROUNDS = PRIMES.slice(0, 64).map((n) => root(n, 3)), START = PRIMES.slice(0, 8).map((n) => root(n, 2));

export const utf8 = (text) => new TextEncoder().encode(text);
export const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
export const unhex = (text) => Uint8Array.from(text.match(/../g), (pair) => parseInt(pair, 16));
export function joined(...parts) {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let end = 0;
  for (const part of parts) {
    whole.set(part, end);
    end += part.length;
  }
  return whole;
}

/** The SHA-256 of bytes. */
export function sha256(bytes) {
  const data = new Uint8Array(((bytes.length + 72) >> 6) << 6), view = new DataView(data.buffer);
  data.set(bytes);
  data[bytes.length] = 0x80;
  view.setUint32(data.length - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(data.length - 4, bytes.length << 3);
  const state = [...START], words = new Int32Array(64), turn = (word, n) => (word >>> n) | (word << (32 - n));
  for (let block = 0; block < data.length; block += 64) {
    for (let i = 0; i < 64; i++) {
      const [w15, w2] = [words[i - 15], words[i - 2]];
      words[i] = i < 16 ? view.getInt32(block + 4 * i) : words[i - 16] + (turn(w15, 7) ^ turn(w15, 18) ^ (w15 >>> 3)) +
        words[i - 7] + (turn(w2, 17) ^ turn(w2, 19) ^ (w2 >>> 10));
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let i = 0; i < 64; i++) {
      const one = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + ROUNDS[i] + words[i]) | 0;
      const two = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((word, i) => (state[i] = (state[i] + word) | 0));
  }
  const sum = new DataView(new ArrayBuffer(32));
  state.forEach((word, i) => sum.setInt32(4 * i, word));
  return new Uint8Array(sum.buffer);
}

/** The HMAC-SHA-256 of a message; the key has at most 64 bytes. */
export function hmac(key, message) {
  const pad = (byte) => Uint8Array.from({ length: 64 }, (_, i) => (key[i] ?? 0) ^ byte);
  return sha256(joined(pad(0x5c), sha256(joined(pad(0x36), message))));
}
