/** Handshakes, especially failing ones. */
import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { type Message, statusOf, valuesOf } from "../support/message.ts";
import { RawClient } from "../support/raw-client.ts";
import { Stage } from "./testing/stage.ts";
import { ACCEPT, handshakeHead, KEY } from "./testing/tunnel-client.ts";
import { acceptOf, accepting, type Reply, switching } from "./testing/tunnel-origin.ts";
import { patient } from "../../src/lib/testing/patience.ts";

setDefaultTimeout(patient(30_000));

const BOTH = ["HTTP/1.1", "HTTP/2"] as const;

let stage: Stage;

beforeAll(async () => {
  stage = await Stage.start({ route: { read_timeout_ms: 1000, retry: { max_retries: 2 } } });
});
afterEach(async () => {
  await stage.clear();
  expect(stage.rig.logged).toEqual([]);
});
afterAll(() => stage.stop());

const responding =
  (text: string): Reply =>
  (_request, socket) => {
    socket.write(text);
  };

const REFUSAL = "HTTP/1.1 403 Forbidden\r\nX-Why: because\r\nContent-Length: 7\r\n\r\nnot you";

describe("the request", () => {
  test.each(BOTH)(
    "from %s reaches the upstream as a handshake of HTTP/1.1 with the client's fields",
    async (client) => {
      const fields = {
        "Sec-WebSocket-Protocol": "chat, superchat",
        "Sec-WebSocket-Extensions": "foo; bar",
        Cookie: "a=1",
      };
      const { client: opened } = await stage.open(client, "tcp", { path: "/tcp/a?b=c", fields });
      const [request] = stage.origin().requests;
      if (request === undefined) throw new Error("no request");
      expect(request.startLine).toBe("GET /tcp/a?b=c HTTP/1.1");
      const seen = (name: string): string => valuesOf(request, name).join(" | ").toLowerCase();
      expect([seen("connection"), seen("upgrade"), seen("sec-websocket-version")]).toEqual([
        "upgrade",
        "websocket",
        "13",
      ]);
      expect(seen("sec-websocket-protocol")).toBe("chat, superchat");
      expect(seen("sec-websocket-extensions")).toBe("foo; bar");
      expect([seen("cookie"), seen("x-forwarded-for"), seen("host")]).toEqual(["a=1", "127.0.0.1", "a.test"]);
      expect([valuesOf(request, "content-length"), valuesOf(request, "transfer-encoding")]).toEqual([[], []]);
      const [key = ""] = valuesOf(request, "sec-websocket-key");
      expect(valuesOf(request, "sec-websocket-key")).toHaveLength(1);
      if (client === "HTTP/1.1") {
        expect(key).toBe(KEY);
        expect(opened.fields["sec-websocket-accept"]).toBe(ACCEPT);
        expect([opened.fields["connection"], opened.fields["upgrade"]]).toEqual(["upgrade", "websocket"]);
      } else {
        expect(Buffer.from(key, "base64")).toHaveLength(16);
        expect(opened.fields["sec-websocket-accept"]).toBeUndefined();
      }
    },
  );

  test("over HTTP/2 has a new key each time, whatever key the client sent", async () => {
    await stage.open("HTTP/2", "tcp", { fields: { "sec-websocket-key": KEY } });
    await stage.open("HTTP/2");
    const keys = stage.origin().requests.map((request) => valuesOf(request, "sec-websocket-key").join());
    expect(new Set([KEY, ...keys]).size).toBe(3);
  });

  test.each(BOTH)("the response's fields reach a client of %s, without hop-by-hop fields", async (client) => {
    stage.origin().reply = (request, socket, accept) => {
      socket.write(switching(request, "Sec-WebSocket-Protocol: chat\r\nSet-Cookie: a=1\r\nKeep-Alive: timeout=5\r\n"));
      accept();
    };
    const { client: opened } = await stage.open(client);
    expect(opened.fields).toMatchObject({ "sec-websocket-protocol": "chat", "set-cookie": "a=1" });
    expect(opened.fields["keep-alive"]).toBeUndefined();
    expect(opened.fields["x-request-id"]).toBeDefined();
  });

  test("interim responses come before the 101", async () => {
    stage.origin().reply = (request, socket, accept) => {
      socket.write("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n");
      accepting(request, socket, accept);
    };
    const client = await RawClient.open(stage.rig.port);
    client.send(handshakeHead("/tcp"));
    expect(statusOf(await client.response())).toBe(103);
    expect(statusOf(await client.response())).toBe(101);
    client.destroy();
  });

  test.each([
    ["to another protocol", { Upgrade: "h2c" }],
    ["that Connection does not name", { Connection: "keep-alive" }],
    ["without a key", { "Sec-WebSocket-Key": undefined }],
    ["by POST", { method: "POST" }],
  ])("an upgrade %s reaches the upstream as a plain request", async (_name, change) => {
    const { method = "GET", ...fields } = change as Record<string, string | undefined>; // the rows differ in their keys
    stage.origin().reply = responding("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    const given = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, value ?? "REMOVED"]));
    const asked = handshakeHead("/tcp", given).replace(/^Sec-WebSocket-Key: REMOVED\r\n/m, "");
    const client = await RawClient.open(stage.rig.port);
    client.send(asked.replace("GET", method));
    expect(statusOf(await client.response(method))).toBe(200);
    client.destroy();
    const [request] = stage.origin().requests;
    expect(request?.raw).not.toMatch(/^(?:upgrade|connection):/im);
  });

  test.each([
    ["an invalid key", { "Sec-WebSocket-Key": "short" }, 400],
    ["an unknown version", { "Sec-WebSocket-Version": "99" }, 426],
  ])("with %s gets its response from the gateway", async (_name, fields, status) => {
    const opened = await stage.ask("HTTP/1.1", "tcp", { fields });
    expect(opened.status).toBe(status);
    expect(stage.origin().requests).toEqual([]);
  });

  test("over HTTP/2 an unknown version gets its response from the gateway", async () => {
    const opened = await stage.ask("HTTP/2", "tcp", { fields: { "sec-websocket-version": "99" } });
    expect([opened.status, opened.fields["sec-websocket-version"]]).toEqual([400, "13"]);
    expect(stage.origin().requests).toEqual([]);
  });
});

describe("an upstream that refuses", () => {
  test.each(BOTH)(
    "has its response forwarded to %s unchanged, and its connection serves the next request",
    async (client) => {
      stage.origin().reply = responding(REFUSAL);
      for (let i = 0; i < 3; i++) {
        const opened = await stage.ask(client);
        expect([opened.status, opened.fields["x-why"], opened.fields["content-length"]]).toEqual([403, "because", "7"]);
        await opened.end.sees(7);
        expect(opened.end.text).toBe("not you");
      }
      expect((await stage.rig.counts("tcp")).open).toBe(1);
    },
  );

  test("leaves the connection of an HTTP/1.1 client open for its next request, and uses the bytes sent ahead for it", async () => {
    stage.origin().reply = responding(REFUSAL);
    const client = await RawClient.open(stage.rig.port);
    client.send(`${handshakeHead("/tcp")}GET /tcp/next HTTP/1.1\r\nHost: a.test\r\n\r\n`);
    expect([statusOf(await client.response()), statusOf(await client.response())]).toEqual([403, 403]);
    expect(stage.origin().requests.map(({ startLine }) => startLine)).toContain("GET /tcp/next HTTP/1.1");
    client.destroy();
  });

  test.each(BOTH)("by 503 gets no retry for %s", async (client) => {
    stage.origin().reply = responding("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n");
    expect((await stage.ask(client)).status).toBe(503);
    expect(stage.origin().requests).toHaveLength(1);
  });

  test("by 426 reports to a client of HTTP/1.1 the protocol to upgrade to", async () => {
    stage.origin().reply = responding(
      "HTTP/1.1 426 Upgrade Required\r\nConnection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 8\r\nContent-Length: 0\r\n\r\n",
    );
    const opened = await stage.ask("HTTP/1.1");
    expect(opened).toMatchObject({ status: 426, fields: { upgrade: "websocket", "sec-websocket-version": "8" } });
  });

  test("by 200 is forwarded to HTTP/1.1, and becomes 501 for HTTP/2, where any 2xx would open the tunnel", async () => {
    stage.origin().reply = responding("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\npage.");
    const plain = await stage.ask("HTTP/1.1");
    await plain.end.sees(5);
    expect([plain.status, plain.end.text]).toEqual([200, "page."]);
    const multiplexed = await stage.ask("HTTP/2");
    await multiplexed.end.over();
    expect([multiplexed.status, multiplexed.fields["content-type"]]).toEqual([501, "application/problem+json"]);
    expect(JSON.parse(multiplexed.end.text)).toMatchObject({
      status: 501,
      instance: multiplexed.fields["x-request-id"],
    });
  });
});

function head(request: Message, from: string | RegExp, to: string): string {
  return switching(request).replace(from, to);
}

describe("an upstream that fails", () => {
  const faults: readonly (readonly [string, Reply])[] = [
    ["proves nothing", (request, socket) => socket.write(head(request, /Sec-WebSocket-Accept.*\r\n/, ""))],
    ["proves another key", (request, socket) => socket.write(head(request, acceptOf(request), ACCEPT.toLowerCase()))],
    ["proves it twice", (request, socket) => socket.write(switching(request, `Sec-WebSocket-Accept: ${ACCEPT}\r\n`))],
    ["switches to another protocol", (request, socket) => socket.write(head(request, "websocket", "h2c"))],
    ["names no protocol", (request, socket) => socket.write(head(request, "Upgrade: websocket\r\n", ""))],
    ["does not say that it upgrades", (request, socket) => socket.write(head(request, "Connection: Upgrade\r\n", ""))],
    ["closes before it answers", (_request, socket) => socket.end()],
    ["resets before it answers", (_request, socket) => socket.resetAndDestroy()],
    ["closes within its head", (request, socket) => socket.end(switching(request).slice(0, 60))],
    ["sends garbage", (_request, socket) => socket.write("\x81\x05hello\r\n\r\n")],
  ];
  for (const client of BOTH) {
    test.each(faults)(`for ${client}: one that %s is 502, and gets no retry`, async (_name, reply) => {
      stage.origin().reply = reply;
      expect((await stage.ask(client)).status).toBe(502);
      expect(stage.origin().requests).toHaveLength(1);
      await stage.rig.opened("tcp", 0);
    });

    test(`for ${client}: one that does not respond in time is 504`, async () => {
      stage.origin().reply = () => {};
      expect((await stage.ask(client)).status).toBe(504);
      expect(stage.origin().requests).toHaveLength(1);
      await stage.rig.opened("tcp", 0);
    });
  }

  test("a 101 without a handshake is 502", async () => {
    stage.origin().reply = (request, socket) => socket.write(`${switching(request)}GET / HTTP/1.1\r\n\r\n`);
    const client = await RawClient.open(stage.rig.port);
    client.send("GET /tcp HTTP/1.1\r\nHost: a.test\r\n\r\n");
    expect(statusOf(await client.response())).toBe(502);
    client.destroy();
  });

  test.each(BOTH)(
    "a client by %s that disconnects before the response cancels its upstream request",
    async (client) => {
      stage.origin().reply = () => {};
      const asked = stage.ask(client).catch(() => undefined);
      await stage.origin().asked(1);
      await stage.clear();
      await asked;
    },
  );
});

describe("data after the 101", () => {
  test.each(BOTH)("is not parsed for %s: garbage passes, and an HTTP response has no meaning", async (client) => {
    const garbage = `\0\xff\x81HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc\r\n\r\n`;
    stage.origin().reply = (request, socket, accept) => {
      socket.write(Buffer.from(switching(request) + garbage, "latin1"));
      accept();
    };
    const { here, there } = await stage.open(client);
    await here.sees(garbage.length);
    expect(here.text).toBe(garbage);
    here.send(`GET /tcp/other HTTP/1.1\r\nHost: a.test\r\n\r\n${garbage}`);
    await there.until("all", () => there.text.endsWith(garbage));
    expect(stage.origin().requests).toHaveLength(1);
  });

  test.each(BOTH)("is ended for %s if no byte passes for read_timeout_ms", async (client) => {
    const { here, there } = await stage.open(client);
    const began = performance.now();
    await Promise.all([here.until("its end", () => here.ended), there.over()]);
    expect(performance.now() - began).toBeGreaterThan(900);
  });

  test.each(BOTH)("continues for %s while either side sends", async (client) => {
    const { here, there } = await stage.open(client);
    // Longer in total than the timeout, whichever side is silent.
    for (let sent = 1; sent <= 10; sent++) {
      await Bun.sleep(250);
      if (sent > 5) here.send("x");
      else there.send("x");
      await (sent > 5 ? there.sees(sent - 5) : here.sees(sent));
    }
    expect([here.ended, there.ended]).toEqual([false, false]);
  });
});
