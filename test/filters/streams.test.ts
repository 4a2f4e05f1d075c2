/** Filters with long-lived exchanges (WebSockets and gRPC calls), and with mirrors. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../src/lib/testing/patience.ts";
import { response, told, unary, WireRig } from "../grpc/testing/wire.ts";
import { serverAt } from "../support/gateway.ts";
import { Folder } from "../support/program.ts";
import { once } from "../support/raw-client.ts";
import { RawOrigin } from "../support/raw-origin.ts";
import { openTunnel } from "../websocket/testing/tunnel-client.ts";
import { TunnelOrigin } from "../websocket/testing/tunnel-origin.ts";
import { writeFilter } from "./testing/modules.ts";
import { SWITCHBOARD } from "./testing/switchboard.ts";

setDefaultTimeout(patient(30_000));

let folder: Folder;
let wire: WireRig;
let tunnels: TunnelOrigin;
let origin: RawOrigin;
let mirror: RawOrigin;

beforeAll(async () => {
  folder = new Folder();
  const module = await writeFilter(folder, "switchboard.wasm", SWITCHBOARD);
  [tunnels, origin, mirror] = await Promise.all([TunnelOrigin.start(), RawOrigin.start(), RawOrigin.start()]);
  const others = { tunnels, plain: origin, mirror };
  wire = await WireRig.start({
    more: { wasm_filters: ["/ws", "/test.Echo/", "/copied"].map((match) => ({ match, module, instances: 4 })) },
    upstreams: Object.entries(others).map(([name, { port }]) => ({ name, servers: [serverAt(port)] })),
    routes: [
      { path_prefix: "/ws", upstream: "tunnels" },
      { path_prefix: "/copied", upstream: "plain", mirror: "mirror" },
    ],
  });
});

afterAll(async () => {
  await wire.stop();
  await Promise.all([tunnels.stop(), origin.stop(), mirror.stop()]);
  folder.remove();
});

test("a WebSocket opens when the filter allows it, its bytes are not filtered, and it uses no instance", async () => {
  for (const kind of ["HTTP/1.1", "HTTP/2"] as const) {
    const before = tunnels.requests.length;
    const refused = await openTunnel(kind, wire.rig, { path: "/ws", fields: { "x-do": "r" } });
    expect([kind, refused.status, tunnels.requests.length]).toEqual([kind, 401, before]);
    refused.destroy();
    for (const what of ["e", "T", ""]) {
      const opened = await openTunnel(kind, wire.rig, { path: "/ws", fields: what === "" ? {} : { "x-do": what } });
      expect([kind, what, opened.status]).toEqual([kind, what, kind === "HTTP/1.1" ? 101 : 200]);
      expect(await wire.rig.page()).toContain("\nturnpike_wasm_pool_pinned 0\n");
      opened.destroy();
    }
  }
  expect(wire.rig.logged.filter((line) => line.includes("internal error"))).toEqual([]);
});

test("a gRPC call that the filter rejects, or on which it fails, ends with a gRPC status", async () => {
  const client = await wire.client();
  unary(client, 1, [["x-do", "r"]]);
  expect(await told(client, 1)).toMatchObject({ status: "200", grpcStatus: "16", trailersOnly: true });
  unary(client, 3, [["x-do", "t"]]);
  expect(await told(client, 3)).toMatchObject({ status: "200", grpcStatus: "13", trailersOnly: true });
  unary(client, 5, [["x-do", "h"]]);
  response(await wire.request());
  const call = await told(client, 5);
  expect([call.grpcStatus, call.body.slice(5), new Map(call.head).get("x-ran")]).toEqual(["0", "hi", "x-do"]);
});

test("the mirror gets a copy of each request that the filter allows, and of no other", async () => {
  for (const what of ["r", "t", "m"]) {
    await once(wire.rig.port, `GET /copied/${what} HTTP/1.1\r\nHost: a.test\r\nX-Do: ${what}\r\n\r\n`);
  }
  await mirror.until("the copy", () => (mirror.requests.length > 0 ? true : undefined));
  expect([mirror.summaries, origin.summaries]).toEqual([["GET /copied/m"], ["GET /copied/m"]]);
});
