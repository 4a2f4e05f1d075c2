/**
 * Random changes, reloads, writes of the file, killed workers and bad inputs, while clients of all kinds send requests
 * continuously. No request is lost, all workers end with the same configuration, and the gateway can always start with
 * the file. `TURNPIKE_TEST_SEED=N` repeats a run.
 */
import { afterEach, beforeAll, afterAll, expect, test } from "bun:test";
import { setImmediate } from "node:timers/promises";
import { readFileSync, writeFileSync } from "node:fs";
import { isSame } from "../../src/lib/is-same.ts";
import { loadFile } from "../../src/gateway/config/load.ts";
import { withoutSecrets } from "../../src/gateway/config/secrets.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { Admin, type ReceivedResponse } from "../support/admin.ts";
import { clientPortsOf } from "../support/client-ports.ts";
import { serverAt } from "../support/gateway.ts";
import { statusOf } from "../support/message.ts";
import { descendants, Program } from "../support/program.ts";
import { once } from "../support/raw-client.ts";
import {
  type DocumentModel,
  isDeleted,
  isRoute,
  type RouteModel,
  routeOf,
  type UpstreamModel,
  withoutUnused,
} from "./testing/config-model.ts";
import { type EchoSite, startEchoSite } from "./testing/echo-site.ts";
import { Choices } from "./testing/random.ts";
import { Traffic } from "./testing/traffic.ts";

const TIME_MS = patient(120_000);
const STEPS = 40;
/** New connections for each check of a path. The probability that one of two workers gets none of them is 1 in 2048. */
const LOOKS = 12;
/** A worker that dies before this age counts as unable to start. */
const YOUNG_MS = 1500;

const PREFIXES = ["/p", "/q", "/r", "/s"] as const;
const HOSTS = ["one.test", "two.test", undefined] as const;
const NAMES = ["u1", "u2", "u3"] as const;

let site: EchoSite;
let admin: Admin | undefined;
const programs: Program[] = [];

beforeAll(async () => {
  site = await startEchoSite();
});

afterEach(async () => {
  await admin?.stop();
  await Promise.all(programs.splice(0).map((program) => program.stop()));
});

afterAll(() => site.stop());

function upstreamOf(name: string): UpstreamModel {
  return { name, servers: [serverAt(site.port)] };
}

/** One run: the gateway and its expected state. */
class Run {
  readonly admin: Admin;
  readonly choices: Choices;
  readonly traffic: Traffic;
  document: DocumentModel;
  saved: DocumentModel;
  readonly log: string[] = [];
  #versions = 0;
  #killing = Promise.resolve();
  #killedAt = performance.now();
  readonly #excuses: { killedAt: number; goneAt: number; safe: ReadonlySet<number> }[] = [];

  constructor(it: Admin, choices: Choices) {
    this.admin = it;
    this.choices = choices;
    this.document = this.#file();
    this.saved = this.document;
    this.traffic = new Traffic(it.port);
  }

  /** The model of the file: the writes of the test and of the gateway. */
  #file(): DocumentModel {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return JSON.parse(readFileSync(this.admin.file, "utf8")) as DocumentModel;
  }

  route(): RouteModel {
    const { choices } = this;
    const host = choices.of(HOSTS);
    return {
      path_prefix: choices.of(PREFIXES),
      ...(host === undefined ? {} : { host }),
      upstream: this.upstream(),
      upstream_headers: this.version(),
    };
  }

  /** The name of an upstream that is not deleted. */
  upstream(): string {
    return this.choices.of(this.document.upstreams.filter(({ deleted }) => deleted !== true)).name;
  }

  version(): RouteModel["upstream_headers"] {
    return [{ name: "X-Version", value: `v${++this.#versions}` }];
  }

  async change(method: string, path: string, body: unknown, expected: number): Promise<ReceivedResponse> {
    const response = await this.admin.call(method, path, body === undefined ? {} : { body });
    this.log.push(`${method} ${path} ${JSON.stringify(body) ?? ""} → ${response.status}`);
    if (response.status !== expected)
      throw new Error(`Expected ${expected}, found ${response.status}: ${response.text}`);
    return response;
  }

  /**
   * Checks that every worker uses the same route. It waits for a worker that is being killed, since its requests are
   * lost.
   */
  async look(path: string, host: string): Promise<void> {
    await this.#killing;
    const route = routeOf(this.document, path, host);
    const isWaiting = isDeleted(this.document, route?.upstream ?? "");
    const expected = isWaiting ? [503, true] : [200, route?.upstream_headers[0]?.value ?? "none"];
    const bytes = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
    const responses = await Promise.all(Array.from({ length: LOOKS }, () => once(this.admin.port, bytes)));
    const found = responses.map((response) => {
      const { body } = response;
      return [statusOf(response), isWaiting ? body.includes(":no-servers") : body.trim()];
    });
    expect(found).toEqual(responses.map(() => expected));
  }

  /** Kills a worker, unless another was killed a moment ago. */
  kill(): Promise<void> {
    this.#killing = this.#kill();
    return this.#killing;
  }

  async #kill(): Promise<void> {
    const workers = descendants(this.admin.program.pid, "/process/workers/worker.");
    if (workers.length < 2 || performance.now() - this.#killedAt < YOUNG_MS) return;
    const victim = this.choices.of(workers);
    const safe = new Set(workers.filter((pid) => pid !== victim).flatMap((pid) => [...clientPortsOf(pid)]));
    const killedAt = performance.now();
    process.kill(victim, "SIGKILL");
    await this.admin.program.sees(new RegExp(`worker ${victim} ended; starting another`));
    // The kernel has closed its connections, but this process may not have read that of all of them yet.
    for (let turn = 0; turn < 2; turn += 1) await setImmediate();
    const goneAt = performance.now();
    this.#killedAt = goneAt;
    this.log.push(`killed worker ${victim}, from ${killedAt} to ${goneAt} ms`);
    this.#excuses.push({ killedAt, goneAt, safe });
  }

  /** No request was lost, except those in a worker when it was killed. */
  noneLost(): void {
    const rest = this.traffic.lost.filter(
      ({ port, begunAt, lostAt }) =>
        !this.#excuses.some(({ killedAt, goneAt, safe }) => lostAt >= killedAt && begunAt <= goneAt && !safe.has(port)),
    );
    expect(rest).toEqual([]);
  }
}

type Step = (run: Run) => Promise<void>;

const at = (prefix: string, host: string | undefined): string =>
  `/v1/routes/${encodeURIComponent(prefix)}?host=${host ?? ""}`;

async function changeRoute(run: Run): Promise<void> {
  const { path_prefix: prefix, host } = run.choices.of(run.document.routes);
  const patch = { upstream: run.upstream(), upstream_headers: run.version() };
  await run.change("PATCH", at(prefix, host), patch, 200);
  const routes = run.document.routes.map((route) => (isRoute(prefix, host)(route) ? { ...route, ...patch } : route));
  run.document = withoutUnused({ ...run.document, routes });
  await run.look(prefix, host ?? "any.test");
}

const STEPS_OF_CHANGE: readonly Step[] = [
  async function addRoute(run) {
    const route = run.route();
    const exists = run.document.routes.some(isRoute(route.path_prefix, route.host));
    await run.change("POST", "/v1/routes", route, exists ? 409 : 201);
    if (!exists) run.document = { ...run.document, routes: [...run.document.routes, route] };
    await run.look(route.path_prefix, route.host ?? "any.test");
  },
  changeRoute,
  async function removeRoute(run) {
    const [prefix, host] = [run.choices.of(PREFIXES), run.choices.of(HOSTS)];
    const exists = run.document.routes.some(isRoute(prefix, host));
    await run.change("DELETE", at(prefix, host), undefined, exists ? 200 : 404);
    const routes = run.document.routes.filter((route) => !isRoute(prefix, host)(route));
    run.document = exists ? withoutUnused({ ...run.document, routes }) : run.document;
    await run.look(prefix, host ?? "any.test");
  },
  async function addUpstream(run) {
    const upstream = upstreamOf(run.choices.of(NAMES));
    const { upstreams } = run.document;
    const index = upstreams.findIndex(({ name }) => name === upstream.name);
    const isTaken = index >= 0 && !isDeleted(run.document, upstream.name);
    await run.change("POST", "/v1/upstreams", upstream, isTaken ? 409 : 201);
    if (isTaken) return;
    const list = index < 0 ? [...upstreams, upstream] : upstreams.with(index, upstream);
    run.document = { ...run.document, upstreams: list };
  },
  async function changeUpstream(run) {
    const name = run.upstream();
    const patch = { load_balancer: run.choices.of(["random", "least_conn", "round_robin"]) };
    await run.change("PATCH", `/v1/upstreams/${name}`, patch, 200);
    const upstreams = run.document.upstreams.map((one) => (one.name === name ? { ...one, ...patch } : one));
    run.document = { ...run.document, upstreams };
  },
  async function removeUpstream(run) {
    const name = run.choices.of(NAMES);
    // The clients of the whole run use this route.
    if (routeOf(run.document, "/", "")?.upstream === name) return;
    const { upstreams } = run.document;
    const exists = upstreams.some((upstream) => upstream.name === name) && !isDeleted(run.document, name);
    await run.change("DELETE", `/v1/upstreams/${name}`, undefined, exists ? 200 : 404);
    if (!exists) return;
    const deleted = { name, servers: [], deleted: true };
    const list = upstreams.map((upstream) => (upstream.name === name ? deleted : upstream));
    run.document = withoutUnused({ ...run.document, upstreams: list });
    const waiting = run.document.routes.find((route) => route.upstream === name);
    if (waiting !== undefined) await run.look(waiting.path_prefix, waiting.host ?? "any.test");
  },
  async function replaceAll(run) {
    const { body: shown } = await run.change("GET", "/v1/config", undefined, 200);
    const note = { "x-note": run.choices.below(1000) };
    await run.change("PUT", "/v1/config", { ...shown, ...note }, 200);
    run.document = { ...run.document, ...note };
  },
  async function addMany(run) {
    const prefixes = Array.from({ length: 4 }, (_, i) => `/many-${run.choices.below(1000)}-${i}`);
    const upstream = run.document.upstreams[0]?.name ?? "";
    const routes = prefixes.map((prefix) => ({ path_prefix: prefix, upstream, upstream_headers: run.version() }));
    await Promise.all(routes.map((route) => run.change("POST", "/v1/routes", route, 201)));
    const before = run.document;
    run.document = { ...before, routes: [...before.routes, ...routes] };
    await Promise.all(prefixes.map((prefix) => run.look(prefix, "any.test")));
    run.document = before;
    await Promise.all(prefixes.map((prefix) => run.change("DELETE", at(prefix, undefined), undefined, 200)));
  },
  async function overtaken(run) {
    const { headers } = await run.change("GET", "/v1/config", undefined, 200);
    await changeRoute(run);
    const response = await run.admin.call("DELETE", at("/", undefined), {
      headers: { "if-match": headers.get("etag") ?? "" },
    });
    expect(response.status).toBe(412);
  },
];

const STEPS_OF_FILES: readonly Step[] = [
  async function persist(run) {
    await run.change("POST", "/v1/config/persist", undefined, 200);
    run.saved = run.document;
  },
  async function reload(run) {
    await run.change("POST", "/v1/reload", undefined, 200);
    run.document = run.saved;
  },
  async function hangup(run) {
    const count = run.admin.program.output.split(/ reloaded /).length;
    run.admin.program.kill("SIGHUP");
    await run.admin.program.sees(new RegExp(`(?: reloaded [^]*){${count}}`));
    run.log.push("SIGHUP");
    run.document = run.saved;
  },
  async function changedByAnother(run) {
    const theirs = { "x-theirs": run.choices.below(1000) };
    const isAdded = !Object.hasOwn(run.saved, "x-theirs");
    run.saved = { ...run.saved, ...theirs };
    writeFileSync(run.admin.file, JSON.stringify(run.saved, undefined, 1));
    run.log.push("the file is changed by another");
    await run.change("POST", "/v1/config/persist", undefined, 409);
    if (run.choices.below(2) === 0) {
      await run.change("POST", "/v1/config/persist?force=true", undefined, 200);
      // An added unknown key stays.
      if (isAdded) run.document = { ...theirs, ...run.document };
      run.saved = run.document;
    } else {
      await run.change("POST", "/v1/reload", undefined, 200);
      run.document = run.saved;
    }
  },
  async function brokenByAnother(run) {
    const before = readFileSync(run.admin.file);
    writeFileSync(run.admin.file, run.choices.of(["{", '{"routes": [{"path_prefix": "x"}]}', "", '{"server": 1}']));
    run.log.push("the file is broken by another");
    await run.change("POST", "/v1/reload", undefined, 400);
    writeFileSync(run.admin.file, before);
  },
];

const BAD: readonly (readonly [method: string, path: string, body: unknown, status: number])[] = [
  ["POST", "/v1/routes", { path_prefix: "/bad", upstream: "nowhere" }, 400],
  ["POST", "/v1/routes", { path_prefix: "no slash", upstream: "base" }, 400],
  ["POST", "/v1/routes", '{"path_prefix":', 400],
  ["POST", "/v1/upstreams", { name: "bad", servers: [{ port: 9 }] }, 400],
  ["PUT", "/v1/config", { routes: 7 }, 400],
  ["PUT", "/v1/config", [], 400],
  ["PATCH", at("/", undefined), { upstream: null }, 400],
  ["PATCH", at("/nowhere", undefined), { upstream: "base" }, 404],
  ["DELETE", at("/nowhere", undefined), undefined, 404],
  ["DELETE", "/v1/upstreams/nowhere", undefined, 404],
];

async function badInput(run: Run): Promise<void> {
  const [method, path, body, status] = run.choices.of(BAD);
  await run.change(method, path, body, status);
}

async function killWhileItChanges(run: Run): Promise<void> {
  await Promise.all([run.kill(), changeSomething(run)]);
}

function changeSomething(run: Run): Promise<void> {
  // Without itself, and not all at the same time.
  return run.choices.of(STEPS_OF_CHANGE.slice(0, 6))(run);
}

function chooseStep(run: Run): Step {
  const kind = run.choices.below(10);
  if (kind < 6) return run.choices.of(STEPS_OF_CHANGE);
  if (kind < 8) return run.choices.of(STEPS_OF_FILES);
  return kind === 8 ? badInput : killWhileItChanges;
}

/** The interface agrees with the model, and the gateway can start with the file. */
async function check(run: Run): Promise<void> {
  const { body: shown } = await run.admin.call("GET", "/v1/config");
  expect(shown).toEqual(withoutSecrets(run.document));
  const { body: status } = await run.admin.call("GET", "/v1/status");
  expect(status.config.changed_in_memory).toBe(!isSame(run.document, run.saved));
  expect(status.config.changed_on_disk).toBe(false);
  expect(run.admin.saved()).toEqual(run.saved);
  expect((await loadFile(run.admin.file)).problems).toEqual([]);
}

for (const workers of [1, 2]) {
  test(
    `with any operations of operators, nothing is lost and all workers agree, with workers: ${workers}`,
    async () => {
      const seed = Number(process.env["TURNPIKE_TEST_SEED"] ?? Math.floor(Math.random() * 2 ** 31));
      console.log(`seed ${seed}`);
      const base = upstreamOf("base");
      const version = [{ name: "X-Version", value: "v0" }];
      const config = {
        access_log: { enabled: false },
        upstreams: [base],
        routes: [{ path_prefix: "/", upstream: "base", upstream_headers: version }],
      };
      admin = await Admin.start({ workers, config });
      const run = new Run(admin, new Choices(seed));
      try {
        for (let i = 0; i < STEPS; i++) {
          await chooseStep(run)(run);
          await check(run);
          run.noneLost();
        }
        // Every request has its response by now.
        await run.traffic.stop();
        run.noneLost();
        for (const path of ["/", ...PREFIXES]) for (const host of ["one.test", "any.test"]) await run.look(path, host);
        expect(Object.keys(run.traffic.responded).toSorted()).toEqual([
          "HTTP/1.1",
          "HTTP/2",
          "WebSocket",
          "a new connection each",
        ]);
        await admin.call("POST", "/v1/config/persist");
        await admin.program.stop();
        const again = new Program(["--config", admin.file]);
        programs.push(again);
        await again.sees(/listening on http:/);
      } catch (error) {
        console.log(`seed ${seed}, workers ${workers}:\n${run.log.join("\n")}\n${admin.program.output}`);
        throw error;
      } finally {
        await run.traffic.stop();
      }
    },
    TIME_MS,
  );
}
