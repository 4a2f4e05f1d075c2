import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BufferPool } from "../../lib/memory/buffer-pool.ts";
import { FakeClock } from "../../lib/testing/fake-clock.ts";
import { TimerWheel } from "../../lib/time/timer-wheel.ts";
import { ColdStarts, MAX_WAITING } from "./cold-starts.ts";
import { tenantKey } from "./tenant-key.ts";
import { TenantUpstream } from "./tenant-server.ts";
import { tenantSocket } from "./tenant-socket.ts";
import { WarmTenants } from "./warm-tenants.ts";

function create({ idleMs = 1000, most = 256 } = {}) {
  const clock = new FakeClock();
  const wheel = new TimerWheel(clock);
  const counts = { hits: 0, misses: 0, evictions: 0, active: 0 };
  const metrics = {
    hit: () => void counts.hits++,
    miss: () => void counts.misses++,
    evicted: () => void counts.evictions++,
    active: (count: number) => void (counts.active = count),
  };
  const buffers = new BufferPool({ bufferSize: 1024, bufferCount: 1, reserve: 0 });
  const servers = { wheel, buffers, onError: (error: unknown) => expect.unreachable(String(error)) };
  const tenants = new WarmTenants({ servers, wheel, clock: () => clock.now(), metrics }, { idleMs, most });
  return { clock, tenants, counts };
}

/** Requests of a tenant that record their results. */
function requestsOf(count: number) {
  const told: string[] = [];
  const requests = Array.from({ length: count }, (_, i) => ({
    warm: (path: string) => void told.push(`${i} ${path}`),
    lead: () => void told.push(`${i} leads`),
  }));
  return { told, requests };
}

test.each([
  ["A.Example:8080", true, "a.example"],
  ["a.example:", true, "a.example"],
  ["a.example", true, "a.example"],
  ["[2001:DB8::1]:443", true, "[2001:db8::1]"],
  ["[2001:db8::1]", true, "[2001:db8::1]"],
  ["192.0.2.1:80", true, "192.0.2.1"],
  ["", true, undefined],
  [":80", true, undefined],
  [" Tenant-1:80 ", false, "Tenant-1:80"],
  ["\u00a0Tenant-1", false, "\u00a0Tenant-1"],
  ["", false, undefined],
  ["   ", false, undefined],
  ["x".repeat(128), false, "x".repeat(128)],
  ["x".repeat(129), false, undefined],
  [`${"x".repeat(128)}:80`, true, "x".repeat(128)],
])("the header %j (host: %p) names the tenant %j", (value, isHost, key) => {
  expect(tenantKey(value, isHost)).toBe(key as string);
});

describe("a socket that a filter names", () => {
  let folder: string;
  let server: Server;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "turnpike-tenants-"));
    mkdirSync(join(folder, "vms"));
    mkdirSync(join(folder, "vms-other"));
    server = createServer();
    const { promise, resolve } = Promise.withResolvers<void>();
    server.listen(join(folder, "vms", "a.sock"), () => resolve());
    await promise;
    writeFileSync(join(folder, "vms", "file"), "");
    symlinkSync(join(folder, "vms", "a.sock"), join(folder, "vms", "link.sock"));
    symlinkSync(join(folder, "vms"), join(folder, "linked-vms"));
    symlinkSync(join(folder, "vms", "a.sock"), join(folder, "vms-other", "in.sock"));
    symlinkSync("/dev/null", join(folder, "vms", "out"));
  });
  afterAll(() => {
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test.each([
    ["vms", "vms/a.sock", undefined],
    ["vms/", "vms/a.sock", undefined],
    ["vms", "vms/link.sock", undefined],
    ["vms", "vms/../vms/a.sock", undefined],
    ["linked-vms", "vms/a.sock", undefined],
    ["vms", "vms-other/in.sock", undefined],
    ["vms-other", "vms-other/in.sock", "it lies outside the route's socket_dir"],
    ["vms-other", "vms/a.sock", "it lies outside the route's socket_dir"],
    ["vms-other", "vms-other/../vms/a.sock", "it lies outside the route's socket_dir"],
    ["vms", "vms/out", "it lies outside the route's socket_dir"],
    ["vms", "vms/file", "it is not a socket"],
    ["vms", "vms", "it lies outside the route's socket_dir"],
    ["vms", "vms/absent.sock", "there is no such socket"],
    ["absent", "vms/a.sock", "there is no such socket"],
    ["vms", "vms/file/x", "it cannot be reached: ENOTDIR"],
  ])("of the directory %s, %s: %p", (directory, named, error) => {
    const found = tenantSocket(join(folder, directory), `${folder}/${named}`);
    expect(found).toEqual(error === undefined ? { path: join(folder, "vms", "a.sock") } : { error });
  });

  test("has a path that the kernel's address has room for", async () => {
    const other = createServer();
    const { promise, resolve } = Promise.withResolvers<void>();
    other.listen(join(folder, "short.sock"), () => resolve());
    await promise;
    const room = 107 - `${folder}/vms/`.length;
    const [most = "", more = ""] = [room, room + 1].map((length) => join(folder, "vms", "x".repeat(length)));
    renameSync(join(folder, "short.sock"), most);
    expect(tenantSocket(join(folder, "vms"), most)).toEqual({ path: most });
    renameSync(most, more);
    expect(tenantSocket(join(folder, "vms"), more)).toEqual({ error: "its path is too long" });
    other.close();
  });

  test("has an absolute path, without a zero byte", () => {
    expect(tenantSocket(folder, "vms/a.sock")).toEqual({ error: "its path is not absolute" });
    expect(tenantSocket(folder, `${folder}/vms/a.sock\0`)).toEqual({ error: "its path has a zero byte in it" });
  });
});

describe("warm tenants", () => {
  test("are found in their own scope alone", () => {
    const { tenants, counts } = create();
    tenants.warm("/vms", "a", "/vms/a.sock");
    expect([tenants.find("/vms", "a")?.path, tenants.find("/other", "a"), tenants.find("/vms", "b")]).toEqual([
      "/vms/a.sock",
      undefined,
      undefined,
    ]);
    expect(counts).toEqual({ hits: 1, misses: 2, evictions: 0, active: 1 });
  });

  test("are forgotten after the configured time without use, and not before", () => {
    const { tenants, clock, counts } = create({ idleMs: 1000 });
    tenants.warm("/vms", "a", "/vms/a.sock");
    clock.advance(600);
    tenants.warm("/vms", "b", "/vms/b.sock");
    expect(tenants.find("/vms", "a")?.path).toBe("/vms/a.sock");
    clock.advance(900);
    expect(tenants.list().map(({ key }) => key)).toEqual(["b", "a"]);
    clock.advance(150);
    expect(tenants.list()).toEqual([]);
    tenants.warm("/vms", "c", "/vms/c.sock");
    clock.advance(1100);
    expect(tenants.size).toBe(0);
    expect([counts.evictions, counts.active]).toEqual([0, 0]);
  });

  test("are in use for as long as a request is under way", () => {
    const { tenants, clock } = create({ idleMs: 1000 });
    const { upstream } = tenants.warm("/vms", "a", "/vms/a.sock");
    const [server] = upstream.servers;
    server?.began(false);
    tenants.warm("/vms", "b", "/vms/b.sock");
    clock.advance(5500);
    expect(tenants.list().map(({ key }) => key)).toEqual(["a"]);
    // It is looked at once in each idle time.
    expect(clock.wakes).toBeLessThan(10);
    server?.ended();
    clock.advance(900);
    expect(tenants.size).toBe(1);
    clock.advance(200);
    expect(tenants.size).toBe(0);
  });

  test("make room: the one that was used longest ago goes", () => {
    const { tenants, counts } = create({ most: 3 });
    for (const key of ["a", "b", "c"]) tenants.warm("/vms", key, `/vms/${key}`);
    tenants.find("/vms", "a");
    tenants.warm("/vms", "d", "/vms/d");
    expect(tenants.list().map(({ key }) => key)).toEqual(["c", "a", "d"]);
    expect(counts.evictions).toBe(1);
    tenants.warm("/vms", "c", "/vms/again");
    expect([tenants.size, tenants.find("/vms", "c")?.path]).toEqual([3, "/vms/again"]);
    expect([counts.evictions, counts.active]).toEqual([1, 3]);
  });

  test("leave a fifth of their 64 connections to other clients than the first, and a fifth of that to the next", () => {
    const { tenants } = create();
    const [server] = tenants.warm("/vms", "a", "/vms/a").upstream.servers;
    const allowances = ["192.0.2.1", "192.0.2.2"].map((address) => {
      const share = server?.pool.shareOf({ clientAddress: address, peerAddress: address });
      const allowance = share?.allowance ?? 0;
      for (let i = 0; i < allowance; i++) share?.take();
      return allowance;
    });
    expect(allowances).toEqual([52, 10]);
  });

  test("keep to other limits after a reload", () => {
    const { tenants, clock } = create({ idleMs: 60_000, most: 3 });
    for (const key of ["a", "b", "c"]) tenants.warm("/vms", key, `/vms/${key}`);
    tenants.limits = { idleMs: 1000, most: 2 };
    expect(tenants.list().map(({ key }) => key)).toEqual(["b", "c"]);
    clock.advance(1100);
    expect(tenants.size).toBe(0);
  });

  test("are forgotten when their server fails, unless they have another one by then", () => {
    const { tenants, counts } = create();
    const [old] = tenants.warm("/vms", "a", "/vms/old").upstream.servers;
    const [server] = tenants.warm("/vms", "a", "/vms/new").upstream.servers;
    old?.failed("broken");
    expect(tenants.find("/vms", "a")?.path).toBe("/vms/new");
    server?.failed("refused");
    server?.failed("refused");
    expect([tenants.find("/vms", "a"), server?.inRotation]).toEqual([undefined, false]);
    expect(counts.evictions).toBe(1);
  });

  test("keep their connections when they are started again at the same place", () => {
    const { tenants, clock } = create();
    const first = tenants.warm("/vms", "a", "/vms/a");
    tenants.warm("/vms", "b", "/vms/b");
    clock.advance(10);
    expect(tenants.warm("/vms", "a", "/vms/a")).toBe(first);
    // This is a use.
    expect(tenants.list().map(({ key }) => key)).toEqual(["b", "a"]);
  });

  test("that are forgotten keep no connections", () => {
    using closed = spyOn(TenantUpstream.prototype, "close");
    const { tenants, clock } = create({ idleMs: 1000, most: 2 });
    for (const key of ["a", "b", "c"]) tenants.warm("/vms", key, `/vms/${key}.sock`);
    expect(closed).toHaveBeenCalledTimes(1);
    tenants.drop("b");
    expect(closed).toHaveBeenCalledTimes(2);
    clock.advance(1100);
    expect(closed).toHaveBeenCalledTimes(3);
    tenants.warm("/vms", "d", "/vms/d.sock");
    tenants.close();
    expect(closed).toHaveBeenCalledTimes(4);
  });

  test("are in use when a request finds that they were started meanwhile", () => {
    const { tenants, clock, counts } = create({ idleMs: 1000 });
    tenants.warm("/vms", "a", "/vms/a.sock");
    clock.advance(900);
    expect(tenants.startedMeanwhile("/vms", "a")?.path).toBe("/vms/a.sock");
    expect(tenants.startedMeanwhile("/vms", "b")).toBeUndefined();
    clock.advance(900);
    expect([tenants.size, counts.hits, counts.misses]).toEqual([1, 0, 0]);
  });

  test("are listed with their last use, and dropped by key in every scope", () => {
    const { tenants, clock } = create();
    tenants.warm("/vms", "a", "/vms/a");
    tenants.warm("/others", "a", "/others/a");
    const start = clock.now();
    clock.advance(10);
    tenants.warm("/vms", "b", "/vms/b");
    expect(tenants.list()).toEqual([
      { key: "a", path: "/vms/a", lastUsedMs: start },
      { key: "a", path: "/others/a", lastUsedMs: start },
      { key: "b", path: "/vms/b", lastUsedMs: start + 10 },
    ]);
    expect([tenants.drop("a"), tenants.drop("a")]).toEqual([true, false]);
    clock.advance(10);
    tenants.find("/vms", "b");
    expect(tenants.list()).toEqual([{ key: "b", path: "/vms/b", lastUsedMs: start + 20 }]);
  });
});

describe("cold starts", () => {
  test("the first request starts the tenant, and the others get what it gets", () => {
    const starts = new ColdStarts<string>();
    const { told, requests } = requestsOf(3);
    expect(requests.map((request) => starts.enter("a", request))).toEqual(["leads", "waits", "waits"]);
    expect(starts.enter("b", { warm() {}, lead() {} })).toBe("leads");
    starts.started("a", "/vms/a");
    expect(told).toEqual(["1 /vms/a", "2 /vms/a"]);
    expect(starts.enter("a", { warm() {}, lead() {} })).toBe("leads");
  });

  test("where it fails, the next in line starts the tenant", () => {
    const starts = new ColdStarts<string>();
    const { told, requests } = requestsOf(4);
    for (const request of requests) starts.enter("a", request);
    for (const left of requests.slice(2, 3)) starts.leave("a", left);
    starts.failed("a");
    expect(told).toEqual(["1 leads"]);
    starts.failed("a");
    expect(told).toEqual(["1 leads", "3 leads"]);
    starts.failed("a");
    expect(starts.enter("a", { warm() {}, lead() {} })).toBe("leads");
  });

  test("the number of waiting requests is limited, over all tenants", () => {
    const starts = new ColdStarts<string>();
    const request = { warm() {}, lead() {} };
    starts.enter("a", request);
    starts.enter("b", request);
    for (let i = 0; i < MAX_WAITING; i++) expect(starts.enter(i % 2 === 0 ? "a" : "b", request)).toBe("waits");
    expect(starts.enter("a", request)).toBe("full");
    starts.started("b", "/vms/b");
    expect(starts.enter("a", request)).toBe("waits");
    starts.leave("a", request);
    starts.leave("a", { ...request });
    // The next in line no longer waits.
    starts.failed("a");
    expect(starts.enter("a", request)).toBe("waits");
    for (let i = 0; i < MAX_WAITING / 2; i++) expect(starts.enter("a", request)).toBe("waits");
    expect(starts.enter("a", request)).toBe("full");
  });
});
