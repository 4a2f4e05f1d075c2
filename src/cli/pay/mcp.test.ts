import { afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { JOB_TOOLS } from "../../content/mcp/job-tools.ts";
import { tools } from "../../content/mcp/tools.ts";
import { patient } from "../../lib/testing/patience.ts";
import { COMMAND } from "../../../test/support/program.ts";

// Processes start slowly on a busy machine.
setDefaultTimeout(patient(30_000));

const INITIALIZE = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "agent", version: "1" } },
});

const homes: string[] = [];

afterEach(() => {
  for (const home of homes.splice(0)) rmSync(home, { recursive: true });
});

interface Ran {
  readonly code: number;
  readonly lines: readonly string[];
  readonly err: string;
  readonly home: string;
}

async function mcp(args: readonly string[], input: string): Promise<Ran> {
  const home = mkdtempSync(join(tmpdir(), "turnpike-mcp-"));
  homes.push(home);
  const child = Bun.spawn([...COMMAND, "mcp", ...args], {
    env: { ...process.env, TURNPIKE_HOME: home, TURNPIKE_GATEWAY: "http://127.0.0.1:1", TURNPIKE_MAX_TOTAL: "" },
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
  });
  let out = "";
  const decoder = new TextDecoder();
  // After a message that is too long the process stops reading.
  const written = Promise.resolve(child.stdin.write(input)).then(
    () => child.stdin.flush(),
    () => 0,
  );
  const reader = child.stdout.getReader();
  // Requests in flight get no response when the input ends.
  const responses = input.split("\n").filter((line) => line.startsWith('{"jsonrpc":"2.0","id"')).length;
  while (out.split("\n").length - 1 < responses) {
    const { done, value } = await reader.read();
    if (done) break;
    out += decoder.decode(value, { stream: true });
  }
  await Promise.race([written, child.exited]);
  await Promise.resolve(child.stdin.end()).catch(() => 0);
  const [err, code] = await Promise.all([child.stderr.text(), child.exited]);
  return { code, lines: out.split("\n").filter(Boolean), err, home };
}

function call(id: number, name: string, args: unknown): string {
  return JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args } });
}

test("it prints only protocol messages on standard output, and ends when its input does", async () => {
  const input = [INITIALIZE, call(2, "qr", { data: "x" }), call(3, "qr", { data: "x", colour: "red" })];
  const { code, lines, err, home } = await mcp([], `${input.join("\n")}\n`);
  expect([code, err]).toEqual([0, ""]);
  const responses = lines.map((line): unknown => JSON.parse(line));
  expect(responses).toHaveLength(3);
  expect(responses).toContainEqual(expect.objectContaining({ jsonrpc: "2.0", id: 1 }));
  expect(lines.join("\n")).toContain("Cannot get a response from the gateway: ECONNREFUSED");
  expect(lines.join("\n")).toContain("colour: is not a field of this operation");
  // Nothing was paid, so there is no wallet.
  expect(existsSync(join(home, "wallet.json"))).toBe(false);
});

test("its usage names every tool, in the order of the server", async () => {
  const child = Bun.spawn([...COMMAND, "mcp", "--help"], { stdout: "pipe" });
  const names = [...tools().keys(), ...JOB_TOOLS.map(({ name }) => name)].join(", ");
  expect((await child.stdout.text()).replaceAll(/\s+/g, " ")).toContain(`Its tools are ${names}. It pays`);
});

test("invalid messages are skipped", async () => {
  const junk = ["junk", "{", "[1,2]", "5", "null", `{"jsonrpc":"2.0","method":"made/up"}`];
  const { code, lines } = await mcp([], `${[...junk, INITIALIZE].join("\n")}\n`);
  expect([code, lines.length]).toEqual([0, 1]);
});

test("a message that is too long ends the connection", async () => {
  const { code, lines } = await mcp([], "x".repeat(3 * 1024 * 1024));
  expect([code, lines]).toEqual([0, []]);
});

for (const args of [
  ["--gateway", "nowhere"],
  ["--max-price", "free"],
  ["--max-total", "$0"],
  ["--allow-asset", "everything"],
  ["--unknown"],
  ["more"],
]) {
  test(`${args.join(" ")} is refused`, async () => {
    const { code, err } = await mcp(args, "");
    expect([code, err]).toEqual([
      2,
      expect.stringMatching(/^turnpike mcp: .+ Run "turnpike mcp --help" for its usage\.\n$/),
    ]);
  });
}
