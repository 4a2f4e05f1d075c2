/** Clients watch a job through the gateway by the shipped route: each event reaches them before the next one is made. */
import { connect as connectHttp2 } from "node:http2";
import { request as askHttp1 } from "node:https";
import { afterAll, afterEach, beforeAll, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import shipped from "../../config/turnpike.json";
import { unknownPrices } from "../../src/content/api/price-list.ts";
import { createApp } from "../../src/content/app.ts";
import { type AddedJob } from "../../src/content/jobs/jobs.ts";
import { localService, pageAt } from "../../src/content/jobs/testing/local-jobs.ts";
import { serve } from "../../src/content/listen.ts";
import { FOLLOW_MS } from "../../src/content/operations/job-watchers.ts";
import { type Services } from "../../src/content/operations/operation.ts";
import { freePort } from "../../src/lib/testing/listen.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { until } from "../../src/lib/testing/until.ts";
import { openSqliteJobs } from "../../src/store/open/open-jobs.ts";
import { LOCALHOST, TEST_CA } from "../support/certificates.ts";
import { type Gateway, serverAt, startGateway } from "../support/gateway.ts";
import { Http3Client } from "../support/http3-client.ts";
import { Folder } from "../support/program.ts";
import { CLOSE, closing, framesIn, TEXT } from "../websocket/testing/frames.ts";
import { type ClientKind, openTunnel } from "../websocket/testing/tunnel-client.ts";

setDefaultTimeout(patient(30_000));

const folder = new Folder();
const routes = shipped.routes.filter(({ path_prefix: prefix }) => prefix === "/crawl/");
/** Resolves when the second page of a job may be loaded. */
let second: PromiseWithResolvers<void>;
let service: ReturnType<typeof localService>;
let server: Awaited<ReturnType<typeof serve>>;
let gateway: Gateway;

beforeAll(async () => {
  service = localService(openSqliteJobs(folder.file("jobs.sqlite"), Date.now), async (url) => {
    if (url.pathname === "/2") await second.promise;
    return pageAt(url, { content: `The page ${url.pathname}` });
  });
  // These requests use the jobs alone.
  const app = createApp({ jobs: service.jobs } as unknown as Services, { prices: unknownPrices });
  server = await serve({ hostname: "127.0.0.1", port: 0 }, app, undefined);
  gateway = await startGateway({
    server: { listeners: [{ address: "127.0.0.1", port: await freePort(), use_tls: true, quic_enabled: true }] },
    tls: { cert_path: folder.write("cert.pem", LOCALHOST.cert), key_path: folder.write("key.pem", LOCALHOST.key) },
    access_log: { enabled: false },
    upstreams: [{ name: "content", servers: [serverAt(server.port ?? 0)] }],
    routes,
  });
});
beforeEach(() => {
  second = Promise.withResolvers();
});
// The job of a failed test ends too.
afterEach(() => second.resolve());
afterAll(async () => {
  await gateway.stop();
  await server.stop(true);
  await service.close();
  folder.remove();
});

/** A job that is watched. */
interface Watcher {
  /** The numbers of the events so far. */
  numbers(): number[];
  /** Whether it was ended as the end of a job is. */
  isEnded(): boolean;
  close(): void;
}

const pathOf = ({ id }: AddedJob) => `/crawl/${id}/events`;
const fieldsOf = ({ secret }: AddedJob) => ({ accept: "text/event-stream", "x-job-secret": secret });

/** A watcher of server-sent events, as their text comes. */
function streamed(chunks: readonly Uint8Array[], isEnded: () => boolean, close: () => void): Watcher {
  const numbers = () =>
    [
      ...Buffer.concat(chunks)
        .toString()
        .matchAll(/^id: (\d+)$/gm),
    ].map(([, id]) => Number(id));
  return { numbers, isEnded, close };
}

function overHttp1(job: AddedJob): Promise<Watcher> {
  return new Promise((resolve, reject) => {
    const at = { host: "127.0.0.1", port: gateway.port, servername: "localhost", ca: TEST_CA.cert, agent: false };
    const request = askHttp1({ ...at, path: pathOf(job), headers: fieldsOf(job) }, (response) => {
      const chunks: Uint8Array[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      resolve(
        streamed(
          chunks,
          () => response.complete,
          () => request.destroy(),
        ),
      );
    });
    request.on("error", reject);
    request.end();
  });
}

function overHttp2(job: AddedJob): Promise<Watcher> {
  return new Promise((resolve, reject) => {
    const session = connectHttp2(`https://localhost:${gateway.port}`, { ca: TEST_CA.cert });
    session.on("error", reject);
    const stream = session.request({ ":path": pathOf(job), ...fieldsOf(job) });
    const chunks: Uint8Array[] = [];
    let isEnded = false;
    stream.on("error", reject);
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    stream.on("end", () => (isEnded = true));
    stream.on("response", () =>
      resolve(
        streamed(
          chunks,
          () => isEnded,
          () => session.destroy(),
        ),
      ),
    );
  });
}

async function overHttp3(job: AddedJob): Promise<Watcher> {
  const client = await Http3Client.connect(gateway.port);
  const { response, chunks } = await client.open("GET", pathOf(job), fieldsOf(job));
  let isEnded = false;
  response.then(
    () => (isEnded = true),
    () => undefined,
  );
  return streamed(
    chunks,
    () => isEnded,
    () => client.close(),
  );
}

/** A WebSocket, whose subprotocols name the secret. */
async function bySocket(kind: ClientKind, job: AddedJob): Promise<Watcher> {
  const fields = { "Sec-WebSocket-Protocol": `turnpike.job, turnpike.secret.${job.secret}` };
  const opened = await openTunnel(kind, { port: 0, tlsPort: gateway.port }, { path: pathOf(job), fields });
  expect(opened.fields["sec-websocket-protocol"]).toBe("turnpike.job");
  const frames = () => framesIn(opened.end.received);
  return {
    numbers: () =>
      frames().flatMap(({ opcode, payload }) =>
        opcode === TEXT ? (JSON.parse(payload.toString()) as { number: number }).number : [],
      ),
    isEnded: () => frames().some(({ opcode, payload }) => opcode === CLOSE && payload.equals(closing(1000, "end"))),
    close: () => opened.destroy(),
  };
}

const WATCHERS: readonly (readonly [name: string, open: (job: AddedJob) => Promise<Watcher>])[] = [
  ["server-sent events over HTTP/1.1", overHttp1],
  ["server-sent events over HTTP/2", overHttp2],
  ["server-sent events over HTTP/3", overHttp3],
  ["a WebSocket over HTTP/1.1", (job) => bySocket("HTTP/1.1 over TLS", job)],
  ["a WebSocket over HTTP/2", (job) => bySocket("HTTP/2 over TLS", job)],
];

test.each(WATCHERS)("%s have each event of a job, and its end", async (_, open) => {
  const job = await service.add({ given: true, urls: ["http://a.test/1", "http://a.test/2"], limit: 2 });
  const watcher = await open(job);
  await until(() => watcher.numbers().length === 2);
  expect([watcher.numbers(), watcher.isEnded()]).toEqual([[0, 1], false]);
  second.resolve();
  await until(() => watcher.isEnded());
  expect(watcher.numbers()).toEqual([0, 1, 2, 3]);
  watcher.close();
});

test("the shipped route waits longer than a stream follows its job", () => {
  expect(routes).toHaveLength(1);
  for (const { total_timeout_ms: total = 0, read_timeout_ms: read = 0 } of routes)
    expect(Math.min(total, read)).toBeGreaterThan(FOLLOW_MS);
});
