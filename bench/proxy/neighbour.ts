/** Touches each cache line of 8 MB in an endless loop, so that the proxy has as little cache as on a busy machine. */
const memory = new Uint8Array(8 * 1024 * 1024);
const LINE = 64;
/** Passes between two turns of the event loop, in which SIGTERM ends it. */
const PASSES = 64;

function walk(): void {
  for (let pass = 0; pass < PASSES; pass++) {
    for (let at = 0; at < memory.length; at += LINE) memory[at] = (memory[at] ?? 0) + 1;
  }
  setImmediate(walk);
}

console.log("ready");
walk();
