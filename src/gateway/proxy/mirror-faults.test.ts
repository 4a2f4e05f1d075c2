/** Failing mirrors: they do not affect requests, and the work for them is limited. */
import { afterEach, describe, expect, setDefaultTimeout, spyOn, test } from "bun:test";
import { type Socket } from "node:net";
import { RawClient } from "../../../test/support/raw-client.ts";
import { echo } from "../../../test/support/raw-origin.ts";
import { ask } from "../../../test/proxy/testing/ask.ts";
import {
  BodyOrigin,
  bufferBytes,
  content,
  copies,
  counted,
  digest,
  type Place,
  rawOrigin,
  socketServer,
  startMirroring,
  stopMirroring,
  upload,
} from "../../../test/proxy/testing/mirroring.ts";
import { type Rig } from "../../../test/proxy/testing/rig.ts";
import { Upstream } from "../upstream/upstream.ts";
import { patient } from "../../lib/testing/patience.ts";

setDefaultTimeout(patient(30_000));

/** MAX_COPIES of src/gateway/proxy/mirror.ts. */
const MOST_COPIES = 128;

afterEach(stopMirroring);

interface Fault {
  readonly name: string;
  readonly act: (socket: Socket) => void;
  /** It responds in spite of the fault. */
  readonly responses?: boolean;
}

/** Mirrors at their worst. */
const FAULTS: readonly Fault[] = [
  { name: "hangs", act: (socket) => socket.pause() },
  { name: "reads slowly", act: readSlowly },
  { name: "answers garbage", act: (socket) => socket.once("data", () => socket.write("nonsense\r\n\r\n")) },
  { name: "resets within the body", act: (socket) => socket.once("data", () => socket.resetAndDestroy()) },
  { name: "hangs up at once", act: (socket) => socket.end() },
  {
    name: "responds early and hangs up",
    act: (socket) => socket.end("HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n"),
    responses: true,
  },
  { name: "answers without end", act: respondForEver, responses: true },
];

function readSlowly(socket: Socket): void {
  socket.pause();
  const timer = setInterval(() => socket.read(4096), 5);
  socket.on("close", () => clearInterval(timer));
}

function respondForEver(socket: Socket): void {
  socket.resume();
  socket.write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n");
  const more = (): void => {
    if (!socket.destroyed && socket.write("a".repeat(65_536))) setImmediate(more);
  };
  socket.on("drain", more);
  more();
}

/** Two uploads of more than the kernel buffers for a socket without a reader, and a download. */
async function largeRequests(protocol: "HTTP/1.1" | "HTTP/2", mirror: Place): Promise<Rig> {
  const body = content(16_777_216);
  const main = new BodyOrigin(8_000_000);
  const rig = await startMirroring(main, mirror);
  for (let round = 0; round < 2; round++) expect(await upload(protocol, rig, body, async () => {})).toBe(200);
  expect(main.digests).toEqual([digest(body), digest(body)]);
  const got = await fetch(`http://127.0.0.1:${rig.port}/down`);
  expect((await got.arrayBuffer()).byteLength).toBe(8_000_000);
  expect(await rig.counts("main")).toMatchObject({ requests: 3, failures: 0 });
  return rig;
}

describe.each(["HTTP/1.1", "HTTP/2"] as const)("large requests by %s are whole", (protocol) => {
  test.each(FAULTS)("beside a mirror that $name", async ({ act, responses = false }) => {
    const mirror = await socketServer(act);
    const rig = await largeRequests(protocol, mirror);
    mirror.cut();
    await rig.settled();
    const { requests, givenUp, failures } = await copies(rig);
    expect(requests).toBe(3);
    if (responses) expect(failures).toBe(0);
    else expect(givenUp + failures).toBe(3);
  });

  test("beside a mirror that is down", async () => {
    // The system gives port 1 to no other test, unlike a port that was just freed.
    const rig = await largeRequests(protocol, { port: 1 });
    await rig.settled();
    const { requests, givenUp, failures } = await copies(rig);
    expect([requests, givenUp + failures]).toEqual([3, 3]);
  });
});

test("a mirror that sends events for ever is left when its time is over", async () => {
  const main = await rawOrigin();
  const mirror = await rawOrigin();
  mirror.response = (_, connection) => {
    connection.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n");
    const timer = setInterval(() => connection.send(":\n"), 20);
    connection.socket.on("close", () => clearInterval(timer));
  };
  const rig = await startMirroring(main, mirror, { route: { total_timeout_ms: 100 } });
  expect(await ask(rig, "HTTP/1.1", { path: "/x" })).toMatchObject({ status: 200 });
  await mirror.until("the end of it", () => (mirror.connections[0]?.closed === true ? true : undefined));
  await counted(rig, { requests: 1, givenUp: 0, failures: 1 });
  expect(await rig.counts("mirror")).toMatchObject({ failures: 0 });
});

test("a copy that the gateway cannot make fails alone, and the log has its error", async () => {
  const [main, mirror] = [await rawOrigin(), await rawOrigin()];
  const rig = await startMirroring(main, mirror);
  const pick = Reflect.get<Upstream, "pick">(Upstream.prototype, "pick");
  using _ = spyOn(Upstream.prototype, "pick").mockImplementation(function (this: Upstream, ...args) {
    if (this.name === "mirror") throw new Error("the mirror is broken");
    return pick.apply(this, args);
  });
  expect(await ask(rig, "HTTP/1.1", { path: "/x" })).toMatchObject({ status: 200 });
  await counted(rig, { requests: 1, givenUp: 0, failures: 1 });
  expect(rig.logged.splice(0).join("")).toContain("the mirror is broken");
  expect([main.requests.length, mirror.requests.length]).toEqual([1, 0]);
});

describe("of copies", () => {
  test("at most 128 copies are under way at one time, and further requests are not copied", async () => {
    const [main, mirror] = [await rawOrigin(), await rawOrigin()];
    mirror.response = () => {};
    const rig = await startMirroring(main, mirror, { mirror: { connection_pool: { client_share: 100 } } });
    const client = await RawClient.open(rig.port);
    for (let i = 0; i < MOST_COPIES + 12; i++) {
      client.send("GET /x HTTP/1.1\r\nHost: a.test\r\n\r\n");
      expect((await client.response()).startLine).toBe("HTTP/1.1 200 OK");
    }
    expect(await copies(rig)).toEqual({ requests: MOST_COPIES + 12, givenUp: 12, failures: 0 });
    // Finished copies make room.
    await mirror.until("as many as connections are allowed", () => (mirror.requests.length === 64 ? true : undefined));
    mirror.response = echo;
    for (const [at, connection] of mirror.connections.entries()) {
      const request = mirror.requests[at];
      if (request !== undefined) echo(request, connection);
    }
    await rig.settled();
    expect(mirror.requests).toHaveLength(MOST_COPIES);
    client.send("GET /x HTTP/1.1\r\nHost: a.test\r\n\r\n");
    await client.response();
    await counted(rig, { requests: MOST_COPIES + 13, givenUp: 12, failures: 0 });
    await mirror.until("one more", () => (mirror.requests.length === MOST_COPIES + 1 ? true : undefined));
    client.destroy();
  });

  test("what waits takes no more than half of the buffers, and requests have the rest", async () => {
    const [main, mirror] = [await rawOrigin(), await rawOrigin()];
    mirror.response = () => {};
    const rig = await startMirroring(main, mirror, {
      route: { read_timeout_ms: patient(60_000), total_timeout_ms: patient(60_000) },
      mirror: { connection_pool: { max_connections: 1 } },
      sections: { buffer_pool: { buffer_size: 4096 } },
    });
    const half = (4096 * 4096) / 2;
    const body = "a".repeat(900_000);
    // The first has the one connection; the others wait with their bodies.
    for (let i = 0; i < 20; i++) {
      expect(await ask(rig, "HTTP/1.1", { method: "POST", path: "/x", body })).toMatchObject({ status: 200 });
    }
    const used = await bufferBytes(rig);
    expect(used).toBeGreaterThan(half - 1_100_000);
    expect(used).toBeLessThan(half + 1_100_000);
    expect((await copies(rig)).givenUp).toBeGreaterThanOrEqual(20 - 11);
    expect(await rig.page()).toContain('turnpike_buffer_refusals_total{pool="stream"} 0\n');
    mirror.response = echo;
    for (const connection of mirror.connections) connection.reset();
    await rig.settled();
  });

  test("failures take only the mirror's server out of rotation", async () => {
    const [main, mirror] = [await rawOrigin(), await rawOrigin()];
    mirror.response = (_, connection) => connection.reset();
    const rig = await startMirroring(main, mirror);
    for (let i = 0; i < 6; i++) {
      expect(await ask(rig, "HTTP/1.1", { path: `/${i}` })).toMatchObject({ status: 200 });
      await counted(rig, { requests: i + 1, givenUp: 0, failures: i + 1 });
    }
    expect(mirror.requests).toHaveLength(3);
    const page = await rig.page();
    expect(page).toMatch(/server_in_rotation{upstream="mirror",[^}]*} 0\n/);
    expect(page).toMatch(/server_in_rotation{upstream="main",[^}]*} 1\n/);
  });
});
