/** `/metrics`, `/.healthz` and `/.ready` of the real gateway, as a scraper and a load balancer see them. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { connect as connectHttp2 } from "node:http2";
import { connect as connectTls, type ConnectionOptions } from "node:tls";
import { LOCALHOST } from "../support/certificates.ts";
import { documentedMetrics } from "../support/documents.ts";
import { everythingTo } from "../support/gateway.ts";
import { type Message, statusOf, valuesOf } from "../support/message.ts";
import { descendants, Folder, Program, until } from "../support/program.ts";
import { parseMetrics, valueOf } from "../support/prometheus.ts";
import { once, RawClient } from "../support/raw-client.ts";
import { echo, RawOrigin } from "../support/raw-origin.ts";
import { patient } from "../../src/lib/testing/patience.ts";

const TIME_MS = patient(40_000);
const REQUESTS = "turnpike_http_requests_total";
const RESPONSES = "turnpike_http_responses_total";

let folder: Folder;
let origin: RawOrigin;
const programs: Program[] = [];
const clients: RawClient[] = [];

beforeEach(async () => {
  folder = new Folder();
  origin = await RawOrigin.start();
});

afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  await Promise.all(programs.splice(0).map((program) => program.stop()));
  await origin.stop();
  folder.remove();
});

function configOf(server: object, rest: object = {}): object {
  return {
    server: { address: "127.0.0.1", port: 0, ...server },
    access_log: { enabled: false },
    ...everythingTo(origin.port),
    ...rest,
  };
}

async function serve(server: object, rest: object = {}): Promise<{ program: Program; port: number }> {
  const program = new Program(["--config", folder.write("turnpike.json", configOf(server, rest))]);
  programs.push(program);
  const [, port] = await program.sees(/listening on https?:\/\/\S*?:(\d+)/);
  return { program, port: Number(port) };
}

async function open(port: number): Promise<RawClient> {
  const client = await RawClient.open(port);
  clients.push(client);
  return client;
}

function get(port: number, path: string, method = "GET"): Promise<Message> {
  return once(port, `${method} ${path} HTTP/1.1\r\nHost: a.test\r\n\r\n`, method);
}

/** Requests `path` over TLS. Returns the response's text, and the session for resumption. */
function over(port: number, options: ConnectionOptions, path: string): Promise<{ text: string; session: Buffer }> {
  const socket = connectTls({ port, host: "127.0.0.1", rejectUnauthorized: false, ...options });
  let text = "";
  let session: Buffer = Buffer.alloc(0);
  socket.on("session", (latest: Buffer) => {
    session = latest;
  });
  socket.on("data", (chunk: Buffer) => {
    text += chunk.toString("latin1");
  });
  socket.once("secureConnect", () => {
    socket.write(`GET ${path} HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n`);
  });
  return new Promise((resolve, reject) => {
    socket.once("error", reject);
    socket.once("close", () => resolve({ text, session }));
  });
}

async function responded(client: RawClient): Promise<number> {
  client.send("GET /x HTTP/1.1\r\nHost: a.test\r\n\r\n");
  return statusOf(await client.response());
}

async function scrape(port: number): Promise<string> {
  const response = await get(port, "/metrics");
  expect(statusOf(response)).toBe(200);
  parseMetrics(response.body);
  return response.body;
}

describe("/metrics", () => {
  test(
    "is a strictly valid page that must not be stored, for GET and HEAD only",
    async () => {
      const { port } = await serve({ workers: 1 });
      const page = await get(port, "/metrics");
      expect([statusOf(page), valuesOf(page, "content-type"), valuesOf(page, "cache-control")]).toEqual([
        200,
        ["text/plain; version=0.0.4; charset=utf-8"],
        ["no-store"],
      ]);
      const metrics = parseMetrics(page.body);
      expect([...metrics.values()].every(({ help }) => help.endsWith("."))).toBe(true);
      // Filters define the metrics whose name has a star. The content service has those of a language model, and the
      // admin interface those of sales.
      const documented = documentedMetrics().filter(({ name }) => !/\*$|^turnpike_(?:model|sales)_/.test(name));
      expect([...metrics.values()].map(({ name, type }) => [name, type])).toEqual(
        documented.map(({ name, type }) => [name, type]),
      );
      const head = await get(port, "/metrics", "HEAD");
      expect([statusOf(head), head.body, Number(valuesOf(head, "content-length")[0]) > 1000]).toEqual([200, "", true]);
      for (const path of ["/metrics", "/.healthz", "/.ready"]) {
        const post = await get(port, path, "POST");
        expect([statusOf(post), valuesOf(post, "allow")]).toEqual([405, ["GET, HEAD"]]);
      }
      expect(origin.requests).toEqual([]);
    },
    TIME_MS,
  );

  test(
    "counts requests, responses, bytes and times by protocol, and refusals of the codecs",
    async () => {
      const { port } = await serve({ workers: 1 });
      for (let i = 0; i < 3; i++) await get(port, "/x");
      await get(port, "/x", "DELETE");
      await get(port, "/x", "PURGE");
      await once(port, "POST /x HTTP/1.1\r\nHost: a.test\r\nContent-Length: 5\r\n\r\nhello");
      await once(port, "GET /x HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n");
      const page = await scrape(port);
      const ofMethod = (method: string): number => valueOf(page, REQUESTS, { protocol: "http1", method });
      // The scrape itself and the refused one are requests too.
      expect([ofMethod("GET"), ofMethod("DELETE"), ofMethod("POST"), ofMethod("other")]).toEqual([5, 1, 1, 1]);
      expect([valueOf(page, RESPONSES, { code: "200" }), valueOf(page, RESPONSES, { code: "400" })]).toEqual([6, 1]);
      expect(valueOf(page, "turnpike_http_request_duration_seconds_count")).toBe(6);
      expect(valueOf(page, "turnpike_http_request_duration_seconds_sum")).toBeGreaterThan(0);
      expect(valueOf(page, "turnpike_http_request_body_bytes_total")).toBe(5);
      expect(valueOf(page, "turnpike_http_response_body_bytes_total")).toBeGreaterThan(6 * "GET /x".length);
      expect(valueOf(page, "turnpike_http_requests_in_flight")).toBe(1);
      expect(valueOf(page, REQUESTS, { protocol: "http2" })).toBe(0);
    },
    TIME_MS,
  );

  test(
    "a client that disconnects before its response is a 499, and a request in flight counts as in flight",
    async () => {
      const { port } = await serve({ workers: 1 });
      origin.response = () => {};
      const client = await open(port);
      client.send("GET /slow HTTP/1.1\r\nHost: a.test\r\n\r\n");
      await origin.until("the request", () => origin.requests[0]);
      expect(valueOf(await scrape(port), "turnpike_http_requests_in_flight")).toBe(2);
      client.destroy();
      await until("the end of the request", async () => {
        const page = await scrape(port);
        return valueOf(page, RESPONSES, { code: "499" }) === 1 ? true : undefined;
      });
      expect(valueOf(await scrape(port), "turnpike_http_requests_in_flight")).toBe(1);
    },
    TIME_MS,
  );

  test(
    "long durations are counted as long",
    async () => {
      const { port } = await serve({ workers: 1 });
      origin.response = (request, connection) => void setTimeout(() => echo(request, connection), 300);
      await get(port, "/slow");
      const page = await scrape(port);
      const upTo = (le: string): number => valueOf(page, "turnpike_http_request_duration_seconds_bucket", { le });
      expect([upTo("0.25"), upTo("+Inf")]).toEqual([0, 1]);
      expect(valueOf(page, "turnpike_http_request_duration_seconds_sum")).toBeGreaterThanOrEqual(0.299);
    },
    TIME_MS,
  );

  test(
    "connections to upstream servers and their failures are counted",
    async () => {
      const { port } = await serve({ workers: 1 });
      await get(port, "/x");
      await get(port, "/x");
      origin.response = (_, connection) => connection.reset();
      expect(statusOf(await once(port, "POST /x HTTP/1.1\r\nHost: a.test\r\nContent-Length: 0\r\n\r\n"))).toBe(502);
      const page = await scrape(port);
      expect(valueOf(page, "turnpike_upstream_connections_total")).toBe(1);
      expect(valueOf(page, "turnpike_upstream_failures_total")).toBe(1);
    },
    TIME_MS,
  );

  test(
    "server.disable_middleware leaves requests uncounted",
    async () => {
      const { port } = await serve({ workers: 1, disable_middleware: true });
      await get(port, "/x");
      const page = await scrape(port);
      expect([valueOf(page, REQUESTS), valueOf(page, RESPONSES)]).toEqual([0, 0]);
      expect(valueOf(page, "turnpike_connections_total", { transport: "tcp" })).toBe(2);
    },
    TIME_MS,
  );

  test(
    "no route and no host replaces the gateway's own paths",
    async () => {
      const server = { workers: 1, allowed_hosts: ["b.test"] };
      const { port } = await serve(server, {
        routes: ["/metrics", "/.ready", "/.healthz", "/"].map((path_prefix) => ({ path_prefix, upstream: "origin" })),
      });
      for (const path of ["/metrics", "/.ready", "/.healthz"]) expect(statusOf(await get(port, path))).toBe(200);
      expect(statusOf(await get(port, "/metricsx"))).toBe(400);
      expect(origin.requests).toEqual([]);
    },
    TIME_MS,
  );

  test(
    "reloads are counted by result",
    async () => {
      const { program, port } = await serve({ workers: 1 });
      program.kill("SIGHUP");
      await program.sees(/reloaded /);
      folder.write("turnpike.json", "{");
      program.kill("SIGHUP");
      await program.sees(/Cannot reload/);
      const page = await scrape(port);
      const went = (result: string): number => valueOf(page, "turnpike_config_reloads_total", { result });
      expect([went("success"), went("failure")]).toEqual([1, 1]);
    },
    TIME_MS,
  );
});

describe("a TLS listener", () => {
  test(
    "counts handshakes by version, resumed sessions, failures, and the protocols of connections",
    async () => {
      const [cert, key] = [folder.write("cert.pem", LOCALHOST.cert), folder.write("key.pem", LOCALHOST.key)];
      const { port } = await serve({ workers: 1 }, { tls: { cert_path: cert, key_path: key } });
      const { session } = await over(port, { maxVersion: "TLSv1.2" }, "/x");
      await over(port, { maxVersion: "TLSv1.2", session }, "/x");
      await over(port, { minVersion: "TLSv1.3" }, "/x");
      const plain = await open(port);
      plain.send("GET / HTTP/1.1\r\nHost: a.test\r\n\r\n");
      await plain.closed();
      const http2 = connectHttp2(`https://127.0.0.1:${port}`, { rejectUnauthorized: false });
      const page = await new Promise<string>((resolve, reject) => {
        const request = http2.request({ ":path": "/metrics" });
        let body = "";
        request.setEncoding("utf8").on("data", (text: string) => {
          body += text;
        });
        request.once("end", () => resolve(body));
        request.once("error", reject);
      });
      http2.close();
      parseMetrics(page);
      const handshakes = (version: string, resumed: string): number =>
        valueOf(page, "turnpike_tls_handshakes_total", { version, resumed });
      expect([handshakes("TLSv1.2", "false"), handshakes("TLSv1.2", "true")]).toEqual([1, 1]);
      expect(handshakes("TLSv1.3", "false")).toBe(2);
      expect(valueOf(page, "turnpike_tls_handshake_failures_total")).toBe(1);
      expect(valueOf(page, "turnpike_connections_total", { transport: "tls" })).toBe(5);
      const speak = (protocol: string): number => valueOf(page, "turnpike_http_connections_total", { protocol });
      expect([speak("http1"), speak("http2")]).toEqual([3, 1]);
      expect(valueOf(page, REQUESTS, { protocol: "http2", method: "GET" })).toBe(1);
    },
    TIME_MS,
  );
});

describe("two workers", () => {
  test(
    "each worker responds for both, also for a killed one, whose requests in flight are cleared",
    async () => {
      const { program, port } = await serve({ workers: 2 });
      const held = await Promise.all(Array.from({ length: 12 }, () => open(port)));
      for (const client of held) {
        client.send("GET /x HTTP/1.1\r\nHost: a.test\r\n\r\n");
        await client.response();
      }
      const before = await scrape(port);
      expect(valueOf(before, REQUESTS)).toBe(13);
      expect(valueOf(before, "turnpike_connections_open", { transport: "tcp" })).toBe(13);
      const perWorker = parseMetrics(before).get("turnpike_worker_resident_memory_bytes")?.samples ?? [];
      expect(perWorker.map(({ labels }) => labels.worker)).toEqual(["1", "2"]);
      expect(Math.min(...perWorker.map(({ value }) => value))).toBeGreaterThan(10_000_000);
      for (const pid of descendants(program.pid, "/process/workers/worker.")) {
        const told = program.output.split("starting another").length;
        // A second apart, because workers that die at once would stop the server.
        await Bun.sleep(1100);
        process.kill(pid, "SIGKILL");
        await until("another", () => (program.output.split("starting another").length > told ? true : undefined));
      }
      // A worker serves before the supervisor knows it and counts it.
      const after = await until("two workers, both counted as restarted", async () => {
        const page = await get(port, "/metrics").catch(() => undefined);
        if (page === undefined) return undefined;
        const workers = parseMetrics(page.body).get("turnpike_worker_start_time_seconds")?.samples.length;
        return workers === 2 && valueOf(page.body, "turnpike_worker_restarts_total") === 2 ? page.body : undefined;
      });
      expect(valueOf(after, REQUESTS)).toBeGreaterThanOrEqual(13);
      expect(valueOf(after, "turnpike_http_requests_in_flight")).toBe(1);
      await until("the end of the connections that died with them", async () =>
        valueOf(await scrape(port), "turnpike_connections_open") === 1 ? true : undefined,
      );
    },
    TIME_MS,
  );

  test(
    "max_connections counts over both, exactly, and the connections of a killed worker are freed",
    async () => {
      const max = 6;
      const { program, port } = await serve({ workers: 2, max_connections: max });
      const all = await Promise.all(Array.from({ length: 20 }, () => open(port)));
      const statuses = await Promise.all(all.map(responded));
      expect(statuses.filter((status) => status === 200)).toHaveLength(max);
      expect(statuses.filter((status) => status === 503)).toHaveLength(20 - max);
      await Bun.sleep(1100);
      for (const pid of descendants(program.pid, "/process/workers/worker.")) process.kill(pid, "SIGKILL");
      await until("both workers again", () =>
        descendants(program.pid, "/process/workers/worker.").length === 2 ? true : undefined,
      );
      const again: RawClient[] = [];
      await until("all places again", async () => {
        const client = await RawClient.open(port).catch(() => undefined);
        if (client === undefined) return undefined;
        if ((await responded(client).catch(() => 0)) === 200) again.push(client);
        else client.destroy();
        return again.length === max ? true : undefined;
      });
      expect(await responded(await open(port))).toBe(503);
      for (const client of again) client.destroy();
    },
    TIME_MS,
  );
});

describe("probes", () => {
  test(
    "liveness and readiness are 200 without a body",
    async () => {
      const { port } = await serve({ workers: 1 });
      for (const path of ["/.healthz", "/.ready"]) {
        const response = await get(port, path);
        expect([statusOf(response), response.body, valuesOf(response, "content-length")]).toEqual([200, "", ["0"]]);
      }
    },
    TIME_MS,
  );

  test(
    "a gateway that is about to stop is alive and not ready",
    async () => {
      const { program, port } = await serve({ workers: 1 });
      const asked = await Promise.all(
        ["/.ready", "/.healthz"].map(async (path) => {
          const client = await open(port);
          client.send(`GET ${path} HTTP/1.1\r\nHost: a`);
          return client;
        }),
      );
      // When the gateway has responded to a later client, both have reached it.
      await get(port, "/.ready");
      program.kill("SIGTERM");
      await until("no more connections", async () => {
        const late = await RawClient.open(port).catch(() => undefined);
        late?.destroy();
        return late === undefined ? true : undefined;
      });
      for (const client of asked) client.send(".test\r\n\r\n");
      const responses = await Promise.all(asked.map((client) => client.response()));
      expect(responses.map((response) => [statusOf(response), response.body])).toEqual([
        [503, ""],
        [200, ""],
      ]);
      for (const client of asked) client.destroy();
      expect(await program.exit()).toBe(0);
    },
    TIME_MS,
  );
});
