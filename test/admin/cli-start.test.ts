/**
 * `turnpike start` with its admin interface: key, address, used ports, flags, and configurations with their own admin
 * section.
 */
import { afterAll, afterEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { patient } from "../../src/lib/testing/patience.ts";
import { until } from "../../src/lib/testing/until.ts";
import { freePort } from "../../src/lib/testing/listen.ts";
import { COMMAND, Folder, Program } from "../support/program.ts";
import { withBrowser } from "../../src/content/testing/state-folder.ts";

setDefaultTimeout(patient(60_000));

const READY = /^try +.*turnpike call/m;
/** The content operations without a price. */
const FREE = {
  server: { address: "127.0.0.1", port: 0, workers: 1 },
  upstreams: [{ name: "content", servers: [{ unix: "/run/turnpike/content.sock" }] }],
  routes: [{ path_prefix: "/", upstream: "content" }],
};

const folder = new Folder();
afterAll(() => folder.remove());
const programs: Program[] = [];
afterEach(async () => {
  await Promise.all(programs.splice(0).map((program) => program.stop()));
});

let states = 0;
function newState(): string {
  states += 1;
  return withBrowser(folder.file(`state-${states}`));
}

function start(state: string, ...flags: string[]): Program {
  const isOther = flags.includes("--config") || flags.includes("--shipped");
  const config = isOther ? [] : ["--config", folder.write("free.json", FREE)];
  const others = flags.filter((flag) => flag !== "--shipped");
  const program = new Program(["start", "--state-dir", state, ...config, ...others]);
  programs.push(program);
  return program;
}

async function turnpike(state: string, ...args: string[]) {
  const child = Bun.spawn([...COMMAND, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, TURNPIKE_HOME: state },
  });
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { out, err, code };
}

async function consoleOf(program: Program): Promise<string> {
  const [, url = ""] = await program.sees(/^console +(http:\/\/127\.0\.0\.1:\d+\/)$/m);
  await program.sees(READY);
  return url;
}

test("two gateways on one machine each have an admin interface, and their commands find it", async () => {
  const [one, two] = [newState(), newState()];
  const first = start(one);
  const firstUrl = await consoleOf(first);
  const second = start(two);
  const secondUrl = await consoleOf(second);
  expect(secondUrl).not.toBe(firstUrl);
  for (const [url, { output }] of [
    [firstUrl, first],
    [secondUrl, second],
  ] as const) {
    // Another program can use the default port, too.
    const isDefault = new URL(url).port === "9180";
    expect(output.includes("port 9180 is taken; the admin interface listens on another\n")).toBe(!isDefault);
  }
  for (const [state, program, url] of [
    [one, first, firstUrl],
    [two, second, secondUrl],
  ] as const) {
    const key = join(state, "admin-key");
    expect(program.output).toMatch(new RegExp(`^admin key ${key}$`, "m"));
    expect(statSync(key).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(state, "admin-address"), "utf8")).toBe(`${url}\n${program.pid}\n`);
    const { out, err, code } = await turnpike(state, "status");
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(/^status +ok$/m);
    // The console's page needs no key, and everything else does.
    expect((await fetch(url)).headers.get("content-type")).toStartWith("text/html");
    expect((await fetch(`${url}v1/status`)).status).toBe(401);
    // No output contains the key, and no file that a change could write.
    expect(program.output).not.toContain(readFileSync(key, "utf8").trim());
    expect((await turnpike(state, "config", "show")).out).not.toContain('"admin"');
  }
  expect(readFileSync(join(one, "admin-key"), "utf8")).not.toBe(readFileSync(join(two, "admin-key"), "utf8"));
  await first.stop();
  expect(existsSync(join(one, "admin-address"))).toBe(false);
  const gone = await turnpike(one, "status");
  expect([gone.code, gone.err]).toEqual([1, expect.stringContaining("no turnpike start runs with the state folder")]);
  expect((await turnpike(two, "status")).code).toBe(0);
});

test("the key survives restarts and changes after a new key is written and SIGHUP; the port stays", async () => {
  const state = newState();
  const first = start(state, "--admin-port", "0");
  await consoleOf(first);
  const key = readFileSync(join(state, "admin-key"), "utf8").trim();
  await first.stop();
  const second = start(state, "--admin-port", "0");
  const url = await consoleOf(second);
  const ask = async (shown: string): Promise<number> =>
    (await fetch(`${url}v1/status`, { headers: { "x-api-key": shown } })).status;
  expect(await ask(key)).toBe(200);
  writeFileSync(join(state, "admin-key"), "a-new-key-of-mine\n");
  second.kill("SIGHUP");
  await second.sees(/ reloaded /);
  expect([await ask("a-new-key-of-mine"), await ask(key)]).toEqual([200, 401]);
  expect((await turnpike(state, "status")).code).toBe(0);
  // If the new key cannot be used, the old one stays.
  writeFileSync(join(state, "admin-key"), "two words\n");
  second.kill("SIGHUP");
  await second.sees(/the admin key is unchanged[^]* reloaded /);
  expect(await ask("a-new-key-of-mine")).toBe(200);
});

test("without a configuration file, persisted changes are stored in the state folder and used at the next start", async () => {
  const state = newState();
  const first = start(state, "--port", "0", "--shipped");
  await consoleOf(first);
  const shipped = (await turnpike(state, "config", "show")).out;
  expect((await turnpike(state, "routes", "remove", "/qr", "--force")).code).toBe(0);
  expect((await turnpike(state, "persist")).out).toMatch(/^written to the configuration file\n/);
  const kept = JSON.parse(readFileSync(join(state, "turnpike.json"), "utf8"));
  expect(kept.routes).toHaveLength(JSON.parse(shipped).routes.length - 1);
  expect(kept.admin).toBeUndefined();
  expect(statSync(join(state, "turnpike.json")).mode & 0o777).toBe(0o600);
  await first.stop();
  const second = start(state, "--port", "0", "--shipped");
  await consoleOf(second);
  expect(second.output).toContain(`config    ${join(state, "turnpike.json")}\n`);
  expect((await turnpike(state, "routes")).out).not.toMatch(/^\/qr\t/m);
  expect((await turnpike(state, "status")).out).toContain("in memory  same as the file\n");
});

test("--no-admin serves no admin interface, and creates no key", async () => {
  const state = newState();
  const program = start(state, "--no-admin");
  await program.sees(READY);
  expect(program.output).not.toMatch(/^console/m);
  expect(existsSync(join(state, "admin-key"))).toBe(false);
  expect(existsSync(join(state, "admin-address"))).toBe(false);
  expect((await turnpike(state, "status")).code).toBe(1);
});

test("the section admin of the configuration decides", async () => {
  const state = newState();
  const admin = { enabled: true, port: 0, api_key: "the-key-of-the-file" };
  const named = folder.write("named.json", { ...FREE, admin });
  const program = start(state, "--config", named);
  const url = await consoleOf(program);
  expect(existsSync(join(state, "admin-address"))).toBe(true);
  const file = folder.write("file-key", "the-key-of-the-file\n");
  expect((await turnpike(state, "status", "--admin-key-file", file)).code).toBe(0);
  expect((await turnpike(state, "status", "--admin", url, "--admin-key-file", file)).code).toBe(0);
  // After a reload moved the interface or turned it off, the commands find it.
  folder.write("named.json", { ...FREE, admin: { ...admin, port: await freePort() } });
  program.kill("SIGHUP");
  await program.sees(/ reloaded /);
  expect(readFileSync(join(state, "admin-address"), "utf8")).not.toContain(url);
  expect((await turnpike(state, "status", "--admin-key-file", file)).code).toBe(0);
  folder.write("named.json", { ...FREE, admin: {} });
  program.kill("SIGHUP");
  await program.sees(/ reloaded [^]* reloaded /);
  expect(existsSync(join(state, "admin-address"))).toBe(false);
  await program.stop();
  const off = folder.write("off.json", { ...FREE, admin: {} });
  const without = start(state, "--config", off);
  await without.sees(READY);
  expect(without.output).not.toMatch(/^console/m);
});

describe("it does not start", () => {
  test.each([
    [["--no-admin"], 'Cannot use --no-admin: the configuration has a section "admin", which sets it'],
    [["--admin-port", "0"], 'Cannot use --admin-port: the configuration has a section "admin", which sets it'],
  ])("with %p where the configuration names admin", async (flags, words) => {
    const named = folder.write("named.json", {
      ...FREE,
      admin: { enabled: true, port: 0, api_key: "the-key-of-the-file" },
    });
    const program = start(newState(), "--config", named, ...flags);
    expect(await program.exit()).toBe(1);
    expect(program.output).toBe(`turnpike start: ${words}\n`);
  });

  test("with a requested port that is in use", async () => {
    const blocker = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
    const program = start(newState(), "--admin-port", String(blocker.port));
    expect(await program.exit()).toBe(1);
    expect(program.output).toContain(
      `Cannot listen on 127.0.0.1:${blocker.port} for the admin interface: the port is in use`,
    );
    await blocker.stop(true);
  });

  test.each(["x", "-1", "65536", ""])("with --admin-port %j", async (port) => {
    const program = start(newState(), `--admin-port=${port}`);
    expect(await program.exit()).toBe(1);
    expect(program.output).toStartWith("turnpike start: Cannot use --admin-port ");
  });

  test("with a key file that is a link, or that others can read", async () => {
    for (const spoil of [
      (path: string) => symlinkSync(folder.write("elsewhere", "key-of-somebody"), path),
      (path: string) => writeFileSync(path, "a-key-for-all", { mode: 0o644 }),
    ]) {
      const state = newState();
      const path = join(state, "admin-key");
      spoil(path);
      const program = start(state);
      expect(await program.exit()).toBe(1);
      expect(program.output).toStartWith(`turnpike start: Cannot use the file "${path}": `);
      expect(program.output.trimEnd().split("\n")).toHaveLength(1);
    }
  });
});

test("a failed start leaves no address file, and traffic on the default port moves the admin interface", async () => {
  const state = newState();
  const blocker = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
  const failed = start(state, "--port", String(blocker.port));
  expect(await failed.exit()).toBe(1);
  expect(existsSync(join(state, "admin-address"))).toBe(false);
  await blocker.stop(true);
  const port = await freePort();
  const program = start(state, "--port", String(port), "--admin-port", "0");
  const url = await consoleOf(program);
  expect(new URL(url).port).not.toBe(String(port));
  await until(async () => (await fetch(`http://127.0.0.1:${port}/health`)).status === 200, 20_000, "it serves");
});
