/** Settings of routes: which responses are retried and when, the timeout of each try, and the fields for upstreams. */
import { afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { RawClient } from "../support/raw-client.ts";
import { echo, RawOrigin } from "../support/raw-origin.ts";
import { ask } from "./testing/ask.ts";
import { Rig } from "./testing/rig.ts";
import { patient } from "../../src/lib/testing/patience.ts";

setDefaultTimeout(patient(30_000));

const origins: RawOrigin[] = [];
let rig: Rig | undefined;

afterEach(async () => {
  await rig?.settled();
  expect(rig?.logged).toEqual([]);
  await rig?.stop();
  rig = undefined;
  await Promise.all(origins.splice(0).map((origin) => origin.stop()));
});

/** An origin that sends this number of responses with `status`, and then echoes. */
async function originThat(status: number, times: number): Promise<RawOrigin> {
  const origin = await RawOrigin.start();
  let responded = 0;
  origin.response = (request, connection) => {
    if (responded++ >= times) echo(request, connection);
    else connection.send(`HTTP/1.1 ${status} No\r\nContent-Length: 0\r\n\r\n`);
  };
  origins.push(origin);
  return origin;
}

async function serve(some: readonly RawOrigin[], route: object): Promise<Rig> {
  const servers = some.map(({ port }) => ({ address: "127.0.0.1", port, max_fails: 100 }));
  rig = await Rig.start({
    upstreams: [{ name: "origin", servers }],
    routes: [{ path_prefix: "/", upstream: "origin", ...route }],
  });
  return rig;
}

test.each([
  [undefined, 429, 429, 1],
  [[429], 429, 200, 2],
  [[429], 503, 503, 1],
  [[], 503, 503, 1],
] as const)(
  "with statuses %j a response of %d ends as %d after %d requests",
  async (statuses, status, told, requests) => {
    const origin = await originThat(status, 1);
    const gateway = await serve([origin], { retry: { max_retries: 3, ...(statuses && { statuses }) } });
    expect(await ask(gateway, "HTTP/1.1", { path: "/x" })).toMatchObject({ status: told });
    expect(origin.requests).toHaveLength(requests);
  },
);

test("methods other than GET, HEAD and OPTIONS are not retried, for any status", async () => {
  const origin = await originThat(429, 1);
  const gateway = await serve([origin], { retry: { max_retries: 3, statuses: [429] } });
  expect(await ask(gateway, "HTTP/1.1", { path: "/x", method: "POST" })).toMatchObject({ status: 429 });
  expect(origin.requests).toHaveLength(1);
});

test("a retry waits for the route's pause", async () => {
  const origin = await originThat(503, 2);
  const gateway = await serve([origin], { retry: { max_retries: 2, backoff_ms: 200 } });
  const began = performance.now();
  expect(await ask(gateway, "HTTP/1.1", { path: "/x" })).toMatchObject({ status: 200 });
  // At least half of 200 and half of 400.
  expect(performance.now() - began).toBeGreaterThanOrEqual(299);
  expect(origin.requests).toHaveLength(3);
});

test("there is no retry if its pause exceeds the remaining time, and the client gets the last response", async () => {
  const origin = await originThat(503, 1);
  const retry = { max_retries: 2, backoff_ms: 60_000, max_backoff_ms: 60_000 };
  const gateway = await serve([origin], { retry, total_timeout_ms: 5000 });
  expect(await ask(gateway, "HTTP/1.1", { path: "/x" })).toMatchObject({ status: 503 });
  expect(origin.requests).toHaveLength(1);
});

test("a client that disconnects in the pause gets no further attempts", async () => {
  const origin = await originThat(503, 1);
  const gateway = await serve([origin], { retry: { max_retries: 2, backoff_ms: 600 } });
  const client = await RawClient.open(gateway.port);
  client.send("GET /x HTTP/1.1\r\nHost: a.test\r\n\r\n");
  await origin.until("the first request", () => (origin.requests.length === 1 ? true : undefined));
  client.destroy();
  await gateway.settled();
  expect(await ask(gateway, "HTTP/1.1", { path: "/later" })).toMatchObject({ status: 200 });
  await Bun.sleep(700);
  expect(origin.summaries).toEqual(["GET /x", "GET /later"]);
});

test("an attempt that exceeds its own timeout is followed by another one, long before the route's other timeouts", async () => {
  const [silent, quick] = [await originThat(503, 0), await originThat(503, 0)];
  silent.response = () => {};
  const gateway = await serve([silent, quick], { retry: { max_retries: 1, try_timeout_ms: 300 } });
  for (let i = 0; i < 4; i++) {
    expect(await ask(gateway, "HTTP/1.1", { path: `/${i}` })).toMatchObject({ status: 200 });
  }
  expect(silent.requests.length).toBeGreaterThan(0);
});

test("the timeout of a try ends with the header section of its response: the body may take longer", async () => {
  const origin = await originThat(503, 0);
  origin.response = (_, connection) => {
    connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfirst");
    setTimeout(() => connection.send("later"), 600);
  };
  const gateway = await serve([origin], { retry: { max_retries: 0, try_timeout_ms: 300 } });
  expect(await ask(gateway, "HTTP/1.1", { path: "/x" })).toMatchObject({ status: 200, body: "firstlater" });
});

test.each([true, false])(
  "with forward_client_address: %p the upstream gets the client's address accordingly",
  async (tells) => {
    const origin = await originThat(503, 0);
    const gateway = await serve([origin], { forward_client_address: tells });
    const client = await RawClient.open(gateway.port);
    const forged = "X-Forwarded-For: 192.0.2.1\r\nX-Real-IP: 192.0.2.1\r\n";
    client.send(`GET /x HTTP/1.1\r\nHost: a.test\r\n${forged}\r\n`);
    await client.response();
    client.destroy();
    expect([/^X-Forwarded-For:/im.test(origin.bytes), /^X-Real-IP:/im.test(origin.bytes)]).toEqual([tells, tells]);
    expect(origin.bytes).toContain("X-Forwarded-Proto: http\r\n");
    expect(origin.bytes).toContain("X-Forwarded-Host: a.test\r\n");
    if (!tells) expect(origin.bytes).not.toMatch(/192\.0\.2\.1|127\.0\.0\.1/);
  },
);
