/** The commands for a running gateway, against real ones: one process without TLS, and two workers over TLS. */
import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { patient } from "../../src/lib/testing/patience.ts";
import { until } from "../../src/lib/testing/until.ts";
import { LOCALHOST, TEST_CA } from "../support/certificates.ts";
import { COMMAND, Folder, Program } from "../support/program.ts";

setDefaultTimeout(patient(60_000));

const KEY = "key-of-operators-1234";
const READ_KEY = "key-of-readers-1234";

const folder = new Folder();
const origin = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("from the origin") });
const key = folder.write("key", `${KEY}\n`);
const readKey = folder.write("read-key", READ_KEY);
const ca = folder.write("ca.pem", TEST_CA.cert);
const cert = folder.write("cert.pem", LOCALHOST.cert);
const certKey = folder.write("cert-key.pem", LOCALHOST.key);

afterAll(async () => {
  await origin.stop(true);
  folder.remove();
});

interface Ran {
  readonly out: string;
  readonly err: string;
  readonly code: number;
}

interface Rig {
  readonly program: Program;
  readonly config: string;
  readonly traffic: string;
  readonly admin: string;
  /** Runs a command with the operator's key. */
  run(...args: string[]): Promise<Ran>;
  /** Runs it with this text as its standard input. */
  give(text: string, ...args: string[]): Promise<Ran>;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests access it freely
  json(...args: string[]): Promise<any>;
}

async function turnpike(args: readonly string[], input = ""): Promise<Ran> {
  const child = Bun.spawn([...COMMAND, ...args], {
    stdio: [new TextEncoder().encode(input), "pipe", "pipe"],
    env: { ...process.env, TURNPIKE_HOME: folder.file("home") },
  });
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { out, err, code };
}

async function open(name: string, workers: number, tls: boolean): Promise<Rig> {
  const config = folder.write(`${name}.json`, {
    server: { address: "127.0.0.1", port: 0, workers },
    admin: {
      enabled: true,
      port: 0,
      api_key: KEY,
      read_api_key: READ_KEY,
      ...(tls ? { tls: { cert_path: cert, key_path: certKey } } : {}),
    },
    upstreams: [{ name: "origin", servers: [{ address: "127.0.0.1", port: origin.port }] }],
    routes: [{ path_prefix: "/first", upstream: "origin" }],
  });
  const program = new Program(["--config", config]);
  const [, traffic = ""] = await program.sees(/listening on (\S+)/);
  const [, admin = ""] = await program.sees(/admin interface on (\S+)\n/);
  const place = ["--admin", admin, "--admin-key-file", key, ...(tls ? ["--admin-ca", ca] : [])];
  const run = (...args: string[]): Promise<Ran> => turnpike([...args, ...place]);
  return {
    program,
    config,
    traffic,
    admin,
    run,
    give: (text, ...args) => turnpike([...args, ...place], text),
    async json(...args) {
      const ran = await run(...args, "--json");
      expect([ran.code, ran.err]).toEqual([0, ""]);
      return JSON.parse(ran.out);
    },
  };
}

function routeTo(prefix: string): string {
  return JSON.stringify({ path_prefix: prefix, upstream: "origin" });
}

function digest(path: string): string {
  return createHash("sha256").update(readFileSync(path)).digest("hex");
}

describe.each([
  ["one process, plain", 1, false],
  ["two workers, over TLS", 2, true],
])("%s", (name, workers, tls) => {
  let rig: Rig;

  beforeAll(async () => {
    rig = await open(name.replaceAll(/\W/g, "-"), workers, tls);
  }, patient(30_000));
  // Changes in memory do not remain for the next test.
  afterEach(async () => {
    const options = { method: "POST", headers: { "x-api-key": KEY }, tls: { ca: TEST_CA.cert } };
    expect((await fetch(new URL("/v1/reload", rig.admin), options)).status).toBe(200);
  });
  afterAll(() => rig.program.stop());

  async function statusOf(path: string): Promise<number> {
    return (await fetch(`${rig.traffic}${path}`)).status;
  }

  test("status shows the running gateway", async () => {
    expect(rig.admin).toStartWith(tls ? "https://" : "http://");
    const { out, code } = await rig.run("status");
    expect(code).toBe(0);
    expect(out).toMatch(/^status +ok\nversion +\S+\nstarted +\S+Z, \d+ s ago\n/);
    expect(out).toContain(`\nworkers    ${workers}\n`);
    expect(out).toContain(`\nconfig     ${rig.config}\n`);
    expect(out).toContain("\nin memory  same as the file\n");
    expect(await rig.json("status")).toMatchObject({
      status: "ok",
      problems: [],
      workers,
      config: { path: rig.config },
    });
  });

  test("a route is added from standard input, serves at once, is changed, and removed", async () => {
    expect(await statusOf("/second/x")).toBe(404);
    const added = await rig.give('{"path_prefix": "/second", "upstream": "origin"}', "routes", "add", "-");
    expect(added).toEqual({ out: "added /second\n", err: "", code: 0 });
    for (let i = 0; i < 8; i++) expect(await statusOf("/second/x")).toBe(200);
    const { out } = await rig.run("routes");
    expect(out.split("\n").slice(0, 3)).toEqual([
      "PREFIX\tHOST\tMATCH\tTO\tAUTH\tPRICE\tLIMIT\tCACHE\tFILTER",
      expect.stringMatching(/^\/first\t\t\torigin\tnone/),
      expect.stringMatching(/^\/second\t\t\torigin\tnone/),
    ]);
    const file = folder.write("patch.json", { rate_limit: { requests_per_second: 7 } });
    expect((await rig.run("routes", "change", "/second", file)).out).toBe("changed /second\n");
    expect((await rig.run("routes", "list")).out).toMatch(/^\/second\t\t\torigin\tnone\t\t7\/s\t\t$/m);
    expect((await rig.run("config", "diff")).out).toMatch(/^\+ \/routes\/1 \{"path_prefix":"\/second"/);
    const state = await rig.run("status");
    expect(state.out).toContain("in memory  1 change not in the file: turnpike persist writes them\n");
    expect((await rig.run("routes", "remove", "/second")).out).toBe("removed /second\n");
    expect(await statusOf("/second/x")).toBe(404);
    expect((await rig.run("routes", "remove", "/second")).code).toBe(1);
  });

  test("a route shows the upstreams and redirects of its traffic split", async () => {
    const split = [
      { upstream: "origin", weight: 9 },
      { weight: 1, redirect: { host: "new.test", status: 301 } },
    ];
    const route = { path_prefix: "/split", upstream: "origin", traffic_split: split };
    expect((await rig.give(JSON.stringify(route), "routes", "add", "-")).code).toBe(0);
    expect((await rig.run("routes", "list")).out).toMatch(/^\/split\t\t\torigin\*9 \(redirect 301\)\*1\t/m);
    expect((await rig.run("routes", "remove", "/split")).code).toBe(0);
  });

  test("routes are distinguished by their hosts", async () => {
    for (const host of ["a.test", "b.test"]) {
      const route = { path_prefix: "/hosts", host, upstream: "origin" };
      expect((await rig.give(JSON.stringify(route), "routes", "add", "-")).code).toBe(0);
    }
    const vague = await rig.run("routes", "remove", "/hosts");
    expect([vague.code, vague.out]).toEqual([1, ""]);
    expect(vague.err).toMatch(/^turnpike routes: .*a\.test.*b\.test/);
    for (const host of ["a.test", "b.test"])
      expect((await rig.run("routes", "remove", "/hosts", "--host", host)).code).toBe(0);
  });

  test("every warning is printed, --strict refuses them, and only --force takes a guard from a path", async () => {
    const auth = { type: "api_key", keys: [{ key: "k".repeat(20), name: "a" }] };
    const guarded = { path_prefix: "/guarded", upstream: "origin", auth };
    expect((await rig.give(JSON.stringify(guarded), "routes", "add", "-")).code).toBe(0);
    const openRoute = JSON.stringify({ path_prefix: "/guarded/open", upstream: "origin", x42: {} });
    const refused = await rig.give(openRoute, "routes", "add", "-");
    expect([refused.code, refused.out]).toEqual([1, ""]);
    expect(refused.err).toContain("without the authentication of the route");
    expect(refused.err).toContain('did you mean "x402"?');
    const strict = await rig.give(openRoute, "routes", "add", "-", "--force", "--strict");
    expect([strict.code, strict.out]).toEqual([1, ""]);
    expect(await statusOf("/guarded/open")).toBe(401);
    const added = await rig.give(openRoute, "routes", "add", "-", "--force", "--json");
    expect(added.code).toBe(0);
    expect(added.err).toContain('warning: routes[2].x42: unknown key, ignored; did you mean "x402"?\n');
    expect(added.err).toContain('warning: routes[2]: has no auth, unlike routes[1] ("/guarded") above it');
    expect(added.err).toContain("warning: routes[2]: would serve requests without the authentication of");
    for (let i = 0; i < 8; i++) expect(await statusOf("/guarded/open")).toBe(200);
    const other = await rig.give('{"name": "other", "servers": [], "x": 1}', "upstreams", "add", "-");
    expect([other.code, other.err]).toEqual([0, expect.stringContaining("warning: upstreams[1].x: unknown key")]);
    expect((await rig.run("routes", "remove", "/guarded/open")).code).toBe(0);
    expect((await rig.give('{"auth": null}', "routes", "change", "/guarded", "-")).code).toBe(1);
    expect((await rig.give('{"path_prefix": "/moved", "auth": null}', "routes", "change", "/guarded", "-")).code).toBe(
      1,
    );
    const before = readFileSync(rig.config, "utf8");
    const file = { ...JSON.parse(before), unknown: 1 };
    folder.write(`${name.replaceAll(/\W/g, "-")}.json`, file);
    expect((await rig.run("reload", "--strict")).code).toBe(1);
    expect((await rig.run("config", "check", rig.config, "--strict")).code).toBe(1);
    expect((await rig.run("config", "replace", rig.config, "--strict", "--force")).code).toBe(1);
    const reloaded = await rig.run("reload");
    expect([reloaded.code, reloaded.err]).toEqual([0, "warning: unknown: unknown key, ignored\n"]);
    await Bun.write(rig.config, before);
  });

  test("a wrong route is refused with every problem at its path, and nothing is changed", async () => {
    const before = await rig.json("config", "show");
    const wrong = { path_prefix: "/wrong", upstream: "nobody", connect_timeout_ms: "x" };
    const { out, err, code } = await rig.give(JSON.stringify(wrong), "routes", "add", "-");
    expect([out, code]).toEqual(["", 1]);
    expect(err).toMatch(/^routes\[1\]\.\w+: .+\n(?:routes\[1\]\.\w+: .+\n)?turnpike routes: .+\n$/);
    expect(await rig.json("config", "show")).toEqual(before);
  });

  test("an upstream is added, its server is drained and restored, removed while a route names it, added again, and removed for good", async () => {
    const upstream = { name: "more", servers: [{ address: "127.0.0.1", port: origin.port }] };
    const file = folder.write("upstream.json", upstream);
    expect((await rig.run("upstreams", "add", file)).out).toBe("added more\n");
    expect((await rig.give('{"path_prefix": "/more", "upstream": "more"}', "routes", "add", "-")).code).toBe(0);
    expect(await statusOf("/more")).toBe(200);
    const server = `127.0.0.1:${origin.port}`;
    const drained = await rig.run("upstreams", "drain", "more", server, "--wait", "10");
    expect(drained.out).toBe(`${server} of more is drained, and has no request in flight\n`);
    expect((await rig.run("upstreams")).out).toMatch(
      new RegExp(`^more\tround_robin\t${server}\t\\w+\tdrained\t0\t`, "m"),
    );
    expect(await statusOf("/more")).toBeGreaterThanOrEqual(502);
    expect((await rig.run("status")).out).toMatch(
      /^status +degraded\nproblem +upstream "more" has no server in rotation\nversion /,
    );
    expect((await rig.run("upstreams", "undrain", "more", server)).out).toBe(`${server} of more is back in rotation\n`);
    expect(await statusOf("/more")).toBe(200);
    expect((await rig.run("upstreams", "drain", "more", "127.0.0.1:1")).code).toBe(1);
    const removed = await rig.run("upstreams", "remove", "more", "--strict");
    expect([removed.code, removed.out]).toEqual([0, "removed more; until it is added again, 503 for /more\n"]);
    expect(removed.err).toContain('until they are added again: "more"');
    expect(await statusOf("/more")).toBe(503);
    expect((await rig.run("upstreams")).out).toMatch(/^more\tround_robin\t\(deleted\)\t\t\t\t\t\t503 for \/more$/m);
    expect((await rig.run("upstreams", "remove", "more")).code).toBe(1);
    expect((await rig.run("upstreams", "add", file, "--strict")).out).toBe("added more\n");
    expect(await statusOf("/more")).toBe(200);
    expect((await rig.give('{"load_balancer": "random"}', "upstreams", "change", "more", "-")).out).toBe(
      "changed more\n",
    );
    expect((await rig.run("upstreams", "list")).out).toMatch(/^more\trandom\t/m);
    await rig.run("routes", "remove", "/more");
    expect((await rig.run("upstreams", "remove", "more")).out).toBe("removed more\n");
  });

  test("two operators do not overwrite each other's changes", async () => {
    const { revision } = (await rig.json("status")).config;
    expect((await rig.give(routeTo("/mine"), "routes", "add", "-", "--if-match", revision)).code).toBe(0);
    const late = await rig.give(routeTo("/yours"), "routes", "add", "-", "--if-match", revision);
    expect([late.code, late.out]).toEqual([1, ""]);
    expect(late.err).toMatch(/Cannot change the configuration: it has changed/);
    expect((await rig.run("routes")).out).not.toContain("/yours");
    await rig.run("routes", "remove", "/mine");
  });

  test("a reload lists the changes that it discards, and persist writes the running configuration", async () => {
    const before = digest(rig.config);
    const route = '{"path_prefix": "/kept", "upstream": "origin"}';
    await rig.give(route, "routes", "add", "-");
    const reloaded = await rig.run("reload");
    expect(reloaded.out).toMatch(/^reloaded; 1 change in memory discarded:\n {2}\+ \/routes\/1/);
    expect(digest(rig.config)).toBe(before);
    await rig.give(route, "routes", "add", "-");
    expect((await rig.run("persist")).out).toBe("written to the configuration file\n");
    const written = JSON.parse(await Bun.file(rig.config).text());
    expect(written.routes).toEqual([{ path_prefix: "/first", upstream: "origin" }, JSON.parse(route)]);
    expect(written.admin.api_key).toBe(KEY);
    expect((await rig.run("reload")).out).toBe("reloaded\n");
    expect(await statusOf("/kept")).toBe(200);
    // Another program has written the file.
    await Bun.write(rig.config, JSON.stringify({ ...written, routes: [] }));
    const refused = await rig.run("persist");
    expect([refused.code, refused.out]).toEqual([1, ""]);
    expect(refused.err).toContain("--force overwrites it");
    expect((await rig.run("persist", "--force")).code).toBe(0);
    await rig.run("routes", "remove", "/kept");
    await rig.run("persist");
  });

  test("a configuration is checked without being served, shown without secrets, and replaced as a whole", async () => {
    const shown = await rig.json("config", "show");
    expect(shown.admin).toMatchObject({ api_key: "<secret>", read_api_key: "<secret>" });
    const other = { ...shown, routes: [{ path_prefix: "/other", upstream: "origin" }] };
    const file = folder.write("other.json", other);
    const checked = await rig.run("config", "check", file);
    expect(checked.code).toBe(0);
    expect(checked.out).toMatch(/^\S+other\.json: ok, \d changes?\n/);
    expect(await statusOf("/other")).toBe(404);
    const wrong = await rig.give(JSON.stringify({ ...other, routes: [{ path_prefix: 5 }] }), "config", "check", "-");
    expect([wrong.code, wrong.out]).toEqual([1, ""]);
    expect(wrong.err).toMatch(/^standard input: routes\[0\]\.path_prefix: /m);
    expect((await rig.run("config", "replace", file)).out).toBe("replaced; turnpike persist writes it to the file\n");
    expect(await statusOf("/other")).toBe(200);
    expect((await rig.run("status")).code).toBe(0);
    expect((await rig.run("reload")).code).toBe(0);
    expect(await statusOf("/other")).toBe(404);
    expect(JSON.parse((await rig.run("config", "schema")).out)).toMatchObject({ type: "object" });
  });

  test("a partial file closes the admin interface and drops routes only with --force", async () => {
    const file = folder.write("partial.json", { compression: { enabled: true } });
    const before = await rig.json("config", "show");
    const { out, err, code } = await rig.run("config", "replace", file);
    expect([out, code]).toEqual(["", 1]);
    expect(err).toContain("admin: would close the admin interface\n");
    expect(err).toMatch(/^routes: would drop (\d+) of \1 routes: "\//m);
    expect(err).toContain("force the change (--force, ?force=true)");
    expect((await rig.run("config", "check", file)).err).toContain("warning: admin: would close the admin interface");
    expect(await rig.json("config", "show")).toEqual(before);
    expect(await statusOf("/first")).toBe(200);
    const smaller = folder.write("smaller.json", { ...before, routes: [] });
    expect((await rig.run("config", "replace", smaller, "--force")).code).toBe(0);
    expect(await statusOf("/first")).toBe(404);
    expect((await rig.run("reload")).code).toBe(0);
  });

  test("usage counts requests, as tables, JSON and CSV, and a reset starts again at 0", async () => {
    await rig.run("usage", "--reset");
    for (let i = 0; i < 5; i++) expect(await statusOf("/first")).toBe(200);
    await until(async () => (await rig.json("usage")).routes[0]?.requests === 5, 10_000, "the requests are counted");
    expect((await rig.run("usage", "--by", "route")).out).toMatch(/^ROUTE\tREQUESTS\t.*\n\/first\t5\t0\t0\t/);
    expect((await rig.run("usage", "--by", "upstream")).out).toMatch(/\norigin\t5\t/);
    expect((await rig.run("usage")).out).toContain("\n(anonymous)\t5\t");
    const csv = await rig.run("usage", "--csv", "--reset");
    expect(csv.out).toMatch(/^\w+,.*\r\n.*\/first.*\r\n$/);
    expect((await rig.json("usage")).routes).toEqual([]);
  });

  test("events show kind, time and operator, and are printed as they happen", async () => {
    const { out } = await rig.run("events", "--kind", "change", "--since", "1h");
    expect(out).toMatch(/^TIME\tKIND\tBY\tOUTCOME\tMESSAGE\n/);
    expect(out).toMatch(/\tchange\toperator 127\.0\.0\.1\tdone\tadd the route "\/second"\n/);
    expect((await rig.run("events", "--since", "2020-01-01", "--kind", "worker")).code).toBe(0);
    const { events } = await rig.json("events");
    const since = String(events.at(-1).id);
    const follow = new Program(
      [
        "events",
        "--follow",
        "--json",
        "--since",
        since,
        "--kind",
        "change",
        "--admin",
        rig.admin,
        "--admin-key-file",
        readKey,
      ].concat(tls ? ["--admin-ca", ca] : []),
    );
    await rig.give('{"path_prefix": "/seen", "upstream": "origin"}', "routes", "add", "-");
    await rig.run("routes", "remove", "/seen");
    await follow.sees(/remove the route/);
    const kinds = follow.output
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(kinds.map(({ kind, message }) => `${kind}: ${message}`)).toEqual([
      'change: add the route "/seen"',
      'change: remove the route "/seen"',
    ]);
    await follow.stop();
  });

  test("API keys are issued, listed and revoked", async () => {
    for (const host of ["127.0.0.1", "b.example"]) {
      const auth = { type: "api_key", keys: [{ key: `key-of-${host}`, name: `owner of ${host}` }] };
      const route = JSON.stringify({ path_prefix: "/keyed", host, upstream: "origin", auth });
      expect((await rig.give(route, "routes", "add", "-")).code).toBe(0);
    }
    const ambiguous = await rig.run("keys", "issue", "/keyed", "partner");
    expect([ambiguous.code, ambiguous.out]).toEqual([1, ""]);
    expect(ambiguous.err).toContain('"127.0.0.1", "b.example" have the prefix "/keyed"; name one with --host');
    const place = ["--host", "127.0.0.1"];
    const issued = await rig.run("keys", "issue", "/keyed", "partner", ...place);
    expect([issued.code, issued.err]).toEqual([0, ""]);
    expect(issued.out).toMatch(/^tk_[\w-]{43}\n$/);
    const status = async (): Promise<number> =>
      (await fetch(`${rig.traffic}/keyed`, { headers: { "x-api-key": issued.out.trim() } })).status;
    for (let i = 0; i < 4; i++) expect(await status()).toBe(200);
    expect((await rig.run("keys")).out).toBe(
      [
        "PREFIX\tHOST\tNAME\tNUMBER\tOWNER",
        "/keyed\t127.0.0.1\t\t1\towner of 127.0.0.1",
        "/keyed\t127.0.0.1\t\t2\tpartner",
        "/keyed\tb.example\t\t1\towner of b.example\n",
      ].join("\n"),
    );
    expect(JSON.stringify(await rig.json("keys", "list"))).not.toContain(issued.out.trim());
    expect(await rig.run("keys", "revoke", "/keyed", "2", "first", ...place)).toMatchObject({ code: 1, out: "" });
    expect(await rig.run("keys", "revoke", "/keyed", "0", "first", ...place)).toMatchObject({ code: 2, out: "" });
    expect(await rig.run("keys", "revoke", "/keyed", "2", ...place)).toMatchObject({ code: 2, out: "" });
    const stale = await rig.run("keys", "revoke", "/keyed", "2", "partner", ...place, "--if-match", "old");
    expect([stale.code, await status()]).toEqual([1, 200]);
    const revoked = await rig.run("keys", "revoke", "/keyed", "2", "partner", ...place);
    expect(revoked).toEqual({ code: 0, out: "revoked key 2 of partner\n", err: "" });
    for (let i = 0; i < 4; i++) expect(await status()).toBe(401);
    await rig.run("keys", "revoke", "/keyed", "1", "owner of 127.0.0.1", ...place);
    expect((await rig.run("keys")).out).toContain("/keyed\t127.0.0.1\t\t-\t(no key)\n");
    expect((await rig.run("keys", "issue", "/keyed", "first", ...place)).code).toBe(0);
    for (const host of ["127.0.0.1", "b.example"])
      expect((await rig.run("routes", "remove", "/keyed", "--host", host, "--force")).code).toBe(0);
  });

  test("requests that match are printed as they end", async () => {
    const place = ["--admin", rig.admin, "--admin-key-file", readKey, ...(tls ? ["--admin-ca", ca] : [])];
    const lines = new Program(["requests", "--text", "WANTED", "--status", "2", ...place]);
    const json = new Program(["requests", "--json", "--text", "wanted", ...place]);
    await until(async () => {
      for (const path of ["/first/wanted?a=1", "/first/other", "/none/wanted"]) await fetch(`${rig.traffic}${path}`);
      return lines.output.includes("\n") && json.output.includes("/none/wanted");
    });
    await Promise.all([lines.stop(), json.stop()]);
    const host = new URL(rig.traffic).host;
    for (const line of lines.output.trimEnd().split("\n"))
      expect(line.slice(20)).toMatch(new RegExp(`^  200  GET ${host}/first/wanted[?]a=1  127.0.0.1  \\d+ ms$`));
    for (const line of json.output.trimEnd().split("\n"))
      expect(JSON.parse(line)).toMatchObject({ kind: "request", path: expect.stringMatching(/wanted$/) });
    expect(await rig.run("requests", "--status", "200")).toMatchObject({ code: 2, out: "" });
    expect((await rig.run("requests", "--text", "x".repeat(201))).code).toBe(1);
  });

  test("the read-only key reads, and changes nothing", async () => {
    const place = ["--admin", rig.admin, "--admin-key-file", readKey, ...(tls ? ["--admin-ca", ca] : [])];
    expect((await turnpike(["status", ...place])).code).toBe(0);
    for (const args of [["reload"], ["persist"], ["usage", "--reset"], ["routes", "remove", "/first"]]) {
      const { code, out, err } = await turnpike([...args, ...place]);
      expect([code, out]).toEqual([1, ""]);
      expect(err).toMatch(/^turnpike \w+: .+\n$/);
    }
    expect(await statusOf("/first")).toBe(200);
  });

  test("a wrong key is refused, and a URL without TLS is not tried with TLS", async () => {
    const wrong = folder.write("wrong-key", "not-the-key");
    const place = ["--admin", rig.admin, "--admin-key-file", wrong, ...(tls ? ["--admin-ca", ca] : [])];
    const { code, err } = await turnpike(["status", ...place]);
    expect(code).toBe(1);
    expect(err).toMatch(/^turnpike status: .*the key is wrong/);
    expect(err).not.toContain("not-the-key");
    if (!tls) return;
    const untrusted = await turnpike(["status", "--admin", rig.admin, "--admin-key-file", key]);
    expect([untrusted.code, untrusted.out]).toEqual([1, ""]);
    expect(untrusted.err).toContain("with --admin-ca");
  });

  test("tenants are listed, and removing an unknown one fails", async () => {
    expect(await rig.json("tenants")).toEqual({ tenants: [] });
    const { code, err } = await rig.run("tenants", "remove", "nobody");
    expect([code, err]).toEqual([1, expect.stringMatching(/^turnpike tenants: .+\n$/)]);
  });
});

test.each([
  ["two workers, plain", 2, false],
  ["one process, over TLS", 1, true],
])("a change of the running configuration is served, and discarded by a reload: %s", async (name, workers, tls) => {
  const rig = await open(name.replaceAll(/\W/g, "-"), workers, tls);
  try {
    expect((await rig.give(routeTo("/second"), "routes", "add", "-")).code).toBe(0);
    expect(await rig.json("status")).toMatchObject({
      status: "ok",
      problems: [],
      workers,
      config: { path: rig.config },
    });
    for (let i = 0; i < 8; i++) expect((await fetch(`${rig.traffic}/second`)).status).toBe(200);
    expect((await rig.run("reload")).code).toBe(0);
    expect((await fetch(`${rig.traffic}/second`)).status).toBe(404);
  } finally {
    await rig.program.stop();
  }
});
