/** Real clients and servers, which negotiate subprotocols and compression with each other and not with the gateway. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { type Server } from "bun";
import { Rig } from "../proxy/testing/rig.ts";
import { TEST_CA } from "../support/certificates.ts";
import { Program } from "../support/program.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { isInstalled } from "../../src/lib/testing/installed.ts";

setDefaultTimeout(patient(60_000));

const NODE = Bun.which("node");
const PEER = join(import.meta.dir, "testing/ws-peer.mjs");
const SERVERS = ["the package ws", "Bun"] as const;
const PREFIXES = { "the package ws": "/ws", Bun: "/bun" } as const;

let wsServer: Program | undefined;
let bunServer: Server<undefined>;
let rig: Rig;

/** A route that removes its prefix. */
function rewritten(path_prefix: string, upstream: string): object {
  return { path_prefix, upstream, rewrite_pattern: path_prefix, rewrite_replacement: "" };
}

beforeAll(async () => {
  let wsPort = 1;
  if (NODE !== null) {
    wsServer = new Program(["serve"], { command: [NODE, PEER] });
    wsPort = Number((await wsServer.sees(/listening (\d+)/))[1]);
  }
  bunServer = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request, server) {
      if (new URL(request.url).pathname.startsWith("/refuse")) return new Response("not you", { status: 403 });
      const offered = request.headers.get("sec-websocket-protocol") ?? "";
      const headers = offered.includes("chat") ? { "Sec-WebSocket-Protocol": "chat" } : {};
      return server.upgrade(request, { headers, data: undefined }) ? undefined : new Response("", { status: 400 });
    },
    websocket: {
      maxPayloadLength: 64 * 1024 * 1024,
      perMessageDeflate: true,
      message: (ws, message) => {
        ws.send(message, true);
      },
    },
  });
  rig = await Rig.start({
    quic: true,
    upstreams: [
      { name: "ws", servers: [{ address: "127.0.0.1", port: wsPort }] },
      { name: "bun", servers: [{ address: "127.0.0.1", port: bunServer.port }] },
    ],
    routes: [rewritten("/ws", "ws"), rewritten("/bun", "bun")],
  });
});
afterAll(async () => {
  await rig.stop();
  await bunServer.stop(true);
  await wsServer?.stop();
});

describe.each(SERVERS)("a server of %s", (server) => {
  const skip = !isInstalled("node");
  test.skipIf(skip).each(["ws", "wss"])(
    "serves a client of the package ws by %s as without the gateway",
    async (scheme) => {
      const isTls = scheme === "wss";
      const url = `${scheme}://127.0.0.1:${isTls ? rig.tlsPort : rig.port}${PREFIXES[server]}`;
      const ca = isTls ? [Buffer.from(TEST_CA.cert).toString("base64")] : [];
      const client = new Program(["call", url, ...ca], { command: [NODE ?? "", PEER] });
      expect([await client.exit(), client.output]).toEqual([0, expect.stringMatching(/^{.*}\n$/)]);
      const heard = { echoes: 210, wrong: 0, pong: "are you there", protocol: "chat", closed: [4321, "done"] };
      const results: unknown = JSON.parse(client.output);
      expect(results).toMatchObject({ refused: "403 not you", plain: { ...heard, extensions: "" }, deflate: heard });
      expect(results).toMatchObject({ deflate: { extensions: expect.stringContaining("permessage-deflate") } });
    },
  );

  test.skipIf(skip)("serves Bun's client", async () => {
    const ws = new WebSocket(`ws://127.0.0.1:${rig.port}${PREFIXES[server]}/echo`, ["chat"]);
    ws.binaryType = "arraybuffer";
    await new Promise((resolve, reject) => {
      ws.addEventListener("open", resolve);
      ws.addEventListener("error", reject);
    });
    expect(ws.protocol).toBe("chat");
    for (const message of ["hello", "", "x".repeat(300_000)]) {
      const response = new Promise((resolve) =>
        ws.addEventListener("message", ({ data }) => resolve(data), { once: true }),
      );
      ws.send(message);
      expect((await response) === message).toBe(true);
    }
    const closed = new Promise<CloseEvent>((resolve) => ws.addEventListener("close", resolve));
    ws.close(3001, "bye");
    const { code, wasClean } = await closed;
    expect([code, wasClean]).toEqual([3001, true]);
  });
});
