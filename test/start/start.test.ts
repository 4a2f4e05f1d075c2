/** `turnpike start`: gateway and content service as one command. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { listenOnLoopback } from "../../src/lib/testing/listen.ts";
import { isAlive } from "../../src/lib/process/is-alive.ts";
import { descendants, Folder, Program, until } from "../support/program.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { withBrowser } from "../../src/content/testing/state-folder.ts";

const TIME_MS = patient(60_000);
const BIN = join(import.meta.dir, "../../bin/turnpike");
/** All operations without a price, on a free port. */
const FREE = {
  server: { address: "127.0.0.1", port: 0, workers: 1 },
  routes: [{ path_prefix: "/", upstream: "content", total_timeout_ms: 30_000 }],
};
const READY = /^gateway +http:\/\/127\.0\.0\.1:(\d+)$[^]*^try +.*turnpike call/m;

/** The folder of the unpacked browser, which all tests share. */
const shared = new Folder();
afterAll(() => shared.remove());

const programs: Program[] = [];
const folders: Folder[] = [];

async function stopAll(): Promise<void> {
  await Promise.all(programs.splice(0).map((program) => program.stop()));
  for (const folder of folders.splice(0)) folder.remove();
}

function newFolder(): Folder {
  const folder = new Folder();
  folders.push(folder);
  return folder;
}

function run(args: readonly string[], options: ConstructorParameters<typeof Program>[1] = {}): Program {
  const program = new Program(["start", ...args], options);
  programs.push(program);
  return program;
}

async function startFree(
  flags: readonly string[] = [],
  options: ConstructorParameters<typeof Program>[1] = {},
): Promise<{ program: Program; url: string; state: string }> {
  const state = withBrowser(shared.file("state"));
  const program = run(["--config", shared.write("free.json", FREE), "--state-dir", state, ...flags], options);
  const [, port] = await program.sees(READY);
  return { program, url: `http://127.0.0.1:${port}`, state };
}

/** The processes of the content service and of its browser. */
function family(program: Program): { content: number[]; all: number[] } {
  return { content: descendants(program.pid, " content "), all: descendants(program.pid, "") };
}

async function read(url: string, page: string): Promise<{ status: number; text: string }> {
  const response = await fetch(`${url}/read`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ url: page }),
  });
  return { status: response.status, text: await response.text() };
}

describe("its requirements", () => {
  afterEach(stopAll);

  test.each([["--nonsense"], ["extra"], ["--port"]])("%s is a usage error", async (argument) => {
    const program = run([argument]);
    expect(await program.exit()).toBe(2);
    expect(program.output).toMatch(/^turnpike start: .+ Run "turnpike start --help" for its usage\.\n$/);
  });

  test("--help prints the usage and succeeds", async () => {
    const program = run(["--help"]);
    expect(await program.exit()).toBe(0);
    for (const flag of ["--port", "--state-dir", "--allow-private", "--config"]) expect(program.output).toContain(flag);
  });

  test.each([
    ["port", "http", "it is not a whole number"],
    ["port", "99999", "expected 65535 or less, found 99999"],
  ])("an error in --%s %s names the flag, and no line of the file", async (flag, value, why) => {
    const program = run([`--${flag}`, value, "--state-dir", newFolder().file("state")]);
    expect(await program.exit()).toBe(1);
    expect(program.output).toBe(`turnpike start: Cannot use --${flag} "${value}": ${why}\n`);
  });

  test("a state folder that is a file is reported in one line, with advice", async () => {
    const state = newFolder().write("state", "a file");
    const program = run(["--port", "0", "--state-dir", state]);
    expect(await program.exit()).toBe(1);
    expect(program.output.trimEnd().split("\n")).toHaveLength(1);
    expect(program.output).toStartWith(`turnpike start: Cannot keep state in "${state}"`);
    expect(program.output).toContain("--state-dir");
  });

  test("a state folder in which the socket's folder cannot be created is reported in one line", async () => {
    const folder = newFolder();
    folder.write("run", "a file");
    const program = run(["--port", "0", "--state-dir", folder.path]);
    expect(await program.exit()).toBe(1);
    expect(program.output.trimEnd().split("\n")).toHaveLength(1);
    expect(program.output).toContain("--state-dir");
  });

  test("a missing or wrong configuration is reported with its path", async () => {
    const folder = newFolder();
    const absent = run(["--config", folder.file("absent.json"), "--state-dir", folder.file("state")]);
    expect(await absent.exit()).toBe(1);
    expect(absent.output).toContain(folder.file("absent.json"));
    const path = folder.write("wrong.json", { routes: [{ path_prefix: "/", upstream: "nobody" }] });
    const wrong = run(["--config", path, "--state-dir", folder.file("state")]);
    expect(await wrong.exit()).toBe(1);
    expect(wrong.output).toContain("routes[0].upstream");
  });

  test(
    "a port in use is reported in one line, and nothing is left running",
    async () => {
      const blocker = createServer();
      const port = await listenOnLoopback(blocker);
      const program = run(["--port", String(port), "--state-dir", newFolder().file("state")]);
      const children = new Set<number>();
      const watching = until("the end", () => {
        for (const pid of descendants(program.pid, "")) children.add(pid);
        return program.running ? undefined : true;
      });
      expect(await program.exit()).toBe(1);
      await watching;
      blocker.close();
      expect(program.output).toContain(`Cannot listen on 127.0.0.1:${port}: the port is in use`);
      await until("no process left", () => ([...children].some(isAlive) ? undefined : true));
    },
    TIME_MS,
  );

  test(
    "a missing browser is reported, and nothing is left running",
    async () => {
      const folder = newFolder();
      const config = folder.write("free.json", { ...FREE, content: { browser_path: folder.file("no-browser") } });
      const program = run(["--config", config, "--state-dir", folder.file("state")]);
      expect(await program.exit()).toBe(1);
      expect(program.output).toContain("no-browser");
      expect(program.output).not.toContain("    at ");
    },
    TIME_MS,
  );
});

test(
  "it starts without its remote browser, and shows the secret of the URL to no other program",
  async () => {
    const folder = newFolder();
    const browser = { endpoint_env: "BROWSERS", max_pages: 3 };
    const config = folder.write("free.json", { ...FREE, content: { browser } });
    const program = run(["--config", config, "--state-dir", folder.file("state")], {
      env: { BROWSERS: "ws://127.0.0.1:9/?token=hunter2" },
    });
    await program.sees(READY);
    expect(program.output).toContain("remote, not connected");
    expect(program.output).toContain("Cannot use the remote browser at ws://127.0.0.1:9: ");
    expect(program.output).not.toContain("hunter2");
    const { all, content } = family(program);
    expect(content).toHaveLength(1);
    expect(all.map((pid) => readFileSync(`/proc/${pid}/cmdline`, "latin1")).join()).not.toContain("hunter2");
    await program.stop();

    const unset = run(["--config", config, "--state-dir", folder.file("state")]);
    expect(await unset.exit()).toBe(1);
    expect(unset.output).toContain("content.browser.endpoint_env: the environment variable BROWSERS is not set");
  },
  TIME_MS,
);

describe("as shipped", () => {
  let program: Program;
  let state: string;
  let url: string;
  beforeAll(async () => {
    state = newFolder().file("state");
    program = run(["--port", "0", "--state-dir", state]);
    const [, port] = await program.sees(READY);
    url = `http://127.0.0.1:${port}`;
  }, TIME_MS);
  afterAll(stopAll);

  test("it prints addresses, browser, state, the kind of payments, and a command to try", () => {
    const lines = new Map(
      program.output
        .trimEnd()
        .split("\n")
        // Without the output of the content service, and messages that other programs on this machine can cause.
        .filter((line) => !line.includes("Z content: ") && !line.startsWith("port 9180 is taken; "))
        .map((line) => [line.slice(0, 10).trimEnd(), line.slice(10)]),
    );
    expect([...lines.keys()]).toEqual([
      "gateway",
      "content",
      "state",
      "config",
      "payments",
      "console",
      "admin key",
      "browser",
      "try",
    ]);
    expect(lines.get("content")).toMatch(/^unix:\/.*\.sock$/);
    expect(lines.get("browser")).toMatch(/\d+\.\d+.*sandbox/);
    expect(lines.get("state")).toBe(state);
    expect(lines.get("payments")).toContain("embedded facilitator in test mode");
    expect(lines.get("payments")).toContain("no money moves");
    const name = process.env["TURNPIKE_TEST_PROGRAM"] === undefined ? "npx turnpike" : "turnpike";
    expect(lines.get("try")).toBe(`${name} call read https://example.com/ --gateway ${url}`);
  });

  test("it requires payment", async () => {
    const { status } = await read(url, "https://example.com/");
    expect(status).toBe(402);
  });

  test("it keeps its state in the configured folder, for this user only", () => {
    for (const path of [state, join(state, "run")]) expect(statSync(path).mode & 0o777).toBe(0o700);
  });
});

describe("with another configuration", () => {
  afterEach(stopAll);

  test(
    "SIGHUP reads the file again, and SIGUSR1 ends nothing",
    async () => {
      const folder = newFolder();
      const file = folder.write("free.json", FREE);
      const program = run(["--config", file, "--state-dir", withBrowser(folder.file("state"))]);
      const [, port] = await program.sees(READY);
      expect((await fetch(`http://127.0.0.1:${port}/health`)).status).toBe(200);
      folder.write("free.json", { ...FREE, routes: [] });
      program.kill("SIGUSR1");
      program.kill("SIGHUP");
      await program.sees(/ reloaded /);
      expect((await fetch(`http://127.0.0.1:${port}/health`)).status).toBe(404);
    },
    TIME_MS,
  );

  test(
    "a configuration that was persisted in the state folder is used at the next start",
    async () => {
      const folder = newFolder();
      const file = folder.write("turnpike.json", FREE);
      const program = run(["--state-dir", withBrowser(folder.path)]);
      const [, port] = await program.sees(READY);
      expect(program.output).toContain(`\nconfig    ${file}\n`);
      expect((await fetch(`http://127.0.0.1:${port}/health`)).status).toBe(200);
    },
    TIME_MS,
  );

  test(
    "pages on loopback are refused unless --allow-private is given",
    async () => {
      const site = Bun.serve({
        hostname: "127.0.0.1",
        port: 0,
        fetch: () =>
          new Response("<html><body><article><h1>Toll roads</h1><p>A word on turnpikes.</p></article></body></html>", {
            headers: { "content-type": "text/html" },
          }),
      });
      const page = `http://127.0.0.1:${site.port}/`;
      const [closed, open] = await Promise.all([
        startFree(),
        startFree(["--allow-private", "--state-dir", withBrowser(newFolder().path)]),
      ]);
      expect(closed.program.output).not.toContain("--allow-private)");
      expect(open.program.output).toMatch(/^pages +private and loopback addresses may be read/m);
      const refused = await read(closed.url, page);
      expect([refused.status, refused.text.includes("turnpikes")]).toEqual([400, false]);
      const response = await read(open.url, page);
      expect(response.text).toContain("turnpikes");
      await site.stop(true);
    },
    TIME_MS,
  );

  test(
    "no process below the gateway gets its environment, except for the variables that it needs",
    async () => {
      const env = {
        TURNPIKE_FACILITATOR_KEY: "secret-1",
        DATABASE_PASSWORD: "secret-2",
        TURNPIKE_SETTLEMENT_SECRET: "secret-3-of-24-bytes-at-least",
        SOME_BRAVE_KEY: "needed-4",
        SOME_MODEL_KEY: "needed-5",
      };
      const model = { base_url: "http://127.0.0.1:1/v1", model: "none", key_env: "SOME_MODEL_KEY" };
      const content = {
        search: { providers: ["brave"], brave_key_env: "SOME_BRAVE_KEY" },
        resolve: { model },
      };
      const folder = newFolder();
      const file = folder.write("free.json", { ...FREE, content });
      const program = run(["--config", file, "--state-dir", withBrowser(shared.file("state"))], { env });
      const [, port] = await program.sees(READY);
      await read(`http://127.0.0.1:${port}`, "https://example.test/");
      const children = descendants(program.pid, "");
      expect(children.length).toBeGreaterThan(2);
      const seen = children.map((pid) => readFileSync(`/proc/${pid}/environ`, "latin1"));
      expect(seen.filter((environment) => environment.includes("secret-"))).toEqual([]);
      expect(seen.filter((environment) => environment.includes("needed-4"))).toHaveLength(1);
      expect(seen.filter((environment) => environment.includes("needed-5"))).toHaveLength(1);
    },
    TIME_MS,
  );

  test(
    "a content service that is killed is restarted and serves, and its browser does not stay",
    async () => {
      const { program, url } = await startFree();
      const before = family(program);
      expect(before.content).toHaveLength(1);
      const [victim] = before.content;
      if (victim === undefined) throw new Error("no process to kill");
      process.kill(victim, "SIGKILL");
      await program.sees(/the content service ended; restarting it/);
      // A call waits for the service, and gets no 502 meanwhile.
      const body = JSON.stringify({ data: "waits" });
      const call = fetch(`${url}/qr`, { method: "POST", headers: { "content-type": "application/json" }, body });
      const seen = new Set<number>();
      await until("health", async () => {
        const response = await fetch(`${url}/health`);
        await response.arrayBuffer();
        seen.add(response.status);
        return response.status === 200 ? true : undefined;
      });
      expect([...seen].filter((status) => status !== 200 && status !== 503)).toEqual([]);
      expect((await call).status).toBe(200);
      await until("the first browser's end", () => (before.all.some(isAlive) ? undefined : true));
      program.kill("SIGTERM");
      expect(await program.exit()).toBe(0);
    },
    TIME_MS,
  );

  test(
    "SIGTERM leaves no process and no socket behind",
    async () => {
      const { program, state } = await startFree();
      const { all } = family(program);
      expect(all.length).toBeGreaterThan(1);
      const [, socket = ""] = await program.sees(/^content +unix:(\S+)$/m);
      expect(existsSync(socket)).toBe(true);
      expect(socket).toStartWith(state);
      program.kill("SIGTERM");
      expect(await program.exit()).toBe(0);
      await until("no process left", () => (all.some(isAlive) ? undefined : true));
      expect(existsSync(socket)).toBe(false);
    },
    TIME_MS,
  );

  test(
    "a command that is killed leaves no content service and no browser behind",
    async () => {
      const { program } = await startFree();
      const { all } = family(program);
      program.kill("SIGKILL");
      await program.exit();
      await until("no process left", () => (all.some(isAlive) ? undefined : true));
    },
    TIME_MS,
  );

  test(
    "a command that is killed while it starts leaves nothing behind either",
    async () => {
      const program = run([
        "--config",
        shared.write("free.json", FREE),
        "--state-dir",
        withBrowser(shared.file("state")),
      ]);
      const content = await until("the content service", () => family(program).content[0]);
      program.kill("SIGKILL");
      await program.exit();
      const browsers = new Set<number>();
      await until("no process left", () => {
        for (const pid of descendants(content, "")) browsers.add(pid);
        return [content, ...browsers].some(isAlive) ? undefined : true;
      });
    },
    TIME_MS,
  );

  test(
    "Ctrl-C, which signals the whole group, stops it once and cleanly",
    async () => {
      const { program } = await startFree([], { command: [BIN], detached: true });
      const { all } = family(program);
      // The group of the detached program: Bun, the content service and its browser.
      process.kill(-program.pid, "SIGINT");
      expect(await program.exit()).toBe(0);
      await until("no process left", () => (all.some(isAlive) ? undefined : true));
      expect(program.output).not.toContain("restarting it");
    },
    TIME_MS,
  );

  test(
    "Ctrl-C, which signals the whole group, does not end the browser before a page visit in flight",
    async () => {
      const arrived = Promise.withResolvers<void>();
      const released = Promise.withResolvers<void>();
      using site = Bun.serve({
        hostname: "127.0.0.1",
        port: 0,
        fetch: async () => {
          arrived.resolve();
          await released.promise;
          return new Response("<p>Still here</p>", { headers: { "content-type": "text/html" } });
        },
      });
      const { program, url } = await startFree(["--allow-private"], { command: [BIN], detached: true });
      const visit = fetch(`${url}/screenshot`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ url: site.url.href }),
      });
      await arrived.promise;
      process.kill(-program.pid, "SIGINT");
      await until("no new connections", async () => {
        const probe = fetch(`${url}/.healthz`, { headers: { connection: "close" } });
        return await probe.then(
          () => undefined,
          () => true,
        );
      });
      released.resolve();
      expect((await visit).status).toBe(200);
      expect(await program.exit()).toBe(0);
      expect(program.output).not.toContain("The browser stopped");
    },
    TIME_MS,
  );

  test(
    "a content service that hangs does not prevent its stop",
    async () => {
      const { program } = await startFree();
      const { content, all } = family(program);
      for (const pid of content) process.kill(pid, "SIGSTOP");
      program.kill("SIGTERM");
      expect(await program.exit()).toBe(0);
      await until("no process left", () => (all.some(isAlive) ? undefined : true));
    },
    TIME_MS,
  );
});
