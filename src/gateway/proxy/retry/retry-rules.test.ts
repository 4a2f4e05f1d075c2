/** The rules for another try of a request, and for their number, without servers. */
import { describe, expect, test } from "bun:test";
import { type RequestHead } from "../../exchange/exchange.ts";
import { type UpstreamServer } from "../../upstream/server.ts";
import { type Upstream } from "../../upstream/upstream.ts";
import { TestClient } from "../testing/test-client.ts";
import { type RetrySettings, Retries } from "./retries.ts";

const SETTINGS: RetrySettings = {
  maxRetries: 2,
  connectAnyMethod: false,
  anyMethod: false,
  statuses: new Set([503]),
  tryTimeoutMs: Number.POSITIVE_INFINITY,
  backoffMs: 0,
  maxBackoffMs: 1000,
  random: () => 0,
};

/** A server that records its calls. */
class Server {
  readonly events: string[] = [];
  readonly metrics = { carried: (sent: number, received: number) => this.events.push(`${sent}/${received}`) };
  inRotation = true;
  began(isRetry: boolean): void {
    this.events.push(isRetry ? "again" : "first");
  }
  ended(): void {
    this.events.push("ended");
  }
}

interface Pick {
  readonly last: unknown;
  readonly tried: unknown;
}

function open(head: Partial<RequestHead> = {}, change: Partial<RetrySettings> = {}) {
  const servers = [new Server(), new Server()] as const;
  const picks: Pick[] = [];
  const upstream = {
    servers,
    pick: (_client: string, last: unknown, tried: unknown) => {
      picks.push({ last, tried });
      return undefined;
    },
  };
  // No other members are used.
  const retries = new Retries(new TestClient(head).exchange, upstream as unknown as Upstream, {
    ...SETTINGS,
    ...change,
  });
  const begin = (server: Server): void => retries.begin(server as unknown as UpstreamServer);
  return { retries, servers, picks, begin };
}

describe("another try", () => {
  test.each<[Partial<RequestHead>, Partial<RetrySettings>, boolean, boolean]>([
    [{ method: "GET" }, {}, false, true],
    [{ method: "HEAD" }, {}, false, true],
    [{ method: "OPTIONS" }, {}, false, true],
    [{ method: "POST" }, {}, false, false],
    [{ method: "POST" }, {}, true, false],
    [{ method: "POST" }, { connectAnyMethod: true }, true, true],
    [{ method: "POST" }, { connectAnyMethod: true }, false, false],
    [{ method: "POST" }, { anyMethod: true }, false, true],
    [{ method: "POST", isGrpc: true }, { anyMethod: true }, false, false],
    [{ method: "POST", upgrade: "websocket" }, { anyMethod: true }, false, false],
  ])("of %j with %j, unsent: %p, may follow: %p", (head, change, isUnsent, expected) => {
    const { retries, servers, begin } = open(head, change);
    begin(servers[0]);
    expect(retries.msBeforeRetry(10, isUnsent)).toBe(expected ? 0 : -1);
  });

  test("follows at most twice, after longer and longer pauses, if there is time for them", () => {
    const { retries, servers, begin } = open({}, { backoffMs: 100 });
    begin(servers[0]);
    expect([retries.msBeforeRetry(1000, false), retries.msBeforeRetry(100, false)]).toEqual([100, -1]);
    expect(retries.msBeforeRetry(101, false)).toBe(100);
    begin(servers[1]);
    expect(retries.msBeforeRetry(1000, false)).toBe(200);
    begin(servers[0]);
    expect(retries.msBeforeRetry(1000, false)).toBe(-1);
  });

  test("follows a status that the route names", () => {
    expect([open().retries.retriesStatus(503), open().retries.retriesStatus(502)]).toEqual([true, false]);
  });

  test("goes to servers that were not tried, and both servers count it", () => {
    const { retries, servers, picks, begin } = open();
    const [one, two] = servers;
    retries.next();
    begin(one);
    retries.next();
    begin(two);
    retries.next();
    expect(picks).toEqual([
      { last: undefined, tried: undefined },
      { last: one, tried: undefined },
      { last: two, tried: [one] },
    ]);
    retries.leave(5, 7);
    retries.leave(5, 7);
    expect([one.events, two.events]).toEqual([
      ["first", "0/0", "ended"],
      ["again", "5/7", "ended"],
    ]);
  });

  test("is possible while a server is in rotation", () => {
    const { retries, servers } = open();
    servers[0].inRotation = false;
    expect(retries.isPossible).toBe(true);
    servers[1].inRotation = false;
    expect(retries.isPossible).toBe(false);
  });
});

describe("a replay", () => {
  test.each([
    ["GET", false, true, true],
    ["POST", false, true, false],
    ["POST", true, false, true],
    ["GET", false, false, false],
  ])("of a %s, unprocessed: %p, stale: %p, may follow: %p", (method, isUnprocessed, isStale, expected) => {
    expect(open({ method }).retries.mayReplay(isUnprocessed, isStale)).toBe(expected);
  });

  test("follows at most twice, and then any method may be tried again if it was not sent", () => {
    const { retries, servers, begin } = open({ method: "POST" });
    begin(servers[0]);
    expect(retries.msBeforeRetry(10, true)).toBe(-1);
    expect([retries.mayReplay(true, false), retries.mayReplay(true, false), retries.mayReplay(true, false)]).toEqual([
      true,
      true,
      false,
    ]);
    expect([retries.msBeforeRetry(10, true), retries.msBeforeRetry(10, false)]).toEqual([0, -1]);
  });
});

test.each<[Partial<RequestHead>, Partial<RetrySettings>, boolean]>([
  [{ method: "POST" }, { anyMethod: true }, true],
  [{ method: "POST" }, {}, false],
  [{ method: "POST" }, { anyMethod: true, maxRetries: 0 }, false],
  [{ method: "POST", isGrpc: true }, { anyMethod: true }, false],
])("the body of %j with %j is kept: %p", (head, change, expected) => {
  expect(open(head, change).retries.newKept() !== undefined).toBe(expected);
});
