/** Endpoints that are not browsers: none of them ends the content service, blocks it, or fills its memory or its log. */
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { createServer, type Socket } from "node:net";
import { listenOnLoopback } from "../../../lib/testing/listen.ts";
import { patient } from "../../../lib/testing/patience.ts";
import { webSocketAccept } from "../../../lib/http/websocket-handshake.ts";
import { NetworkAccess } from "../../egress/proxy-access.ts";
import { CdpConnection } from "../program/cdp.ts";
import { connectRemoteBrowser, type RemoteSettings } from "./remote-browser.ts";
import { RemoteOpener } from "./remote-opener.ts";
import { connectWebSocket } from "./connect-websocket.ts";

setDefaultTimeout(patient(30_000));

const closing: (() => unknown)[] = [];

afterAll(async () => {
  for (const close of closing) await close();
});

function settingsOf(url: string): RemoteSettings {
  return { endpoint: new URL(url), maxPages: 4, proxyAddress: "", allowedAddresses: [], ca: undefined };
}

/** A WebSocket server that responds to each call as `respond` says; undefined: not at all. */
function endpoint(respond: (id: number, method: string) => unknown): string {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (request, own) => (own.upgrade(request) ? undefined : new Response(null, { status: 400 })),
    websocket: {
      message(socket, text) {
        const { id, method } = JSON.parse(String(text)) as { id: number; method: string };
        const response = respond(id, method);
        if (response !== undefined) socket.send(typeof response === "string" ? response : JSON.stringify(response));
      },
    },
  });
  closing.push(() => server.stop(true));
  return `ws://127.0.0.1:${server.port}/hunter2`;
}

async function refusal(url: string): Promise<string> {
  const opened = await connectRemoteBrowser(settingsOf(url)).catch((error: unknown) => String(error));
  if (typeof opened === "string") return opened;
  opened.kill();
  return "none";
}

test("the reason of a pool that refuses a call with the endpoint's token is not repeated", async () => {
  const reason = await refusal(endpoint((id) => ({ id, error: { message: "the token hunter2 has\nexpired" } })));
  expect(reason).toBe("Error: it refuses Browser.getVersion");
});

test.each<[string, (id: number) => unknown]>([
  ["null", () => "null"],
  ["an error without a reason", (id) => ({ id, error: null })],
  ["a result that is not an object", (id) => ({ id, result: "x" })],
  ["no product", (id) => ({ id, result: {} })],
  ["a product of several lines", (id) => ({ id, result: { product: "Chrome/1\nERROR all is lost" } })],
  ["a long product", (id) => ({ id, result: { product: `Chrome/${"1".repeat(100_000)}` } })],
])("an endpoint that responds with %s is not used", async (_what, respond) => {
  const reason = await refusal(endpoint(respond));
  expect(reason).toMatch(/its connection is closed|it does not speak the DevTools protocol/);
  expect(reason).not.toContain("hunter2");
  expect(reason.length).toBeLessThan(1000);
});

test("a message that is not UTF-8 closes the connection", async () => {
  const server = createServer((socket: Socket) => {
    socket.on("error", () => undefined);
    socket.once("data", (head) => {
      const key = /^sec-websocket-key: (\S+)/im.exec(head.toString("latin1"))?.[1] ?? "";
      socket.write(`HTTP/1.1 101 S\r\nSec-WebSocket-Accept: ${webSocketAccept(key)}\r\n\r\n`);
      socket.write(Buffer.from([0x81, 4, 0xff, 0xfe, 0x80, 0x80]));
    });
  });
  closing.push(() => server.close());
  expect(await refusal(`ws://127.0.0.1:${await listenOnLoopback(server)}/`)).toContain("its connection is closed");
});

test.each<[string, () => Response, string]>([
  ["has no end", () => endless(200), "its /json/version is too long"],
  ["is an error without an end", () => endless(500), "it responds to /json/version with 500"],
  ["is a redirect", () => Response.redirect("http://127.0.0.1:1/", 302), "it responds to /json/version with 302"],
  ["is not JSON", () => new Response("<html>"), "its /json/version has no webSocketDebuggerUrl"],
  [
    "names a file",
    () => Response.json({ webSocketDebuggerUrl: { x: 1 } }),
    "its /json/version has no webSocketDebuggerUrl",
  ],
])("an endpoint whose /json/version %s is not used", async (_what, respond, reason) => {
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: respond });
  closing.push(() => server.stop(true));
  expect(await refusal(`http://127.0.0.1:${server.port}/?token=hunter2`)).toBe(`Error: ${reason}`);
});

function endless(status: number): Response {
  const body = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(65_536).fill(32)) });
  return new Response(body, { status });
}

test("a browser that never says how it was started counts as one without a sandbox", async () => {
  const url = endpoint((id, method) => (method === "SystemInfo.getInfo" ? undefined : { id, result: {} }));
  const opener = new RemoteOpener(
    settingsOf(url),
    () => undefined,
    async ({ endpoint: target }) => {
      const { wire } = await connectWebSocket(target, { timeoutMs: 5000, ca: undefined });
      const cdp = new CdpConnection(wire);
      closing.push(() => cdp.close());
      return {
        cdp,
        processes: {
          killed: 0,
          claimExcess: () => false,
          enter: () => undefined,
          leave: () => undefined,
          browserBytes: () => 0,
          relieve: () => undefined,
        },
        proxyAccess: new NetworkAccess("127.0.0.1", []),
        tabCalls: [],
        pausesWorkers: false,
        product: "Chrome/1.0",
        exited: cdp.ended,
        kill: () => cdp.close(),
        close: async () => cdp.close(),
      };
    },
  );
  await opener.open();
  expect(opener.info).toMatchObject({ name: "Chrome", version: "1.0", sandboxed: false });
});
