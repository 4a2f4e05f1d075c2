import { afterAll, beforeAll, expect, test } from "bun:test";
import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { listenOnLoopback } from "../../lib/testing/listen.ts";
import { ANYWHERE, EgressSession } from "./guard.ts";
import { EGRESS_LIMITS } from "./limits.ts";

/** A server that answers each connection's first bytes with what the test put here. */
let answerWith: (socket: Socket) => void = () => undefined;
const accepted: Socket[] = [];
let server: Server;
let port = 0;

beforeAll(async () => {
  server = createServer((socket) => {
    accepted.push(socket);
    socket.on("error", () => undefined);
    socket.once("data", () => answerWith(socket));
  });
  port = await listenOnLoopback(server);
});

afterAll(() => {
  for (const socket of accepted) socket.destroy();
  server.close();
});

async function openProxy(session: EgressSession, text: string): Promise<Socket> {
  const { port: proxyPort } = new URL(await session.proxyServer());
  const socket = connect({ host: "127.0.0.1", port: Number(proxyPort) });
  socket.on("error", () => undefined);
  socket.write(text);
  return socket;
}

/** All that comes back until the proxy closes the connection. */
async function exchange(text: string): Promise<string> {
  const session = new EgressSession({ policy: ANYWHERE });
  const socket = await openProxy(session, text);
  let answer = "";
  socket.on("data", (chunk) => {
    answer += chunk.toString("latin1");
  });
  await once(socket, "close");
  session.close();
  return answer;
}

const get = () => exchange(`GET http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: h\r\n\r\n`);

test.each([
  "HTTP/1.1 200 OK\r\nX: y\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nhi",
  "HTTP/1.1 200 OK\r\nX: y\rConnection: keep-alive\r\nContent-Length: 2\r\n\r\nhi",
  "HTTP/1.1 200 OK\r\nConnection : keep-alive\r\nContent-Length: 2\r\n\r\nhi",
  "HTTP/1.1 200 OK\r\nConnection\t: keep-alive\r\nContent-Length: 2\r\n\r\nhi",
  "HTTP/1.1 200 OK\nConnection: keep-alive\nContent-Length: 2\n\nhi",
])("no server talks the browser into keeping its connection: %j", async (head) => {
  answerWith = (socket) => socket.end(head);
  const answer = await get();
  expect(answer).toEndWith("\r\n\r\nhi");
  expect(answer).toContain("\r\nConnection: close\r\n");
  expect(answer).not.toContain("keep-alive");
});

test("the browser learns at once that a response was torn off", async () => {
  answerWith = (socket) => {
    socket.write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhalf", () => socket.resetAndDestroy());
  };
  expect(await get()).toStartWith("HTTP/1.1 200 OK\r\n");
});

test("nothing is connected for a visit that ended while a name was looked up", async () => {
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<readonly string[]>();
  const ended = new EgressSession({
    policy: ANYWHERE,
    resolve: () => {
      asked.resolve();
      return answer.promise;
    },
  });
  await openProxy(ended, `CONNECT slow.test:${port} HTTP/1.1\r\n\r\n`);
  await asked.promise;
  ended.close();
  const before = accepted.length;
  answer.resolve(["127.0.0.1"]);
  const next = new EgressSession({ policy: ANYWHERE });
  await once(await openProxy(next, `CONNECT 127.0.0.1:${port} HTTP/1.1\r\n\r\n`), "data");
  expect(accepted.length - before).toBe(1);
  next.close();
});

test("a page that names hosts without end is remembered in part", async () => {
  const session = new EgressSession({ policy: ANYWHERE, resolve: () => Promise.resolve([]) });
  const many = EGRESS_LIMITS.hosts * 4;
  for (let n = 0; n < many; n += 1) await session.addressesOf(`h${n}.test`, 80);
  expect(session.failureOf("h0.test", 80)).toBeUndefined();
  expect(session.failureOf(`h${many - 1}.test`, 80)).toBe("too-much");
  expect(session.lastFailure).toBe("too-much");
  expect(await session.addressesOf(`${"a".repeat(300)}.test`, 80)).toBe("unresolved");
  session.close();
});
