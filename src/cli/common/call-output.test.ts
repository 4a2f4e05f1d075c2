import { expect, test } from "bun:test";
import { join } from "node:path";

const BYTES = 4 * 1024 * 1024;

/** Writes a result of `BYTES` to standard output. Each four bytes hold their own offset. */
const SCRIPT = `
  import { writeBinary } from ${JSON.stringify(join(import.meta.dir, "call-output.ts"))};
  const numbers = Uint32Array.from({ length: ${BYTES / 4} }, (_, i) => i);
  const output = { out: undefined, isTerminal: false, say() {} };
  await writeBinary(new Uint8Array(numbers.buffer), "image/png", "page", output);
  console.error("done");
`;

test("a slow reader of a pipe gets a binary result once and in full", async () => {
  // The shell gives a real pipe, which is full long before it is read.
  const child = Bun.spawn(["sh", "-c", `"$0" -e "$1" | (sleep 0.3; cat)`, process.execPath, SCRIPT], {
    stdout: "pipe",
    stderr: "pipe",
  });
  const bytes = await child.stdout.bytes();
  const numbers = new Uint32Array(bytes.slice().buffer);
  expect(bytes.length).toBe(BYTES);
  expect(numbers.findIndex((number, i) => number !== i)).toBe(-1);
});

test("a reader that closes the pipe early causes no error", async () => {
  const child = Bun.spawn(["sh", "-c", `"$0" -e "$1" | head -c 10`, process.execPath, SCRIPT], {
    stdout: "pipe",
    stderr: "pipe",
  });
  const [bytes, said] = await Promise.all([child.stdout.bytes(), child.stderr.text()]);
  expect([bytes.length, said]).toEqual([10, "done\n"]);
});
