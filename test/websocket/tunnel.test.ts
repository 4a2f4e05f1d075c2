/** The bytes of a tunnel from every kind of client to every kind of upstream, and its end. */
import { createHash, type Hash, randomBytes } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { until } from "../support/program.ts";
import { type End } from "./testing/end.ts";
import { CLIENTS, Stage, UPSTREAMS } from "./testing/stage.ts";
import { switching } from "./testing/tunnel-origin.ts";
import { patient } from "../../src/lib/testing/patience.ts";

setDefaultTimeout(patient(30_000));

const MIB = 1_048_576;
/** RFC 8441 §5. */
const CANCEL = 8;

let stage: Stage;

beforeAll(async () => {
  // Limits of bodies, which do not apply to tunnels.
  const route = { max_response_bytes: 1000, total_timeout_ms: 600_000 };
  stage = await Stage.start({ route, limits: { max_body_bytes: 1000 } });
});
afterEach(async () => {
  await stage.clear();
  expect(stage.rig.logged).toEqual([]);
});
afterAll(() => stage.stop());

/** Bytes of all values, in pieces with sizes around all limits of frames and buffers. */
const PIECES = [1, 2, 125, 126, 127, 128, 4095, 4096, 16_383, 16_384, 16_385, 65_535, 65_536, 65_537, 131_073].map(
  (length) => randomBytes(length),
);
const ALL = Buffer.concat(PIECES);

describe.each(CLIENTS)("from %s", (client) => {
  describe.each(UPSTREAMS)("to an upstream by %s", (upstream) => {
    test("every byte passes unchanged, both ways, and a client's end arrives while the upstream still sends", async () => {
      const { here, there } = await stage.open(client, upstream);
      await Promise.all([here.sendAll(PIECES), there.sendAll(PIECES)]);
      await Promise.all([here.sees(ALL.length), there.sees(ALL.length)]);
      here.stream.end("last");
      await there.until("its end", () => there.ended);
      there.stream.end("words");
      await here.until("its end", () => here.ended);
      expect(here.received.equals(Buffer.concat([ALL, Buffer.from("words")]))).toBe(true);
      expect(there.received.equals(Buffer.concat([ALL, Buffer.from("last")]))).toBe(true);
      expect([here.error, there.error]).toEqual([undefined, undefined]);
    });

    test("an upstream's end arrives after its last data", async () => {
      const { here, there } = await stage.open(client, upstream);
      here.send("a question");
      await there.sees(10);
      there.stream.write(ALL);
      there.stream.end("the end");
      await here.until("its end", () => here.ended);
      expect(here.received.equals(Buffer.concat([ALL, Buffer.from("the end")]))).toBe(true);
      here.stream.end();
      await there.over();
      expect(there.text).toBe("a question");
    });

    test("bytes that arrive with the header sections belong to the tunnel", async () => {
      stage.origin(upstream).reply = (request, socket, accept) => {
        socket.write(`${switching(request)}early from there`);
        accept();
      };
      const { here, there } = await stage.open(client, upstream, { early: Buffer.from("early from here") });
      await Promise.all([here.sees(16), there.sees(15)]);
      expect([here.text, there.text]).toEqual(["early from there", "early from here"]);
    });
  });

  test("if a client breaks off, the upstream's connection is closed", async () => {
    const { client: opened, here, there } = await stage.open(client);
    here.send("hello");
    await there.sees(5);
    opened.reset();
    await there.over();
  });

  test("if an upstream breaks off, the client's connection is closed, and neither looks like a clean end", async () => {
    const { client: opened, here, there } = await stage.open(client);
    there.send("hello");
    await here.sees(5);
    there.reset();
    await here.over();
    expect(here.text).toBe("hello");
    // In Node, a cancelled stream has a regular end too.
    if (client.startsWith("HTTP/2")) expect(opened.resetCode()).toBe(CANCEL);
    else expect(here.ended).toBe(false);
  });

  test("10 MiB each way at the same time arrive complete", async () => {
    const { here, there } = await stage.open(client);
    const [up, down] = [noise(10 * MIB), noise(10 * MIB)];
    await Promise.all([here.sendAll(up.chunks), there.sendAll(down.chunks)]);
    await Promise.all([here.sees(10 * MIB), there.sees(10 * MIB)]);
    expect(digest(there)).toBe(up.digest);
    expect(digest(here)).toBe(down.digest);
  });
});

/** Random bytes in pieces of random lengths. */
function noise(length: number): { chunks: Buffer[]; digest: string } {
  const bytes = randomBytes(length);
  const chunks: Buffer[] = [];
  for (let at = 0; at < length; ) {
    const take = Math.min(1 + Math.floor(Math.random() ** 3 * 200_000), length - at);
    chunks.push(bytes.subarray(at, at + take));
    at += take;
  }
  return { chunks, digest: createHash("sha256").update(bytes).digest("hex") };
}

function digest(end: End): string {
  const hash: Hash = createHash("sha256");
  return hash.update(end.received).digest("hex");
}

/** Sends until nothing is accepted for a while; returns the number of sent bytes. */
async function flood(end: End): Promise<number> {
  const chunk = Buffer.alloc(65_536, "x");
  let sent = 0;
  let taken = true;
  while (taken && sent < 256 * MIB) {
    sent += chunk.length;
    if (end.stream.write(chunk)) continue;
    taken = await Promise.race([end.drained().then(() => true), Bun.sleep(400).then(() => false)]);
  }
  return sent;
}

describe("a peer that does not read", () => {
  test.each(CLIENTS)("a client by %s pauses its upstream, and nothing is lost when it reads again", async (client) => {
    const { here, there } = await stage.open(client);
    here.stream.pause();
    const before = process.memoryUsage().rss;
    const sent = await flood(there);
    expect(sent).toBeLessThan(64 * MIB);
    expect(process.memoryUsage().rss - before).toBeLessThan(128 * MIB);
    here.stream.resume();
    await here.sees(sent);
    expect(here.length).toBe(sent);
  });

  test.each(CLIENTS)("an upstream pauses its client by %s, and nothing is lost when it reads again", async (client) => {
    const { here, there } = await stage.open(client);
    there.stream.pause();
    const before = process.memoryUsage().rss;
    const sent = await flood(here);
    expect(sent).toBeLessThan(64 * MIB);
    expect(process.memoryUsage().rss - before).toBeLessThan(128 * MIB);
    there.stream.resume();
    await there.sees(sent);
    expect(there.length).toBe(sent);
  });
});

test.each(["HTTP/1.1", "HTTP/2"] as const)("500 tunnels at once by %s leave nothing behind", async (client) => {
  const tunnels = await Promise.all(Array.from({ length: 500 }, () => stage.ask(client)));
  expect(new Set(tunnels.map(({ status }) => status)).size).toBe(1);
  await until("all tunnels at the origin", () => (stage.origin().tunnels.length === 500 ? true : undefined));
  const ends = [...stage.origin().tunnels];
  for (const there of ends) there.send("down");
  for (const [i, { end }] of tunnels.entries()) end.send(`up ${i}`);
  for (const { end } of tunnels) await end.sees(4);
  await until("what was sent", () => (ends.every(({ length }) => length > 3) ? true : undefined));
  expect(new Set(ends.map(({ text }) => text)).size).toBe(500);
  expect(stage.rig.inFlight).toBe(500);
  // The client ends one half of them, the upstream the other.
  for (const [i, { end }] of tunnels.entries()) if (i % 2 === 0) end.stream.end();
  for (const there of ends) if (Number(there.text.slice(3)) % 2 === 1) there.stream.end();
  for (const there of ends) void there.over().then(() => there.stream.end());
  for (const { end } of tunnels) await end.over();
  await stage.rig.settled();
  await stage.rig.opened("tcp", 0);
  const page = await stage.rig.page();
  // The request for this page.
  const inFlight = [...page.matchAll(/^turnpike_http_requests_in_flight{.*} (\d+)$/gm)].map(([, value]) => value);
  expect(inFlight).toEqual(["1", "0", "0"]);
});
