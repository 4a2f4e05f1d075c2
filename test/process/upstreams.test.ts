/** Upstreams over reloads. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { everythingTo } from "../support/gateway.ts";
import { statusOf } from "../support/message.ts";
import { Folder, Program, until } from "../support/program.ts";
import { once } from "../support/raw-client.ts";
import { RawOrigin } from "../support/raw-origin.ts";
import { patient } from "../../src/lib/testing/patience.ts";

const TIME_MS = patient(40_000);
const GET = "GET /x HTTP/1.1\r\nHost: a.test\r\n\r\n";

let folder: Folder;
let origin: RawOrigin;
let program: Program | undefined;

beforeEach(async () => {
  folder = new Folder();
  origin = await RawOrigin.start();
});

afterEach(async () => {
  await program?.stop();
  program = undefined;
  await origin.stop();
  folder.remove();
});

async function serve(config: object): Promise<{ program: Program; port: number }> {
  program = new Program(["--config", folder.write("turnpike.json", config)]);
  const [, port] = await program.sees(/listening on http:\/\/\S*?:(\d+)/);
  return { program, port: Number(port) };
}

async function reload(running: Program, config: object): Promise<void> {
  folder.write("turnpike.json", config);
  const from = running.output.length;
  running.kill("SIGHUP");
  await until("the reload", () => (running.output.includes("reloaded", from) ? true : undefined));
}

test(
  "an upstream that a reload does not change keeps its connections, and a changed one does not",
  async () => {
    const server = { address: "127.0.0.1", port: 0, workers: 1 };
    const config = { server, ...everythingTo(origin.port) };
    const running = await serve(config);
    expect(statusOf(await once(running.port, GET))).toBe(200);
    await reload(running.program, { ...config, limits: { max_header_count: 100 } });
    expect(statusOf(await once(running.port, GET))).toBe(200);
    expect(origin.connections).toHaveLength(1);
    const [upstream] = everythingTo(origin.port).upstreams;
    await reload(running.program, { ...config, upstreams: [{ ...upstream, connection_pool: { max_idle: 3 } }] });
    await origin.until("the end of the old connection", () => origin.connections[0]?.closed || undefined);
    expect(statusOf(await once(running.port, GET))).toBe(200);
    expect(origin.connections).toHaveLength(2);
  },
  TIME_MS,
);
