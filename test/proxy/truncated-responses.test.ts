/** Responses that are cut off after their head, in the access log and the metrics, for every protocol of the client. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { connect as connectHttp2 } from "node:http2";
import { patient } from "../../src/lib/testing/patience.ts";
import { serverAt } from "../support/gateway.ts";
import { Http3Client } from "../support/http3-client.ts";
import { Folder, until } from "../support/program.ts";
import { Rig } from "./testing/rig.ts";

setDefaultTimeout(patient(30_000));

const MOST = 10_000;
const folder = new Folder();
let origin: Bun.Server<undefined>;
let rig: Rig;

beforeAll(async () => {
  origin = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    // Without a length, so that the gateway learns it too late.
    fetch: () =>
      new Response(
        new ReadableStream({
          async pull(controller) {
            await Bun.sleep(1);
            controller.enqueue(new Uint8Array(MOST / 2));
          },
        }),
      ),
  });
  rig = await Rig.start({
    quic: true,
    upstreams: [{ name: "origin", servers: [serverAt(origin.port ?? 0)] }],
    routes: ["json", "combined"].map((format) => ({
      path_prefix: `/${format}`,
      upstream: "origin",
      max_response_bytes: MOST,
      access_log: { enabled: true, format, path: folder.file(format) },
    })),
  });
});

afterAll(async () => {
  await rig.stop();
  await origin.stop(true);
  folder.remove();
});

async function byHttp1(path: string): Promise<unknown> {
  return await (await fetch(`http://127.0.0.1:${rig.port}${path}`)).arrayBuffer();
}

function byHttp2(path: string): Promise<unknown> {
  const session = connectHttp2(`http://127.0.0.1:${rig.port}`);
  return new Promise((resolve, reject) => {
    const stream = session.request({ ":path": path });
    stream.resume();
    stream.on("end", resolve);
    stream.on("error", reject);
  }).finally(() => session.destroy());
}

async function byHttp3(path: string): Promise<unknown> {
  const client = await Http3Client.connect(rig.quicPort);
  return await client.request("GET", path).finally(() => client.close());
}

async function lines(format: string): Promise<string[]> {
  return await until("the lines", () => {
    const found = readFileSync(folder.file(format), "utf8").trimEnd().split("\n");
    return found.length === 3 ? found : undefined;
  });
}

test("a response longer than max_response_bytes breaks at the client, and the log and the metrics say that it was truncated", async () => {
  for (const request of [byHttp1, byHttp2, byHttp3]) {
    for (const format of ["json", "combined"]) {
      expect(
        await request(`/${format}`).then(
          () => "whole",
          () => "broken",
        ),
      ).toBe("broken");
    }
  }
  for (const line of await lines("json")) expect(line).toContain('"status":200');
  for (const line of await lines("json")) expect(line).toContain('"truncated":"response-too-large"');
  for (const line of await lines("combined")) expect(line).toMatch(/ 200 .* truncated=response-too-large$/);
  const page = await rig.page();
  for (const protocol of ["http1", "http2", "http3"]) {
    expect(page).toContain(`turnpike_http_responses_truncated_total{protocol="${protocol}"} 2`);
  }
});
