/** `turnpike top` in a real pseudo-terminal, against real gateways. */
import { afterAll, afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { freePort } from "../../src/lib/testing/listen.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { until } from "../../src/lib/testing/until.ts";
import { COMMAND, Folder, Program } from "../support/program.ts";

setDefaultTimeout(patient(60_000));

const KEY = "key-of-operators-1234";
const ENTER = "\u001b[?1049h";
const LEAVE = "\u001b[?1049l";
const SHOW_CURSOR = "\u001b[?25h";

const folder = new Folder();
const origin = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: (request) => new Response("x".repeat(100), { status: request.url.endsWith("/bad") ? 500 : 200 }),
});
const programs: Program[] = [];
const views: View[] = [];
afterEach(async () => {
  await Promise.all([
    ...views.splice(0).map((view) => view.kill()),
    ...programs.splice(0).map((program) => program.stop()),
  ]);
});
afterAll(async () => {
  await origin.stop(true);
  folder.remove();
});

/** A view in its own terminal. */
class View {
  shown = "";
  readonly #child: Bun.Subprocess;
  readonly #flags: number;

  constructor(url: string, columns: number, rows: number, env: Readonly<Record<string, string>> = {}) {
    const decoder = new TextDecoder();
    const { NO_COLOR: _none, ...inherited } = process.env;
    this.#child = Bun.spawn([...COMMAND, "top", "--admin", url, "--timeout", "5"], {
      env: { ...inherited, TERM: "xterm", TURNPIKE_ADMIN_KEY: KEY, TURNPIKE_HOME: folder.path, ...env },
      // The terminal is made here, so that it is the controlling terminal of the program, which gets signals about its
      // size.
      terminal: { cols: columns, rows, data: (_, data) => void (this.shown += decoder.decode(data, { stream: true })) },
    });
    this.#flags = this.#terminal.localFlags;
    views.push(this);
  }

  get #terminal(): Bun.Terminal {
    const { terminal } = this.#child;
    if (terminal === undefined) throw new Error("Cannot use the terminal: the program has no terminal");
    return terminal;
  }

  /** The lines of the newest complete frame, without colours. */
  get picture(): readonly string[] {
    const frame = this.shown.split("\u001b[?2026l").at(-2)?.split("\u001b[H").at(-1) ?? "";
    return Bun.stripANSI(frame.replaceAll(/\u001b\[[KJ]/g, "")).split("\r\n");
  }

  async sees(pattern: RegExp): Promise<void> {
    await until(() => pattern.test(this.picture.join("\n")), 20_000, String(pattern)).catch((error: unknown) => {
      throw new Error(`It shows ${this.picture.join("\n")}`, { cause: error });
    });
  }

  type(keys: string): void {
    this.#terminal.write(keys);
  }

  resize(columns: number, rows: number): void {
    this.#terminal.resize(columns, rows);
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  get isRaw(): boolean {
    return this.#terminal.localFlags !== this.#flags;
  }

  async exit(): Promise<number> {
    return await this.#child.exited;
  }

  /** The terminal is restored: its first screen, cursor, line mode and echo. */
  async expectRestored(): Promise<void> {
    // The last output of a program can arrive a moment after its end.
    await until(() => this.shown.lastIndexOf(LEAVE) > this.shown.lastIndexOf(ENTER), 5000, "the first screen");
    expect(this.shown.lastIndexOf(SHOW_CURSOR)).toBeGreaterThan(this.shown.lastIndexOf("\u001b[?25l"));
    expect(this.shown.lastIndexOf("\u001b[?7h")).toBeGreaterThan(this.shown.lastIndexOf("\u001b[?7l"));
    expect(this.isRaw).toBe(false);
  }

  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#child.exited;
    this.#terminal.close();
  }
}

async function open(workers: number, port = 0): Promise<{ program: Program; traffic: string; admin: string }> {
  const config = folder.write("gateway.json", {
    server: { address: "127.0.0.1", port: 0, workers },
    admin: { enabled: true, port, api_key: KEY },
    upstreams: [{ name: "origin", servers: [{ address: "127.0.0.1", port: origin.port, max_fails: 1_000_000 }] }],
    routes: [
      { path_prefix: "/busy", upstream: "origin" },
      { path_prefix: "/quiet", upstream: "origin" },
    ],
  });
  const program = new Program(["--config", config]);
  programs.push(program);
  const [, traffic = ""] = await program.sees(/listening on (\S+)/);
  const [, admin = ""] = await program.sees(/admin interface on (\S+)\n/);
  return { program, traffic, admin };
}

/** Requests until it is stopped. */
function load(traffic: string): () => Promise<void> {
  const over = new AbortController();
  const run = async (): Promise<void> => {
    while (!over.signal.aborted) {
      await fetch(`${traffic}/busy`).then(
        (response) => response.text(),
        () => {},
      );
      await fetch(`${traffic}/busy/bad`).then(
        (response) => response.text(),
        () => {},
      );
      await Bun.sleep(20);
    }
  };
  const running = run();
  return () => {
    over.abort();
    return running;
  };
}

test.each([1, 2])(
  "with %d workers it shows requests, errors, latency, routes, servers and events, and q quits",
  async (workers) => {
    const { traffic, admin } = await open(workers);
    const stop = load(traffic);
    const view = new View(admin, 100, 30, { NO_COLOR: "1" });
    await view.sees(/^live {2}turnpike \S+ {2}http:\/\/127\.0\.0\.1:\d+ {2}up /);
    await view.sees(/^requests {2}[1-9]\S*\/s {2}4xx 0\/s {2}5xx [0-9.]+\/s/m);
    await view.sees(/^latency {3}p50 \S+s {2}p95 \S+s {2}p99 \S+s$/m);
    await view.sees(new RegExp(`^workers {3}${workers} {2}restarts 0`, "m"));
    await view.sees(/^\/busy +[1-9]\S* +0 +[0-9.]+ +\S+ms/m);
    await view.sees(new RegExp(`^origin 127\\.0\\.0\\.1:${origin.port} +unchecked +in +`, "m"));
    await stop();
    const change = await fetch(`${admin}v1/routes`, {
      method: "POST",
      headers: { "x-api-key": KEY, "content-type": "application/json" },
      body: JSON.stringify({ path_prefix: "/more", upstream: "origin" }),
    });
    expect(change.status).toBe(201);
    await view.sees(/^\d\d:\d\d:\d\dZ {2}change +add the route "\/more" *$/m);
    expect(view.isRaw).toBe(true);
    view.type("q");
    expect(await view.exit()).toBe(0);
    await view.expectRestored();
    // NO_COLOR: there is no colour.
    expect(view.shown).not.toMatch(/\u001b\[[\d;]*m/);
  },
);

test("it follows the size of the terminal, and shows colours", async () => {
  const { traffic, admin } = await open(1);
  const stop = load(traffic);
  const view = new View(admin, 80, 24);
  await view.sees(/^\/busy/m);
  expect(view.picture).toHaveLength(24);
  expect(view.shown).toContain("\u001b[32mlive");
  for (const [columns, rows] of [
    [40, 10],
    [132, 50],
    [20, 3],
    [80, 24],
  ] as const) {
    view.resize(columns, rows);
    await until(() => view.picture.length === rows, 10_000, `a picture of ${rows} rows`);
    await view.sees(rows > 3 ? /^ROUTE/m : /^requests/m);
    for (const line of view.picture) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(columns);
  }
  view.type("h");
  await view.sees(/^q, Ctrl-C {3}quit$/m);
  view.type("hs");
  await view.sees(/5XX\/S↓/);
  view.type("\t\t");
  await view.sees(/Tab events from 1/);
  view.type("p");
  await view.sees(/^paused/);
  view.type("p\u0003");
  expect(await view.exit()).toBe(0);
  await view.expectRestored();
  await stop();
});

test("it reconnects to a killed gateway, and its figures start again", async () => {
  const port = await freePort();
  const first = await open(1, port);
  const view = new View(first.admin, 80, 24);
  await view.sees(/^live.* up /);
  first.program.kill("SIGKILL");
  await first.program.exit();
  await view.sees(/^reconnecting \(nothing listens there\)/);
  expect(view.isRaw).toBe(true);
  await open(1, port);
  await view.sees(/^live/);
  await view.sees(/^requests/m);
  view.type("q");
  expect(await view.exit()).toBe(0);
  await view.expectRestored();
});

test.each(["SIGTERM", "SIGHUP", "SIGINT"] as const)("%s restores the terminal", async (name) => {
  const { admin } = await open(1);
  const view = new View(admin, 80, 24);
  await view.sees(/^live/);
  view.signal(name);
  expect(await view.exit()).toBe(0);
  await view.expectRestored();
});

test("a key that is no longer valid ends it, with the message on the first screen", async () => {
  const { admin, program } = await open(1);
  const view = new View(admin, 80, 24);
  await view.sees(/^live/);
  const config = JSON.parse(await Bun.file(folder.file("gateway.json")).text());
  await Bun.write(
    folder.file("gateway.json"),
    JSON.stringify({ ...config, admin: { ...config.admin, api_key: "another-key-entirely" } }),
  );
  program.kill("SIGHUP");
  expect(await view.exit()).toBe(1);
  await view.expectRestored();
  await until(() => view.shown.slice(view.shown.lastIndexOf(LEAVE)).includes("the key is wrong"));
});

test.each(["throw error", "void Promise.reject(error)"])(
  "an internal error restores the terminal, and is printed: %s",
  async (fail) => {
    const script = `
    import { Screen } from ${JSON.stringify(join(import.meta.dir, "../../src/cli/admin/top/screen.ts"))};
    const screen = new Screen();
    const error = new Error("an error of its own");
    screen.enter(() => { ${fail}; });
    screen.draw(["drawn"]);
    setInterval(() => {}, 1000);
  `;
    let shown = "";
    const data = (_: Bun.Terminal, bytes: Uint8Array) => void (shown += new TextDecoder().decode(bytes));
    // Read before the program starts, which may change the flags at once.
    const terminal = new Bun.Terminal({ cols: 80, rows: 24, data });
    const before = terminal.localFlags;
    const child = Bun.spawn([process.execPath, "-e", script], { terminal });
    await until(() => shown.includes("drawn"), 10_000, "it draws");
    expect(terminal.localFlags).not.toBe(before);
    terminal.write("x");
    expect(await child.exited).not.toBe(0);
    await until(() => shown.includes("an error of its own", shown.indexOf(LEAVE)), 5000, "the error follows it");
    expect(shown.indexOf(LEAVE)).toBeGreaterThan(0);
    expect(terminal.localFlags).toBe(before);
    terminal.close();
  },
);

test("without a terminal it names other commands, and without a gateway it prints an error and no view", async () => {
  const { admin } = await open(1);
  const child = Bun.spawn([...COMMAND, "top", "--admin", admin], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, TURNPIKE_ADMIN_KEY: KEY },
  });
  expect([await child.stdout.text(), await child.exited]).toEqual(["", 1]);
  expect(await child.stderr.text()).toBe(
    "turnpike top: Cannot show a live view: this is not a terminal; use turnpike status, upstreams, usage or events\n",
  );
  const view = new View("http://127.0.0.1:1", 80, 24);
  expect(await view.exit()).toBe(1);
  await until(() => view.shown.includes("nothing listens there"));
  expect(view.shown).not.toContain(ENTER);
});
