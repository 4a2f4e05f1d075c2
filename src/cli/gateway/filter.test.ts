import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assemble, onRequest, op } from "../../gateway/filters/module/testing/assembler.ts";

const folder = mkdtempSync(join(tmpdir(), "turnpike-filter-"));
afterAll(() => rmSync(folder, { recursive: true }));

function write(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

/** Runs `turnpike filter`. Returns the exit code and the output. */
async function run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const main = join(import.meta.dir, "../main.ts");
  const child = Bun.spawn([process.execPath, main, "filter", ...args], { stdout: "pipe", stderr: "pipe" });
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { code, out, err };
}

const I32 = 0x7f;
/** Logs the path, which the gateway writes to address 64, and rejects with 401 and the text "no". */
const GUARD = assemble({
  types: [
    [[I32, I32], [I32]],
    [[I32, I32], []],
    [[I32, I32, I32], []],
    [[], [I32]],
  ],
  imports: [
    ["env", "get_path", 0],
    ["env", "log", 1],
    ["env", "respond", 2],
  ],
  memory: 1,
  data: [[0, 0x41, 0, 0x0b, 2, 0x6e, 0x6f]],
  exports: [["memory", 2, 0]],
  functions: [
    {
      export: "on_request",
      type: 3,
      code: [
        [...op.i32(64), ...op.i32(64), ...op.i32(32), ...op.call(0), ...op.call(1)],
        [...op.i32(401), ...op.i32(0), ...op.i32(2), ...op.call(2), ...op.i32(1)],
      ].flat(),
    },
  ],
});

test("the properties of a filter are printed: size, ABI, memory, imports, exports", async () => {
  const path = write("guard.wasm", GUARD);
  const { code, out, err } = await run("check", path);
  expect([code, err]).toEqual([0, ""]);
  expect(out.replace(/^sha-256 .*\n/m, "")).toBe(
    [
      `module   ${path}, ${GUARD.length} bytes`,
      "abi      own",
      "memory   65536 bytes at the start; the limit is 33554432",
      "code     1 functions, 0 loops",
      "import   env.get_path (i32, i32) -> i32",
      "import   env.log (i32, i32) -> ()",
      "import   env.respond (i32, i32, i32) -> ()",
      "export   on_request () -> i32",
      "export   memory (memory)",
      "",
    ].join("\n"),
  );
});

test("a request runs through a filter, and outcome, log and fuel are printed", async () => {
  const request = write("request.txt", "GET /hello?x=1 HTTP/1.1\nHost: example.com\n\n");
  const { code, out } = await run("check", "--request", request, write("guard.wasm", GUARD));
  expect(code).toBe(0);
  expect(out).toMatch(/^log {6}\/hello\?x=1$/m);
  expect(out).toMatch(/^outcome {2}reject with 401$/m);
  expect(out).toMatch(/^body {5}no$/m);
  expect(out).toMatch(/^fuel {5}\d+ of 5000000 used$/m);
});

test("a filter that runs out of fuel fails, and its fuel is printed", async () => {
  const request = write("request.txt", "GET / HTTP/1.1");
  const endless = write("endless.wasm", onRequest([...op.loop, ...op.br(0), ...op.end, ...op.unreachable]));
  const { code, out } = await run("check", "--fuel", "1000", "--request", request, endless);
  expect(code).toBe(1);
  expect(out).toEndWith("outcome  failed: the filter ran out of fuel\nfuel     1000 of 1000 used\n");
});

test("a module that the gateway does not load is refused with the reason", async () => {
  const path = write("shared.wasm", assemble({ memory: [0x03, 1, 1] }));
  const { code, out, err } = await run("check", path);
  expect([code, out]).toEqual([1, ""]);
  expect(err).toBe(
    `turnpike filter: Cannot load the filter "${path}": it has a memory that threads share (at byte 32)\n`,
  );
});

test("an invalid request is refused with its line", async () => {
  const { code, err } = await run("check", "--request", write("bad.txt", "GET / HTTP/1.1\nno field\n"), "x.wasm");
  expect(code).toBe(1);
  expect(err).toContain("line 2 is wrong; it must be like Name: value");
});

test("wrong usage exits with 2", async () => {
  for (const args of [[], ["look"], ["check"], ["check", "a", "b"], ["check", "--fuel", "0", "a"]]) {
    // oxlint-disable-next-line no-await-in-loop -- one process after the other
    expect((await run(...args)).code).toBe(2);
  }
});
