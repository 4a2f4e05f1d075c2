import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { listenOnLoopback } from "../../lib/testing/listen.ts";
import { watchTimers } from "../../lib/testing/timers.ts";
import { until } from "../../lib/testing/until.ts";
import { startCallerProxy } from "../testing/caller-proxy.ts";
import { proxyPortOf } from "../testing/proxy-of.ts";
import { startForwardProxy } from "./forward-proxy.ts";
import { ANYWHERE, EgressSession } from "./guard.ts";
import { EGRESS_LIMITS } from "./limits.ts";
import { type OwnProxy } from "./own-proxy.ts";
import { MAX_HEAD_BYTES } from "./read-head.ts";

/** The limits as they are documented: a test states them, so that no change of one goes unnoticed. */
const HEAD_TIMEOUT_MS = 10_000;

/** A server that responds to each connection's first bytes with this function. */
let respondWith: (socket: Socket) => void = () => undefined;
const accepted: Socket[] = [];
/** The last bytes that the server received, on any connection. */
let received = "";
let server: Server;
let port = 0;

beforeAll(async () => {
  server = createServer((socket) => {
    accepted.push(socket);
    socket.on("error", () => undefined);
    socket.once("data", () => respondWith(socket));
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1");
    });
  });
  port = await listenOnLoopback(server);
});

afterAll(() => {
  for (const socket of accepted) socket.destroy();
  server.close();
});

function dial(toPort: number): Socket {
  return connect({ host: "127.0.0.1", port: toPort }).on("error", () => undefined);
}

/** The first bytes of the response to CONNECT; "" if the proxy closes instead. */
async function connected(socket: Socket): Promise<string> {
  socket.write(`CONNECT 127.0.0.1:${port} HTTP/1.1\r\n\r\n`);
  const [chunk] = await Promise.race([once(socket, "data"), once(socket, "close").then(() => [""])]);
  return String(chunk);
}

async function openProxy(session: EgressSession, text: string): Promise<Socket> {
  const socket = dial(await proxyPortOf(session));
  socket.write(text);
  return socket;
}

/** All bytes that come until the proxy closes the connection. */
async function exchange(text: string): Promise<string> {
  const session = new EgressSession({ policy: ANYWHERE });
  const socket = await openProxy(session, text);
  let response = "";
  socket.on("data", (chunk) => {
    response += chunk.toString("latin1");
  });
  await once(socket, "close");
  session.close();
  return response;
}

const get = () => exchange(`GET http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: h\r\n\r\n`);

test.each([
  "HTTP/1.1 200 OK\r\nX: y\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nhi",
  "HTTP/1.1 200 OK\r\nX: y\rConnection: keep-alive\r\nContent-Length: 2\r\n\r\nhi",
  "HTTP/1.1 200 OK\r\nConnection : keep-alive\r\nContent-Length: 2\r\n\r\nhi",
  "HTTP/1.1 200 OK\r\nConnection\t: keep-alive\r\nContent-Length: 2\r\n\r\nhi",
  "HTTP/1.1 200 OK\nConnection: keep-alive\nContent-Length: 2\n\nhi",
])("no server can make the browser keep its connection: %j", async (head) => {
  respondWith = (socket) => socket.end(head);
  const response = await get();
  expect(response).toEndWith("\r\n\r\nhi");
  expect(response).toContain("\r\nConnection: close\r\n");
  expect(response).not.toContain("keep-alive");
});

test("the browser learns at once that a response was cut off", async () => {
  respondWith = (socket) => {
    socket.write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhalf", () => socket.resetAndDestroy());
  };
  expect(await get()).toStartWith("HTTP/1.1 200 OK\r\n");
});

test("interim responses are for the proxy, the response after them is for the browser", async () => {
  respondWith = (socket) => {
    socket.end(
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nX: y\r\n\r\nhi",
    );
  };
  expect(await get()).toBe("HTTP/1.1 200 OK\r\nX: y\r\nConnection: close\r\n\r\nhi");
});

test.each(["ICY 200 OK\r\n\r\n", "y".repeat(MAX_HEAD_BYTES * 2), "HTTP/1.1 200 OK\r\n"])(
  "a server that sends something other than HTTP has its connection closed without a response",
  async (response) => {
    respondWith = (socket) => socket.end(response);
    expect(await get()).toBe("");
  },
);

test("a request's body goes to the server, whenever it comes", async () => {
  respondWith = () => undefined;
  received = "";
  const session = new EgressSession({ policy: ANYWHERE });
  const socket = await openProxy(session, `POST http://127.0.0.1:${port}/ HTTP/1.1\r\nContent-Length: 8\r\n\r\nbegin`);
  await until(() => received.endsWith("\r\n\r\nbegin"));
  socket.write("end");
  await until(() => received.endsWith("\r\n\r\nbeginend"));
  session.close();
});

test("a tunnel passes bytes both ways from the first on, and ends with the server", async () => {
  respondWith = (socket) => {
    socket.write("first");
    socket.once("data", (chunk) => socket.end(`second ${chunk.toString("latin1")}`));
  };
  const session = new EgressSession({ policy: ANYWHERE });
  const socket = await openProxy(session, `CONNECT 127.0.0.1:${port} HTTP/1.1\r\n\r\nhello`);
  let response = "";
  socket.on("data", (chunk) => {
    response += chunk.toString("latin1");
  });
  await until(() => response.endsWith("first"));
  socket.write("more");
  await once(socket, "close");
  expect(response).toBe("HTTP/1.1 200 Connection Established\r\n\r\nfirstsecond more");
  session.close();
});

test("when a browser disconnects or the visit ends, the connection to the server ends too", async () => {
  respondWith = () => undefined;
  for (const end of ["browser", "visit"] as const) {
    const session = new EgressSession({ policy: ANYWHERE });
    const socket = dial(await proxyPortOf(session));
    expect(await connected(socket)).toContain(" 200 ");
    const upstream = accepted.at(-1);
    if (end === "browser") socket.resetAndDestroy();
    else session.close();
    if (upstream?.closed === false) await once(upstream.resume(), "close");
    session.close();
  }
});

/** Nothing listens on 127.0.0.3 and 127.0.0.4. */
async function resolveSome(host: string): Promise<string[]> {
  return host === "down.test" ? ["127.0.0.3"] : ["127.0.0.3", "127.0.0.1", "127.0.0.4"];
}

test("the first address that accepts is used, and failures are reported", async () => {
  respondWith = (socket) => socket.end("HTTP/1.1 200 OK\r\n\r\nhi");
  const session = new EgressSession({ policy: ANYWHERE, resolve: resolveSome });
  const up = await openProxy(session, `GET http://up.test:${port}/ HTTP/1.1\r\n\r\n`);
  const [chunk] = await once(up, "data");
  expect(String(chunk)).toStartWith("HTTP/1.1 200 OK\r\n");
  expect(session.lastFailure).toBeUndefined();
  const down = await openProxy(session, `GET http://down.test:${port}/ HTTP/1.1\r\n\r\n`);
  await once(down, "close");
  expect(session.failureOf("down.test", port)).toBe("unreachable");
  session.close();
});

test.each(["http", "socks5"] as const)(
  "a visit reaches its servers through its own proxy by %s, and only so",
  async (protocol) => {
    respondWith = (socket) => socket.end("HTTP/1.1 200 OK\r\n\r\nhi");
    const proxy = await startCallerProxy(protocol, "u:p");
    const ask = async (change: Partial<OwnProxy> = {}) => {
      const user = { name: "u", password: "p" };
      const own = { protocol, host: "127.0.0.1", port: proxy.port, user, isTrusted: true, ...change };
      const policy = { ...ANYWHERE, allowsPort: (to: number) => to === port };
      const session = new EgressSession({ policy, proxy: own });
      const browser = await openProxy(session, `GET http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: h\r\n\r\n`);
      let response = "";
      browser.on("data", (chunk) => {
        response += chunk.toString("latin1");
      });
      await once(browser, "close");
      session.close();
      return [response.slice(0, 15), session.failureOf("127.0.0.1", port)];
    };
    expect(await ask()).toEqual(["HTTP/1.1 200 OK", undefined]);
    expect(proxy.asked).toEqual([`127.0.0.1:${port}`]);
    expect(await ask({ user: { name: "u", password: "x" } })).toEqual(["", "proxy-login"]);
    expect(await ask({ port: 22, isTrusted: false })).toEqual(["", "proxy-refused"]);
    expect(proxy.asked).toHaveLength(1);
    proxy.close();
  },
);

test("a visit that received its limit of bytes has its connections closed in the middle of a response", async () => {
  respondWith = (socket) => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n");
  const session = new EgressSession({ policy: ANYWHERE });
  session.receive(EGRESS_LIMITS.receivedBytes - 40);
  const socket = await openProxy(session, `GET http://127.0.0.1:${port}/ HTTP/1.1\r\n\r\n`);
  let response = "";
  socket.on("data", (chunk) => {
    response += chunk.toString("latin1");
  });
  await until(() => response.endsWith("\r\n\r\n"));
  expect(session.failureOf("127.0.0.1", port)).toBeUndefined();
  accepted.at(-1)?.write("1234567890");
  await once(socket, "close");
  expect(session.failureOf("127.0.0.1", port)).toBe("too-much");
});

test("a visit that made its limit of requests connects no more", async () => {
  const session = new EgressSession({ policy: ANYWHERE });
  for (let n = 0; n < EGRESS_LIMITS.requests; n += 1) session.request();
  const before = accepted.length;
  expect(await connected(dial(await proxyPortOf(session)))).toBe("");
  expect(session.failureOf("127.0.0.1", port)).toBe("too-much");
  expect(accepted.length).toBe(before);
  session.close();
});

test("before a visit takes the proxy, everything is refused", async () => {
  const proxy = await startForwardProxy();
  expect(await connected(dial(proxy.port))).toBe("");
  proxy.close();
});

describe("time", () => {
  test("a browser that sends no request loses its connection", async () => {
    const begun: number[] = [];
    using timers = watchTimers((ms) => {
      begun.push(ms);
      return ms < 1000 ? ms : 0;
    });
    const session = new EgressSession({ policy: ANYWHERE });
    await once(dial(await proxyPortOf(session)), "close");
    expect(begun).toContain(HEAD_TIMEOUT_MS);
    expect(timers.pending(HEAD_TIMEOUT_MS)).toBe(0);
    session.close();
  });

  test("no timer runs on an established connection", async () => {
    using timers = watchTimers();
    const session = new EgressSession({ policy: ANYWHERE });
    expect(await connected(dial(await proxyPortOf(session)))).toContain(" 200 ");
    expect([timers.pending(HEAD_TIMEOUT_MS), timers.pending(EGRESS_LIMITS.connectMs)]).toEqual([0, 0]);
    session.close();
  });
});

test("processes of other users cannot use the proxy", async () => {
  respondWith = (socket) => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi");
  expect(await get()).toEndWith("hi");
  const before = accepted.length;
  const user = process.geteuid?.() ?? 0;
  const other = spyOn(process, "geteuid").mockReturnValue(user + 1);
  const looked: string[] = [];
  const resolve = async (host: string) => (looked.push(host), ["127.0.0.1"]);
  const session = new EgressSession({ policy: ANYWHERE, resolve });
  try {
    expect(await get()).toBe("");
    await once(await openProxy(session, `CONNECT a.test:${port} HTTP/1.1\r\n\r\n`), "close");
  } finally {
    other.mockRestore();
  }
  expect([accepted.length - before, looked]).toEqual([0, []]);
  session.close();
});

test("a visit has a limited number of connections at one time, and one that ends makes room", async () => {
  const session = new EgressSession({ policy: ANYWHERE });
  const proxyPort = await proxyPortOf(session);
  const held = Array.from({ length: EGRESS_LIMITS.connections }, () => dial(proxyPort));
  await Promise.all(held.slice(1).map(connected));
  expect(await connected(dial(proxyPort))).toBe("");
  expect(await connected(held[0] ?? dial(0))).toContain(" 200 ");
  const gone = held.pop();
  gone?.destroy();
  let again = "";
  while (again === "") again = await connected(dial(proxyPort));
  expect(again).toContain(" 200 ");
  session.close();
});

test("a proxy that a visit gets when it has ended is closed", async () => {
  const session = new EgressSession({ policy: ANYWHERE });
  session.close();
  const proxy = await startForwardProxy();
  session.adopt(proxy);
  const { promise, resolve } = Promise.withResolvers<string>();
  const socket = dial(proxy.port);
  socket.on("connect", () => resolve("open"));
  socket.on("close", () => resolve("refused"));
  expect(await promise).toBe("refused");
});

test("the last failure is reported, and of many the first are forgotten, whatever failed twice", () => {
  const session = new EgressSession({ policy: ANYWHERE });
  session.fail("twice.test", 80, "unreachable");
  session.fail("once.test", 80, "refused");
  session.fail("twice.test", 80, "unresolved");
  expect(session.lastFailure).toBe("unresolved");
  for (let n = 0; n < EGRESS_LIMITS.failures - 1; n += 1) session.fail(`h${n}.test`, 80, "refused");
  expect(session.failureOf("once.test", 80)).toBeUndefined();
  expect(session.failureOf("twice.test", 80)).toBe("unresolved");
});

test("no connection is made for a visit that ended while a name was looked up", async () => {
  const asked = Promise.withResolvers<void>();
  const response = Promise.withResolvers<readonly string[]>();
  const ended = new EgressSession({
    policy: ANYWHERE,
    resolve: () => {
      asked.resolve();
      return response.promise;
    },
  });
  await openProxy(ended, `CONNECT slow.test:${port} HTTP/1.1\r\n\r\n`);
  await asked.promise;
  ended.close();
  const before = accepted.length;
  response.resolve(["127.0.0.1"]);
  const next = new EgressSession({ policy: ANYWHERE });
  await once(await openProxy(next, `CONNECT 127.0.0.1:${port} HTTP/1.1\r\n\r\n`), "data");
  expect(accepted.length - before).toBe(1);
  next.close();
});

test("of the hosts that a page names without end, only a part is remembered", async () => {
  const session = new EgressSession({ policy: ANYWHERE, resolve: () => Promise.resolve([]) });
  const many = EGRESS_LIMITS.hosts * 4;
  for (let n = 0; n < many; n += 1) await session.addressesOf(`h${n}.test`, 80);
  expect(session.failureOf("h0.test", 80)).toBeUndefined();
  expect(session.failureOf(`h${many - 1}.test`, 80)).toBe("too-much");
  expect(session.lastFailure).toBe("too-much");
  expect(await session.addressesOf(`${"a".repeat(300)}.test`, 80)).toBe("unresolved");
  session.close();
});

test.each(["directly", "through its proxy"])(
  "no connection is made %s for a browser that left while a name was looked up",
  async (way) => {
    const through = await startCallerProxy("http");
    const own = { protocol: "http", host: "127.0.0.1", port: through.port, user: undefined, isTrusted: true } as const;
    const asked = Promise.withResolvers<void>();
    const response = Promise.withResolvers<readonly string[]>();
    const session = new EgressSession({
      policy: ANYWHERE,
      resolve: () => (asked.resolve(), response.promise),
      proxy: way === "directly" ? undefined : own,
    });
    const served: Socket[] = [];
    const proxy = await startForwardProxy({ host: "127.0.0.1", admits: (client) => served.push(client) > 0 });
    session.adopt(proxy);
    const browser = dial(proxy.port);
    browser.write(`CONNECT slow.test:${port} HTTP/1.1\r\n\r\n`);
    await asked.promise;
    const before = accepted.length;
    browser.destroy();
    const [client] = served;
    if (client?.closed === false) await once(client, "close");
    response.resolve(["127.0.0.1"]);
    // A connection that was made for it would be there before that of another browser.
    expect(await connected(dial(proxy.port))).toContain(" 200 ");
    expect([through.asked.length, accepted.length - before]).toEqual([way === "directly" ? 0 : 1, 1]);
    expect(session.lastFailure).toBeUndefined();
    session.close();
    through.close();
  },
);

test("a connection that is made while the browser leaves is closed, and no further address is tried", async () => {
  const served: Socket[] = [];
  const proxy = await startForwardProxy({ host: "127.0.0.1", admits: (client) => served.push(client) > 0 });
  const tried: string[] = [];
  const failed: unknown[] = [];
  function* leaving(): Generator<string> {
    for (const address of ["127.0.0.1", "127.0.0.2"]) {
      tried.push(address);
      served[0]?.destroy();
      yield address;
    }
  }
  const addresses = Object.assign(["127.0.0.1", "127.0.0.2"], { [Symbol.iterator]: leaving });
  proxy.bind({
    addressesOf: () => Promise.resolve(addresses),
    fail: (...failure) => failed.push(failure),
    receive: () => true,
    request: () => true,
  });
  const before = accepted.length;
  dial(proxy.port).write(`CONNECT slow.test:${port} HTTP/1.1\r\n\r\n`);
  await until(() => accepted.length > before && accepted[before]?.destroyed === true);
  expect([tried, failed]).toEqual([["127.0.0.1"], []]);
  proxy.close();
});
