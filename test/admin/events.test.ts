/** The events of a running gateway: from every process, in the stream, the log and the audit log. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { patient } from "../../src/lib/testing/patience.ts";
import { smallDisk } from "../../src/lib/testing/small-disk.ts";
import { Admin, KEY, READ_KEY } from "../support/admin.ts";
import { descendants, Folder, until } from "../support/program.ts";
import { once } from "../support/raw-client.ts";
import { RawOrigin } from "../support/raw-origin.ts";

const TIME_MS = patient(60_000);

interface Event {
  readonly id: number;
  readonly kind: string;
  readonly message: string;
  readonly [detail: string]: unknown;
}

let folder: Folder;
let origin: RawOrigin;
let admin: Admin;
const ends: (() => unknown)[] = [];

beforeEach(async () => {
  folder = new Folder();
  origin = await RawOrigin.start();
});

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
  await admin.stop();
  await origin.stop();
  folder.remove();
});

async function serve(workers: number, upstream: object = {}, more: Record<string, unknown> = {}): Promise<void> {
  const { admin: section = {}, ...config } = more;
  admin = await Admin.start({
    workers,
    admin: section as Record<string, unknown>,
    config: {
      upstreams: [{ name: "app", servers: [{ address: "127.0.0.1", port: origin.port }], ...upstream }],
      routes: [{ path_prefix: "/", upstream: "app", retry: { max_retries: 0 } }],
      access_log: { enabled: false },
      ...config,
    },
  });
}

async function kept(): Promise<Event[]> {
  return (await admin.call("GET", "/v1/events?format=json")).body.events;
}

function find(what: string, isIt: (event: Event) => boolean): Promise<Event> {
  return until(what, async () => (await kept()).find(isIt));
}

/** A reader of the stream. */
class Reader {
  text = "";
  status = 0;
  readonly #leaving = new AbortController();

  constructor(headers: Record<string, string> = {}, path = "/v1/events") {
    ends.push(() => this.leave());
    const url = `${admin.url}${path}`;
    void this.#read(url, headers);
  }

  async #read(url: string, headers: Record<string, string>): Promise<void> {
    try {
      const fields = { "x-api-key": READ_KEY, ...headers };
      const response = await fetch(url, { headers: fields, signal: this.#leaving.signal });
      this.status = response.status;
      const decoder = new TextDecoder();
      for await (const chunk of response.body ?? []) this.text += decoder.decode(chunk, { stream: true });
    } catch {
      // The reader or the gateway has closed the connection.
    }
  }

  get events(): Event[] {
    return [...this.text.matchAll(/^data: (.*)$/gm)].map(([, data = ""]) => JSON.parse(data));
  }

  async sees(what: string, isIt: (event: Event) => boolean): Promise<Event> {
    return until(what, () => this.events.find(isIt));
  }

  leave(): void {
    this.#leaving.abort();
  }
}

function ask(path = "/x"): Promise<string> {
  return once(admin.port, `GET ${path} HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n`).then(
    ({ startLine }) => startLine,
  );
}

for (const workers of [1, 2]) {
  test(
    `an unhealthy server and a server out of rotation cause events within a second, with ${workers} workers`,
    async () => {
      let isHealthy = true;
      let isBroken = false;
      origin.response = ({ startLine }, connection) => {
        if (startLine.includes("/health")) {
          connection.send(`HTTP/1.1 ${isHealthy ? "200 OK" : "500 No"}\r\nContent-Length: 0\r\n\r\n`);
        } else if (isBroken) connection.end("garbage\r\n\r\n");
        else connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
      };
      const server = { address: "127.0.0.1", port: origin.port, max_fails: 2, fail_timeout_ms: 700 };
      const check = { interval_ms: 50, unhealthy_threshold: 2, healthy_threshold: 1 };
      await serve(workers, { servers: [server], health_check: check });
      const reader = new Reader();
      await until("it reads", () => (reader.text === "" ? undefined : true));
      const key = `127.0.0.1:${origin.port}`;
      isHealthy = false;
      const down = await reader.sees(
        "it is unhealthy",
        ({ kind, healthy }) => kind === "server_health" && healthy === false,
      );
      expect(down).toMatchObject({ upstream: "app", server: key, reason: "status" });
      const { body } = await admin.call("GET", "/v1/upstreams");
      expect(body.upstreams[0].servers[0]).toMatchObject({
        server: key,
        health: "unhealthy",
        in_rotation: false,
        reason: "the response to a probe had another status than health_check.expected_status",
      });
      isHealthy = true;
      await reader.sees("it is healthy", ({ kind, healthy }) => kind === "server_health" && healthy === true);
      isBroken = true;
      expect(await ask()).toContain(" 502 ");
      expect(await ask()).toContain(" 502 ");
      const failedAt = performance.now();
      const out = await reader.sees("it is out", ({ in_rotation: isIn }) => isIn === false);
      expect(performance.now() - failedAt).toBeLessThan(patient(1000));
      expect(out).toMatchObject({ kind: "server_health", reason: "a response was cut off or malformed", server: key });
      await reader.sees("it is back", ({ in_rotation: isIn }) => isIn === true);
    },
    TIME_MS,
  );
}

test(
  "the supervisor reports a killed worker, its replacement, and the log lines of workers",
  async () => {
    await serve(2, {}, { access_log: { enabled: true, path: "/dev/full" } });
    await find("both workers have started", ({ kind, row }) => kind === "worker" && row === 2);
    const [victim] = descendants(admin.program.pid, "/process/workers/worker.");
    if (victim === undefined) throw new Error("no process to kill");
    process.kill(victim, "SIGKILL");
    const died = await find("its end is told", ({ kind, signal }) => kind === "worker" && signal === "SIGKILL");
    expect(died).toMatchObject({ pid: victim });
    const next = await find(
      "another has started",
      ({ kind, row, pid, id }) => kind === "worker" && row === died["row"] && pid !== victim && id > died.id,
    );
    expect(next.message).toContain("has started in place of one that ended");
    await ask();
    const trouble = await find("the full disk is reported", ({ kind }) => kind === "log_file");
    expect(trouble.message).toContain('Cannot write the access log "/dev/full": ENOSPC');
    const lines = await until("the worker's line is there", async () => {
      const { body } = await admin.call("GET", "/v1/log");
      const found = body.lines.filter(({ text }: { text: string }) => text.includes("/dev/full"));
      return found.length > 0 ? found : undefined;
    });
    expect([1, 2]).toContain(lines[0].worker);
    expect(lines[0].time_ms).toBeGreaterThan(0);
    const { body } = await admin.call("GET", "/v1/log");
    expect(
      body.lines.some(
        ({ text, worker }: { text: string; worker: number }) => worker === 0 && text.includes(`worker ${victim} ended`),
      ),
    ).toBeTrue();
  },
  TIME_MS,
);

test(
  "reloads, changes and persists are reported with their outcome and operator",
  async () => {
    await serve(1);
    await admin.call("POST", "/v1/reload");
    await find("the reload is told", ({ kind, outcome }) => kind === "reload" && outcome === "done");
    const config = admin.saved() as Record<string, unknown>;
    writeFileSync(admin.file, JSON.stringify({ ...config, routes: [{ path_prefix: "/", upstream: "nowhere" }] }));
    admin.program.kill("SIGHUP");
    const failed = await find("the failure is told", ({ kind, outcome }) => kind === "reload" && outcome === "refused");
    expect(failed["by"]).toMatchObject({ kind: "signal" });
    await until("the log has it as well", async () => {
      const { body } = await admin.call("GET", "/v1/log");
      const texts: string[] = body.lines.map(({ text }: { text: string }) => text);
      return texts.some((text) => text.startsWith(`Cannot reload ${admin.file}`)) ? true : undefined;
    });
    writeFileSync(admin.file, JSON.stringify(config));
    expect((await admin.call("POST", "/v1/routes", { body: { path_prefix: "/new", upstream: "app" } })).status).toBe(
      201,
    );
    expect((await admin.call("POST", "/v1/config/persist?force=true")).status).toBe(200);
    const by = { kind: "operator", key: "api_key", address: "127.0.0.1" };
    expect(await find("the change is told", ({ kind }) => kind === "change")).toMatchObject({ by, outcome: "done" });
    expect(await find("the persist is told", ({ kind }) => kind === "persist")).toMatchObject({ by, outcome: "done" });
  },
  TIME_MS,
);

test(
  "a reader that reconnects with Last-Event-ID gets the missed events, once and in order",
  async () => {
    await serve(2);
    const first = new Reader();
    await until("it reads", () => (first.text === "" ? undefined : true));
    const reload = (): Promise<unknown> => admin.call("POST", "/v1/reload");
    await reload();
    const seen = await first.sees("the first reload", ({ kind }) => kind === "reload");
    first.leave();
    for (let i = 0; i < 5; i++) await reload();
    const again = new Reader({ "last-event-id": String(seen.id) });
    await until("it has the others", () =>
      again.events.filter(({ kind }) => kind === "reload").length >= 5 ? true : undefined,
    );
    await reload();
    await until("and the one that came then", () =>
      again.events.filter(({ kind }) => kind === "reload").length >= 6 ? true : undefined,
    );
    const ids = again.events.map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => a - b));
    expect(Math.min(...ids)).toBeGreaterThan(seen.id);
    const since = new Reader({}, `/v1/events?since=${seen.id}`);
    await until("?since says the same", () => (since.events.length >= ids.length ? true : undefined));
    expect(since.events.map(({ id }) => id).slice(0, ids.length)).toEqual(ids);
    expect((await admin.call("GET", "/v1/events?since=abc")).status).toBe(400);
  },
  TIME_MS,
);

async function responded(readers: readonly Reader[]): Promise<void> {
  await until("all have a response", () => (readers.every(({ status }) => status !== 0) ? true : undefined));
}

test(
  "of 40 readers 32 are served and 8 get 503, at most 24 with the read-only key; a reader that leaves frees its slot; HEAD uses no slot",
  async () => {
    await serve(2);
    for (let i = 0; i < 40; i++) expect((await admin.fetch("HEAD", "/v1/events")).status).toBe(200);
    const watching = Array.from({ length: 28 }, () => new Reader());
    await responded(watching);
    expect(watching.filter(({ status }) => status === 200)).toHaveLength(24);
    const operators = Array.from({ length: 12 }, () => new Reader({ "x-api-key": KEY }));
    await responded(operators);
    expect(operators.filter(({ status }) => status === 200)).toHaveLength(8);
    const readers = [...watching, ...operators];
    expect(readers.filter(({ status }) => status === 503)).toHaveLength(8);
    await admin.call("POST", "/v1/reload");
    const served = readers.filter(({ status }) => status === 200);
    await Promise.all(served.map((reader) => reader.sees("the reload", ({ kind }) => kind === "reload")));
    for (const reader of served.slice(0, 4)) reader.leave();
    await until("there is room", () => {
      const other = new Reader();
      return until("it has a response", () => (other.status === 0 ? undefined : other.status)).then((status) =>
        status === 200 ? true : undefined,
      );
    });
  },
  TIME_MS,
);

test(
  "the gateway buffers nothing for a reader that does not read, and reports the number of lost events",
  async () => {
    await serve(1);
    const { hostname, port } = new URL(admin.url);
    const client = connect(Number(port), hostname);
    let text = "";
    client.on("data", (chunk) => void (text += chunk.toString()));
    ends.push(() => client.destroy());
    client.write(`GET /v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\nX-API-Key: ${KEY}\r\n\r\n`);
    await until("it reads", () => (text.includes("retry: ") ? true : undefined));
    client.pause();
    const memory = (): number =>
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${admin.program.pid}/status`, "utf8"))?.[1]) / 1024;
    const drain = async (times: number): Promise<void> => {
      const path = `/v1/upstreams/app/servers/${encodeURIComponent(`127.0.0.1:${origin.port}`)}`;
      for (let i = 0; i < times; i++) {
        await admin.fetch("POST", `${path}/${i % 2 === 0 ? "drain" : "undrain"}`).then((response) => response.text());
      }
    };
    await drain(500);
    const before = memory();
    await drain(6000);
    expect(memory() - before).toBeLessThan(100);
    client.resume();
    await drain(2);
    await until("it hears of its loss, or has all", () => {
      const ids = [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
      const lost = [...text.matchAll(/"lost":(\d+)/g)].reduce((sum, [, count]) => sum + Number(count), 0);
      const events = text.split("\nevent: drain\n").length - 1;
      return ids.length > 0 && events + lost >= 6502 ? true : undefined;
    });
  },
  TIME_MS,
);

test(
  "the audit log has each change with operator and outcome, survives rotations, and contains no key",
  async () => {
    const path = folder.file("audit.log");
    await serve(2, {}, { admin: { audit_log: path } });
    const lines = (file = path): Event[] =>
      (existsSync(file) ? readFileSync(file, "utf8") : "")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line));
    expect((await admin.call("POST", "/v1/routes", { body: { path_prefix: "/a", upstream: "app" } })).status).toBe(201);
    const first = await until("the change is there", () => lines().find(({ kind }) => kind === "change"));
    expect(first).toMatchObject({ by: { kind: "operator", key: "api_key", address: "127.0.0.1" }, outcome: "done" });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    renameSync(path, `${path}.1`);
    expect((await admin.call("DELETE", "/v1/routes?prefix=/a")).status).toBe(200);
    admin.program.kill("SIGUSR1");
    await until("it is opened again", () => (existsSync(path) ? true : undefined));
    expect((await admin.call("POST", "/v1/reload")).status).toBe(200);
    await until("the reload is in the new file", () => lines().find(({ kind }) => kind === "reload"));
    expect(
      lines(`${path}.1`).some(({ kind, message }) => kind === "change" && /delete|remove/i.test(message)),
    ).toBeTrue();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    // A wrong key is reported, and the key itself is not shown.
    for (let i = 0; i < 61; i++) await admin.fetch("GET", "/v1/status", { key: `wrong-key-${i}` });
    await until("the address is locked out", () => lines().find(({ kind }) => kind === "session"));
    await admin.stop();
    const all = [...lines(), ...lines(`${path}.1`)];
    expect(all.map(({ kind }) => kind)).not.toContain("log");
    expect(all.at(-1)).toBeDefined();
    const text = JSON.stringify(all) + admin.program.output;
    for (const key of [KEY, READ_KEY, "wrong-key"]) expect(text).not.toContain(key);
  },
  TIME_MS,
);

test(
  "a full disk of the audit log is reported once and stops no change",
  async () => {
    using disk = smallDisk("4m");
    const path = join(disk.path, "audit.log");
    const filler = join(disk.path, "filler");
    await serve(1, {}, { admin: { audit_log: path } });
    if (!disk.isMounted) return;
    // The space that is needed for all lines until the log works again.
    writeFileSync(filler, Buffer.alloc(4 * 1024 * 1024 - 8192));
    const server = encodeURIComponent(`127.0.0.1:${origin.port}`);
    const drain = (what: string): Promise<Response> =>
      admin.fetch("POST", `/v1/upstreams/app/servers/${server}/${what}`);
    const trouble = await until("the disk is full", async () => {
      for (const what of ["drain", "undrain"]) expect((await drain(what)).status).toBe(200);
      const found = (await kept()).filter(({ kind }) => kind === "log_file");
      return found.length > 0 ? found : undefined;
    });
    expect(trouble[0]?.message).toContain("ENOSPC. Lines are lost until it can be written again");
    for (let i = 0; i < 20; i++) expect((await drain(i % 2 === 0 ? "drain" : "undrain")).status).toBe(200);
    rmSync(filler);
    await until("it goes on", async () => {
      await drain("undrain");
      return (await kept()).some(({ kind, message }) => kind === "log_file" && message.includes("again: "))
        ? true
        : undefined;
    });
    const told = (await kept()).filter(({ kind }) => kind === "log_file");
    expect(told).toHaveLength(2);
    await until("no part of a line is left", () => (readFileSync(path, "utf8").endsWith("\n") ? true : undefined));
    for (const line of readFileSync(path, "utf8").trimEnd().split("\n"))
      expect(JSON.parse(line)).toHaveProperty("kind");
    expect(await ask()).toContain(" 200 ");
  },
  TIME_MS,
);

test("an audit log that cannot be opened refuses the start, and a reload, with its reason", async () => {
  await serve(1);
  const config = admin.saved() as { admin: object };
  const path = folder.file("absent/audit.log");
  writeFileSync(admin.file, JSON.stringify({ ...config, admin: { ...config.admin, audit_log: path } }));
  const { status, text } = await admin.call("POST", "/v1/reload");
  expect(status).toBeGreaterThanOrEqual(400);
  expect(text).toContain("ENOENT");
  expect((await admin.call("GET", "/v1/status")).status).toBe(200);
});
