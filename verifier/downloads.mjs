// The last line of a download of games, nova-luna-export/1.

const LAST =
  /^\{"complete":true,"format":"nova-luna-export\/1","records":(0|[1-9]\d{0,14}),"unreadable":(0|[1-9]\d{0,14})\}\n$/;

/** Counts the lines of a file, and compares them with what the last line of a download in it tells. */
export class DownloadCheck {
  constructor() {
    this.came = 0;
  }

  /** What the last line of a download tells, how many lines came before it, and what is missing; null for a record. */
  end(line) {
    const found = line.length < 200 ? LAST.exec(new TextDecoder("utf-8", { ignoreBOM: true }).decode(line)) : null;
    const { came } = this;
    this.came = found ? 0 : came + 1;
    if (!found) return null;
    const told = Number(found[1]), unreadable = Number(found[2]), fewer = came < told;
    let missing = null;
    if (fewer) missing = `the download had ${told} records, and ${came} came`;
    else if (unreadable) missing = `the service has left out ${unreadable} games, because their data are damaged`;
    return { told, came, unreadable, fewer, missing };
  }
}

/** The lines of some bytes, with their line feeds. */
export function* linesOf(bytes) {
  for (let start = 0, end; start < bytes.length; start = end) {
    const feed = bytes.indexOf(10, start);
    end = feed < 0 ? bytes.length : feed + 1;
    yield bytes.subarray(start, end);
  }
}
