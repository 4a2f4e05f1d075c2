/** Tests every fault of an upstream with clients of all protocols, and checks the effects. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ask, type ClientProtocol, type Outcome } from "./ask.ts";
import { type Counts, Rig } from "./rig.ts";

export const MAX_RESPONSE_BYTES = 50_000;

/** The expected result of a request: `sent` on new connections, `sentStale` if the first connection was used before. */
export interface Expected {
  readonly status: number;
  readonly whole: boolean;
  readonly sent: number;
  readonly sentStale: number;
  readonly failures: number;
}

export interface Outcomes {
  readonly get: Expected;
  readonly post: Expected;
}

export interface Fault extends Outcomes {
  readonly name: string;
  /** Timeout of its requests in milliseconds; all others have a long one, however busy the machine is. */
  readonly stalls?: number;
  /** The body that the client gets, if it is complete. */
  readonly body?: string;
}

/** Nothing arrived before the failure: there is one more try, and a stale connection costs no try. */
export function unheard(status: number): Outcomes {
  return {
    get: { status, whole: true, sent: 2, sentStale: 3, failures: 2 },
    post: { status, whole: true, sent: 1, sentStale: 1, failures: 1 },
  };
}

/** Like `unheard`, but the connection was not stale, because something arrived. */
export function heard(status: number): Outcomes {
  const { get, post } = unheard(status);
  return { get: { ...get, sentStale: 2 }, post };
}

/** The client has the head, so there is no other try. */
export function once(whole: boolean, status: number, failures: number): Outcomes {
  const expected = { status, whole, sent: 1, sentStale: 1, failures };
  return { get: expected, post: expected };
}

interface Kind {
  readonly protocol: ClientProtocol;
  readonly method: "GET" | "POST";
  readonly stale: boolean;
}

/** Each fault is tested with each of these, at its own upstream. */
const KINDS: readonly Kind[] = [
  { protocol: "HTTP/1.1", method: "GET", stale: false },
  { protocol: "HTTP/1.1", method: "GET", stale: true },
  { protocol: "HTTP/1.1", method: "POST", stale: false },
  { protocol: "HTTP/1.1", method: "POST", stale: true },
  { protocol: "HTTP/2", method: "GET", stale: true },
  { protocol: "HTTP/2", method: "POST", stale: true },
  { protocol: "HTTP/3", method: "GET", stale: false },
  { protocol: "HTTP/3", method: "POST", stale: true },
];

/** The origin of all upstreams: it echoes `METHOD path`, but at `/fN-M/fault` it causes fault N. */
export interface FaultyOrigin {
  readonly port: number;
  readonly faults: readonly string[];
  /** Requests with that method, path and body whose arrival began. */
  sent(method: string, path: string, body: string): number;
  stop(): Promise<void>;
}

const nameOf = (fault: number, kind: number): string => `f${fault}-${kind}`;

function timesOf(stalls: number | undefined): object {
  return stalls === undefined ? {} : { send_timeout_ms: stalls, read_timeout_ms: stalls };
}

/** The fault that `path` selects. */
export function faultOf<T>(faults: readonly T[], path: string): T | undefined {
  const index = /^\/f(\d+)-\d+\/fault$/.exec(path)?.[1];
  return index === undefined ? undefined : faults[Number(index)];
}

/** Declares the tests. `start` starts the origin, which speaks `protocol`. */
export function testFaults(
  faults: readonly Fault[],
  protocol: "http1" | "h2c",
  start: () => Promise<FaultyOrigin>,
): void {
  let origin: FaultyOrigin;
  let rig: Rig;

  beforeAll(async () => {
    origin = await start();
    const servers = [{ address: "127.0.0.1", port: origin.port, max_fails: 1000 }];
    const all = faults.flatMap(({ stalls }, fault) =>
      KINDS.map((_kind, kind) => ({ name: nameOf(fault, kind), times: timesOf(stalls) })),
    );
    rig = await Rig.start({
      quic: true,
      upstreams: all.map(({ name }) => ({ name, protocol, servers })),
      routes: all.map(({ name, times }) => ({
        path_prefix: `/${name}`,
        upstream: name,
        max_response_bytes: MAX_RESPONSE_BYTES,
        ...times,
      })),
    });
  });

  afterAll(async () => {
    expect(rig.logged).toEqual([]);
    expect(origin.faults).toEqual([]);
    await rig.stop();
    await origin.stop();
  });

  for (const [fault, each] of faults.entries()) {
    describe(`an upstream that ${each.name}`, () => {
      for (const [kind, { protocol: client, method, stale }] of KINDS.entries()) {
        test(`${method} by ${client} on ${stale ? "a connection that was used" : "new connections"}`, async () => {
          const upstream = nameOf(fault, kind);
          await meet(rig, origin, { fault: each, upstream, kind: { protocol: client, method, stale } });
        });
      }
    });
  }
}

interface Meeting {
  readonly fault: Fault;
  readonly upstream: string;
  readonly kind: Kind;
}

async function meet(rig: Rig, origin: FaultyOrigin, { fault, upstream, kind }: Meeting): Promise<void> {
  const { method, stale } = kind;
  const expected = method === "GET" ? fault.get : fault.post;
  const body = method === "GET" ? "" : "sent";
  const path = `/${upstream}/fault`;
  if (stale) expect(await ask(rig, "HTTP/1.1", { path: `/${upstream}/before` })).toMatchObject({ status: 200 });
  const before = await rig.counts(upstream);
  const outcome = await ask(rig, kind.protocol, { method, path, ...(body === "" ? {} : { body }) });
  expectOutcome(outcome, expected, fault.body);
  await rig.settled();
  const after = await rig.counts(upstream);
  expect({ sent: origin.sent(method, path, body), failures: after.failures - before.failures }).toEqual({
    sent: stale ? expected.sentStale : expected.sent,
    failures: expected.failures,
  });
  await expectRecovery(rig, upstream, after);
}

function expectOutcome(outcome: Outcome, expected: Expected, body: string | undefined): void {
  // A reset stream can lose data that was sent before: over HTTP/3 even the head.
  const isLost = !expected.whole && outcome.status === 0;
  expect([isLost ? expected.status : outcome.status, outcome.whole]).toEqual([expected.status, expected.whole]);
  if (body !== undefined && outcome.whole) expect(outcome.body).toBe(body);
}

/** The next request succeeds, and only its connection stays. */
async function expectRecovery(rig: Rig, upstream: string, before: Counts): Promise<void> {
  const path = `/${upstream}/after`;
  expect(await ask(rig, "HTTP/1.1", { path })).toMatchObject({ status: 200, body: `GET ${path}`, whole: true });
  await rig.settled();
  await rig.opened(upstream, 1);
  expect(await rig.counts(upstream)).toMatchObject({ open: 1, waiting: 0, failures: before.failures });
}
