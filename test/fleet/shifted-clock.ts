/**
 * Loaded before a program (`--preload`), it shifts the program's clock by TURNPIKE_TEST_SHIFT_MS milliseconds, or by the
 * number in the file TURNPIKE_TEST_SHIFT_FILE, which may change while the program runs. The file with `.seen` after its
 * name then has the number that the program has taken over.
 */
import { readFileSync, writeFileSync } from "node:fs";

/** Milliseconds between two looks at the file. */
const LOOK_MS = 10;

const file = process.env["TURNPIKE_TEST_SHIFT_FILE"];
const now = Date.now.bind(Date);
let shift = Number(process.env["TURNPIKE_TEST_SHIFT_MS"] ?? 0);
Date.now = () => now() + shift;
if (file !== undefined) {
  const look = (): void => {
    const next = Number(readFileSync(file, "utf8"));
    if (next !== shift) writeFileSync(`${file}.seen`, String(next));
    shift = next;
  };
  look();
  setInterval(look, LOOK_MS).unref();
}
