/** Every server case of Autobahn's suite that an echo can test, directly to the package ws and through the gateway. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { Rig } from "../proxy/testing/rig.ts";
import { Program } from "../support/program.ts";
import { CLOSE, closing, frame, framesIn, type ReadFrame } from "./testing/frames.ts";
import { CLIENTS } from "./testing/stage.ts";
import { type ClientKind, openTunnel, type Ports } from "./testing/tunnel-client.ts";
import { type Case, SECTIONS } from "./testing/ws-cases.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { isInstalled } from "../../src/lib/testing/installed.ts";

setDefaultTimeout(patient(60_000));

const NODE = Bun.which("node");
const MASK = Buffer.from([1, 2, 3, 4]);
const NO_CODE = 1005;

let server: Program;
let rig: Rig;
let direct: Ports;

beforeAll(async () => {
  if (NODE === null) return;
  server = new Program(["serve"], { command: [NODE, join(import.meta.dir, "testing/ws-peer.mjs")] });
  const port = Number((await server.sees(/listening (\d+)/))[1]);
  direct = { port, tlsPort: 0 };
  rig = await Rig.start({
    quic: true,
    upstreams: [{ name: "echo", servers: [{ address: "127.0.0.1", port }] }],
    routes: [{ path_prefix: "/", upstream: "echo" }],
  });
});
afterAll(async () => {
  await rig?.stop();
  await server?.stop();
});

/** All bytes that the server sends for a case. */
async function transcript(client: ClientKind, ports: Ports, { writes }: Case): Promise<Buffer> {
  const opened = await openTunnel(client, ports, { path: "/echo" });
  const { end } = opened;
  try {
    await end.sendAll(writes);
    await end.until("a close", () => end.ended || end.closed || closeIn(end.received) !== undefined);
    end.stream.write(frame(CLOSE, closing(1000), { mask: MASK }));
    end.stream.end();
    await end.over();
    return end.received;
  } finally {
    opened.destroy();
  }
}

function closeIn(bytes: Buffer): ReadFrame | undefined {
  return framesIn(bytes).find(({ opcode }) => opcode === CLOSE);
}

/** The combined messages, and the close. */
function summary(bytes: Buffer): { responses: [number, string][]; code: number } {
  const responses: [number, Buffer[]][] = [];
  let code = 0;
  for (const { opcode, payload } of framesIn(bytes)) {
    if (opcode === CLOSE) code = payload.length === 0 ? NO_CODE : payload.readUInt16BE(0);
    else if (opcode === 0) responses.at(-1)?.[1].push(payload);
    else responses.push([opcode, [payload]]);
  }
  return { responses: responses.map(([opcode, parts]) => [opcode, Buffer.concat(parts).toString("latin1")]), code };
}

for (const [section, cases] of SECTIONS) {
  const all = cases();
  test.skipIf(!isInstalled("node"))(
    `${section}: ${all.length} cases have the same results as without the gateway`,
    async () => {
      for (const one of all) {
        const straight = await transcript("HTTP/1.1", direct, one);
        const expected = one.responses.map(([opcode, payload]) => [opcode, payload.toString("latin1")]);
        const said = summary(straight);
        expect([one.name, said.code]).toEqual([one.name, one.code]);
        expect(JSON.stringify(said.responses) === JSON.stringify(expected) ? "as expected" : said.responses).toBe(
          "as expected",
        );
        for (const client of CLIENTS) {
          const through = await transcript(client, rig, one);
          expect([client, one.name, through.equals(straight)]).toEqual([client, one.name, true]);
        }
      }
      expect(rig.logged).toEqual([]);
    },
  );
}
