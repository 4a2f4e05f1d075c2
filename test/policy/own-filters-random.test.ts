/** Random orders of requests with parks, resumes, aborts, deadlines, reloads and failures of the control socket. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { ControlTransport } from "../../src/gateway/filters/control/control-transport.ts";
import { reply, type SandboxClient } from "../../src/gateway/filters/control/testing/sandbox.ts";
import { op } from "../../src/gateway/filters/module/testing/assembler.ts";
import { callsOf, ownModule } from "../../src/gateway/filters/own-abi/testing/own-module.ts";
import { mulberry32 } from "../../src/lib/testing/mulberry32.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { until } from "../../src/lib/testing/until.ts";
import { PROTOCOLS } from "./protocols.ts";
import { FilterRig } from "./testing/filter-rig.ts";

setDefaultTimeout(patient(30_000));

let rig: FilterRig;

beforeAll(async () => {
  rig = await FilterRig.start();
});

beforeEach(() => rig.reset());
afterEach(() => rig.verify());
afterAll(() => rig.stop());

const ZERO_DIGIT = 0x30;
const PARK_DIGIT = 0x33;
const load8 = [0x2d, 0, 0];
const I32_EQ = 0x46;
/** Code that returns the digit at `address`. */
const digitAt = (address: number): number[] => [...op.i32(address), ...load8, ...op.i32(ZERO_DIGIT), ...op.i32Sub];
/**
 * Follows the field x-do: 0 to 2 are returned, 3 parks with x-id as the command, others are invalid codes. After a
 * park, it continues by the reply's first digit.
 */
const OBEYS = ownModule(
  ["get_header", "host_call", "read_call_result", "set_response_header"],
  {
    on_request: [
      [...callsOf(0, 0, 4, 100, 1), ...op.drop, ...callsOf(0, 4, 4, 200, 6), ...op.drop],
      [...op.i32(100), ...load8, ...op.i32(PARK_DIGIT), I32_EQ, ...op.if],
      [...callsOf(1, 200, 6), ...op.drop, ...op.end, ...digitAt(100)],
    ].flat(),
    on_resume: [...callsOf(2, 300, 1), ...op.drop, ...digitAt(300)],
    on_response: [...callsOf(3, 4, 4, 200, 6), ...op.i32(0)],
  },
  "x-dox-id",
);

interface World {
  readonly random: (below: number) => number;
  /** Requests that their filter, or its reply, has allowed. */
  readonly allowed: Set<string>;
}

/** Replies late or not at all, with invalid data, or by closing the connection. */
function misbehave({ random, allowed }: World, line: string, client: SandboxClient): Buffer | undefined {
  const digit = random(5);
  const what = random(12);
  if (what === 0) return undefined;
  if (what === 1) client.socket.destroy();
  else if (what === 2) return Buffer.from("no reply\x1enonsense\n");
  else if (what === 3) rig.sandbox.cut();
  else if (what === 4) return Buffer.from("ERR no\n");
  else {
    if (digit === 0 || digit === 2) allowed.add(line);
    const response = reply(String(digit));
    if (what > 8) return response;
    setTimeout(() => client.socket.write(response), random(8));
  }
  return undefined;
}

async function oneRequest({ random, allowed }: World, id: string): Promise<void> {
  await Bun.sleep(random(60));
  const digit = random(5);
  if (digit === 0 || digit === 2) allowed.add(id);
  const headers = [
    ["x-do", String(digit)],
    ["x-id", id],
  ] as const;
  const protocol = PROTOCOLS[random(3)] ?? "HTTP/1.1";
  if (random(4) === 0) {
    const leave = await rig.chain.clients.open(protocol, `/${id}`, headers);
    await Bun.sleep(random(12));
    leave();
    return;
  }
  const body = random(3) === 0 ? { method: "POST", body: Buffer.alloc(random(2000)) } : {};
  const told = await rig.chain.clients.request(protocol, { path: `/${id}`, headers, ...body });
  if (told.status === 200) expect([told.header("x-id"), allowed.has(id)]).toEqual([id, true]);
  else if (digit === 0 || digit === 2) expect(told.status).toBe(503);
  else if (digit === 1) expect([403, 503]).toContain(told.status);
  else expect([403, 500, 503]).toContain(told.status);
}

test.each([1, 2, 3])(
  "each request gets one response, and only requests that the filter allows pass (seed %p)",
  async (seed) => {
    const next = mulberry32(seed);
    const allowed = new Set<string>();
    const world: World = { random: (below) => next() % below, allowed };
    rig.sandbox.response = (line, client) => misbehave(world, line, client);
    const timing = { commandMs: 40, firstRetryMs: 2, bareLineMs: 10 };
    const link = new ControlTransport({ path: rig.sandbox.path, connections: 2, ...timing, log() {}, onReady() {} });
    rig.runtime.link = link;
    rig.runtime.parks.capacity = 6;
    await until(() => link.isReady);
    await rig.use([OBEYS], { instances: 4 });
    const used = [...rig.filters];
    const requests = Array.from({ length: 150 }, (_, i) => oneRequest(world, String(100_000 + i)));
    const disturbances = Array.from({ length: 6 }, async () => {
      await Bun.sleep(world.random(70));
      rig.runtime.deadlineMs = world.random(2) === 0 ? 15 : 500;
      // A reload: requests in flight end with their old filters.
      if (world.random(3) !== 0) return;
      await rig.use([OBEYS], { instances: 4 });
      used.push(...rig.filters);
    });
    await Promise.all([...requests, ...disturbances]);
    const passed = rig.origin.requests.map(({ startLine }) => startLine.split(" ")[1]?.slice(1) ?? "");
    expect(passed.filter((id) => !allowed.has(id))).toEqual([]);
    expect(new Set(passed).size).toBe(passed.length);
    expect(passed.length).toBeGreaterThan(10);
    await until(() => used.every(({ instances }) => instances.pinned === 0));
    link.close();
  },
);
