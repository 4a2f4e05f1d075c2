/** Timeouts over real sockets: never early, soon after they are due, and only for slow clients. */
import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { everythingTo, type Gateway, startGateway } from "../support/gateway.ts";
import { statusOf } from "../support/message.ts";
import { once, RawClient } from "../support/raw-client.ts";
import { RawOrigin } from "../support/raw-origin.ts";
import { patient } from "../../src/lib/testing/patience.ts";

setDefaultTimeout(patient(40_000));

const TIMEOUTS = { idle_ms: 1500, header_ms: 700, body_ms: 900, write_ms: 1100 };
/**
 * A machine that is busy with other tests is late. The wheel itself is at most 20 ms late, which its own test shows.
 */
const LATE_MS = patient(3000);
const ATTACKERS = 40;
const BIG = 64 * 1024 * 1024;
const GET = "GET /x HTTP/1.1\r\nHost: a.test\r\n\r\n";

let origin: RawOrigin;
let gateway: Gateway;
let clients: RawClient[] = [];

beforeAll(async () => {
  origin = await RawOrigin.start();
  const { upstreams, routes } = everythingTo(origin.port);
  gateway = await startGateway({
    timeouts: TIMEOUTS,
    access_log: { enabled: false },
    upstreams,
    routes: routes.map((route) => ({ ...route, max_response_bytes: BIG * 2 })),
  });
});

afterAll(async () => {
  await gateway.stop();
  await origin.stop();
});

afterEach(() => {
  for (const client of clients) client.destroy();
  clients = [];
  origin.reset();
});

/**
 * A client that is slow in some way; `ended` resolves with the milliseconds from its beginning until the server closed
 * the connection.
 */
interface Slow {
  readonly due: number;
  readonly start: () => Promise<{ ended: Promise<number> }>;
}

async function open(): Promise<RawClient> {
  const client = await RawClient.open(gateway.port);
  clients.push(client);
  return client;
}

/** Sends `bytes`, then with `drip` a byte every 100 ms, until the server ends the connection. */
async function sendSlowly(bytes: string, drip = ""): Promise<{ ended: Promise<number> }> {
  // Before the connection is open, because its first timeout begins then.
  const began = performance.now();
  const client = await open();
  if (bytes !== "") client.send(bytes);
  const dripping = drip === "" ? undefined : setInterval(() => client.send(drip), 100);
  const ended = client.closed(LATE_MS * 2).then(() => performance.now() - began);
  return { ended: ended.finally(() => clearInterval(dripping)) };
}

/** Requests more than all buffers between client and origin hold, and reads nothing of it. */
async function readNothing(): Promise<{ ended: Promise<number> }> {
  const client = await open();
  const began = performance.now();
  client.socket.pause();
  const path = `/big-${clients.length}`;
  client.send(`GET ${path} HTTP/1.1\r\nHost: a.test\r\n\r\n`);
  const { promise, resolve } = Promise.withResolvers<number>();
  endings.set(path, () => resolve(performance.now() - began));
  return { ended: promise };
}

/** By path: called when the gateway abandons a request. */
const endings = new Map<string, () => void>();

function respondBig(): void {
  const { response } = origin;
  origin.response = (request, connection) => {
    const path = request.startLine.split(" ")[1] ?? "";
    if (!path.startsWith("/big")) {
      response(request, connection);
      return;
    }
    const { socket } = connection;
    const chunk = Buffer.alloc(1 << 16, "x");
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${BIG}\r\n\r\n`);
    const fill = (): void => {
      while (!socket.destroyed && socket.write(chunk));
    };
    socket.on("drain", fill);
    socket.on("close", () => endings.get(path)?.());
    fill();
  };
}

const SLOW: Readonly<Record<string, Slow>> = {
  "says nothing": { due: TIMEOUTS.idle_ms, start: () => sendSlowly("") },
  "stops in a head": { due: TIMEOUTS.header_ms, start: () => sendSlowly("GET /x HTTP/1.1\r\nHost: a") },
  "drips a head": { due: TIMEOUTS.header_ms, start: () => sendSlowly("GET /x HTTP/1.1\r\nHost: a\r\nX: ", "y") },
  "stops in a body": {
    due: TIMEOUTS.body_ms,
    start: () => sendSlowly("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 99\r\n\r\nhello"),
  },
  "drips a body": {
    due: TIMEOUTS.body_ms,
    start: () => sendSlowly("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 99\r\n\r\nhello", "y"),
  },
  "drips chunks": {
    due: TIMEOUTS.body_ms,
    start: () => sendSlowly("POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\ny\r\n"),
  },
  "reads nothing": { due: TIMEOUTS.write_ms, start: readNothing },
};

describe("a client that", () => {
  for (const [name, { due, start }] of Object.entries(SLOW)) {
    test(`${name} is cut off when its timeout expires, and not before`, async () => {
      respondBig();
      const { ended } = await start();
      const elapsed = await ended;
      expect(elapsed).toBeGreaterThanOrEqual(due);
      expect(elapsed).toBeLessThan(due + LATE_MS);
    });
  }

  test("has been idle after a response is cut off like a client that never sent a byte", async () => {
    const client = await open();
    client.send(GET);
    await client.response();
    const began = performance.now();
    await client.closed(LATE_MS * 2);
    // It became idle when the response was sent, which was before the response arrived.
    expect(performance.now() - began).toBeGreaterThanOrEqual(TIMEOUTS.idle_ms - 100);
  });
});

test("a gateway that was suspended for longer than its timeouts serves what arrived meanwhile", async () => {
  const [head, body] = await Promise.all([open(), open()]);
  head.send("GET /head HTTP/1.1\r\nHost: a.test\r\n");
  body.send("POST /body HTTP/1.1\r\nHost: a.test\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n");
  await body.sees("100 Continue");
  process.kill(gateway.pid, "SIGSTOP");
  head.send("\r\n");
  body.send("abcd");
  await Bun.sleep(Math.max(TIMEOUTS.header_ms, TIMEOUTS.body_ms) + 300);
  process.kill(gateway.pid, "SIGCONT");
  expect([statusOf(await head.finalResponse()), statusOf(await body.finalResponse("POST"))]).toEqual([200, 200]);
});

describe(`while ${ATTACKERS} clients`, () => {
  for (const name of ["drips a head", "drips a body", "reads nothing"]) {
    test(`each ${name}, others are served, and all of them are cut off on time`, async () => {
      respondBig();
      const { due, start } = SLOW[name] ?? { due: 0, start: readNothing };
      const attacks = await Promise.all(Array.from({ length: ATTACKERS }, start));
      const state = { under: true, served: 0, slowest: 0 };
      const good = (async () => {
        while (state.under) {
          const began = performance.now();
          expect(statusOf(await once(gateway.port, GET))).toBe(200);
          state.served++;
          state.slowest = Math.max(state.slowest, performance.now() - began);
          await Bun.sleep(5);
        }
      })();
      const times = await Promise.all(attacks.map(({ ended }) => ended));
      state.under = false;
      await good;
      expect(Math.min(...times)).toBeGreaterThanOrEqual(due);
      expect(Math.max(...times)).toBeLessThan(due + LATE_MS);
      expect(state.served).toBeGreaterThan(0);
      expect(state.slowest).toBeLessThan(LATE_MS);
    });
  }
});
