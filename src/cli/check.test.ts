import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "turnpike-check-"));
afterAll(() => rmSync(folder, { recursive: true }));

function write(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** Runs `check` in a process of its own: exit code and what it printed. */
async function run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const module = JSON.stringify(join(import.meta.dir, "check.ts"));
  const script = `const { check } = await import(${module}); process.exitCode = await check(process.argv.slice(1));`;
  const child = Bun.spawn([process.execPath, "-e", script, "--", ...args], { stdout: "pipe", stderr: "pipe" });
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { code, out, err };
}

test("a right file is counted", async () => {
  const upstreams = [{ name: "a", servers: [{ address: "127.0.0.1", port: 1 }] }];
  const routes = [
    { path_prefix: "/", upstream: "a" },
    { path_prefix: "/b", upstream: "a" },
  ];
  const file = write("right.json", JSON.stringify({ upstreams, routes, colour: "red" }));
  expect(await run(file)).toEqual({
    code: 0,
    out: `${file}: ok (2 routes, 1 upstream)\n`,
    err: `${file}: warning: unknown key, ignored: colour\n`,
  });
});

test("every problem of a wrong file is printed", async () => {
  const routes = [
    { path_prefix: "/", upstream: "api" },
    { path_prefix: "b", upstream: "api" },
  ];
  const file = write("wrong.json", JSON.stringify({ routes }));
  expect(await run(file)).toEqual({
    code: 1,
    out: "",
    err: [
      `${file}: routes[1].path_prefix: expected a path that starts with /, found "b"`,
      `${file}: routes[0].upstream: "api" is not a defined upstream`,
      `${file}: routes[1].upstream: "api" is not a defined upstream`,
      "",
    ].join("\n"),
  });
});

test("a syntax error is printed with its place", async () => {
  const file = write("syntax.json", '{\n  "routes": [,]\n}');
  expect(await run(file)).toEqual({
    code: 1,
    out: "",
    err: `${file}: line 2, column 14: expected a value, found ","\n`,
  });
});

test("wrong usage is told", async () => {
  for (const args of [[], ["a", "b"], ["--all"]]) {
    expect(await run(...args)).toEqual({ code: 2, out: "", err: "usage: turnpike check FILE\n" });
  }
});
