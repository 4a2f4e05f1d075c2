/** Calls of @grpc/grpc-js through the gateway, without TLS and over TLS. */
import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { status } from "@grpc/grpc-js";
import { LOCALHOST, TEST_CA } from "../support/certificates.ts";
import { Folder } from "../support/program.ts";
import { Rig } from "../proxy/testing/rig.ts";
import { EchoClient, EchoServer, type Outcome } from "./testing/echo-service.ts";
import { patient } from "../../src/lib/testing/patience.ts";

const TIME_MS = patient(30_000);
/** For a busy machine. */
setDefaultTimeout(TIME_MS);

function textsOf({ messages }: Outcome): string[] {
  return messages.map((message) => message.toString());
}

/** The failures that the clients saw. */
function failuresOf(outcomes: readonly Outcome[]): string[] {
  return outcomes.flatMap(({ code, details }) => (code === 0 ? [] : [`${code} ${details}`]));
}

const LARGE_BYTES = 5_000_000;

const folder = new Folder();
const caPath = folder.write("ca.pem", TEST_CA.cert);
afterAll(() => folder.remove());

describe.each([
  ["in the clear", undefined],
  ["over TLS", { cert: LOCALHOST.cert, key: LOCALHOST.key }],
] as const)("%s", (_about, tls) => {
  let server: EchoServer;
  let rig: Rig;
  let client: EchoClient;

  beforeAll(async () => {
    server = await EchoServer.start({ name: "one", ...(tls === undefined ? {} : { tls }) });
    const protocol = tls === undefined ? { protocol: "h2c" } : { protocol: "h2", tls: true, tls_ca_path: caPath };
    rig = await Rig.start({
      upstreams: [{ name: "echo", ...protocol, servers: [{ address: "127.0.0.1", port: server.port }] }],
      routes: [{ path_prefix: "/", upstream: "echo" }],
      quic: tls !== undefined,
    });
    client = new EchoClient(tls === undefined ? rig.port : rig.tlsPort, tls === undefined ? undefined : TEST_CA.cert);
  });

  afterEach(async () => {
    await rig.settled();
    expect(rig.logged).toEqual([]);
    server.calls.length = 0;
  });

  afterAll(async () => {
    client.close();
    server.stop();
    await rig.stop();
  });

  test("a unary call gets its response, with metadata in both directions", async () => {
    const bytes = Buffer.from([0, 1, 0x7f, 0x80, 0xff]);
    const outcome = await client.unary("hello", {
      metadata: { "x-echo": ["a", "b"], "x-echo-bin": [bytes, Buffer.from("second")] },
    }).outcome;
    expect([outcome.code, textsOf(outcome)]).toEqual([status.OK, ["hello"]]);
    expect(outcome.metadata.get("x-server")).toEqual(["one"]);
    // An intermediary may join repeated keys with commas (gRPC over HTTP/2, Custom-Metadata).
    expect(outcome.metadata.get("x-echo").join(", ")).toBe("a, b");
    expect(outcome.metadata.get("x-echo-bin")).toEqual([bytes, Buffer.from("second")]);
    expect(outcome.trailers.get("x-trailer-bin")).toEqual([bytes, Buffer.from("second")]);
    expect(server.calls[0]?.metadata.get("x-echo").join(", ")).toBe("a, b");
  });

  test("an empty message is a message", async () => {
    const outcome = await client.unary("").outcome;
    expect([outcome.code, textsOf(outcome)]).toEqual([status.OK, [""]]);
  });

  test("an error has its status, its details and its trailers", async () => {
    const outcome = await client.unary("fail 9 schön ✓, 100 %", { metadata: { "x-echo-bin": Buffer.from("why") } })
      .outcome;
    expect([outcome.code, outcome.details]).toEqual([status.FAILED_PRECONDITION, "schön ✓, 100 %"]);
    expect(outcome.trailers.get("x-trailer-bin")).toEqual([Buffer.from("why")]);
    expect(outcome.messages).toEqual([]);
  });

  test("an error without a header section before it has them too", async () => {
    const outcome = await client.unary("fail 16 who are you", { metadata: { "x-late-head": "1" } }).outcome;
    expect([outcome.code, outcome.details]).toEqual([status.UNAUTHENTICATED, "who are you"]);
  });

  test("a client streams 1,000 messages", async () => {
    const call = client.collect();
    for (let i = 0; i < 1000; i++) call.call.write(Buffer.from(`message ${i}`));
    call.call.end();
    const outcome = await call.outcome;
    expect([outcome.code, textsOf(outcome)]).toEqual([status.OK, ["1000 10890"]]);
  });

  test("a server streams 1,000 messages", async () => {
    const outcome = await client.count("count 1000").outcome;
    expect(outcome.code).toBe(status.OK);
    expect(textsOf(outcome)).toEqual(Array.from({ length: 1000 }, (_, i) => String(i)));
  });

  test("both stream 1,000 messages at the same time", async () => {
    const call = client.chat();
    const sent = Array.from({ length: 1000 }, (_, i) => `message ${i}`);
    for (const message of sent) call.call.write(Buffer.from(message));
    call.call.end();
    const outcome = await call.outcome;
    expect([outcome.code, textsOf(outcome)]).toEqual([status.OK, sent]);
  });

  test("each message arrives before the next is sent", async () => {
    const call = client.chat();
    for (let i = 0; i < 50; i++) {
      call.call.write(Buffer.from(`${i}`));
      // oxlint-disable-next-line eslint/no-await-in-loop -- that is what is tested
      await call.has(i + 1);
    }
    call.call.end();
    expect((await call.outcome).code).toBe(status.OK);
  });

  test("messages larger than all windows pass both ways", async () => {
    const large = Buffer.alloc(LARGE_BYTES);
    for (let i = 0; i < large.length; i += 997) large[i] = i;
    const outcome = await client.unary(large).outcome;
    expect(outcome.code).toBe(status.OK);
    expect(outcome.messages[0]?.equals(large)).toBe(true);
  });

  test("a server that ends early ends the call, and further messages of the client are discarded", async () => {
    const call = client.collect();
    call.call.write(Buffer.from("one"));
    call.call.write(Buffer.from("bye"));
    const outcome = await call.outcome;
    expect([outcome.code, textsOf(outcome)]).toEqual([status.OK, ["early 2"]]);
    const chat = client.chat();
    chat.call.write(Buffer.from("fail 8 enough"));
    const refused = await chat.outcome;
    expect([refused.code, refused.details]).toEqual([status.RESOURCE_EXHAUSTED, "enough"]);
  });

  test("a client's cancel reaches the server", async () => {
    const call = client.chat();
    call.call.write(Buffer.from("one"));
    await call.has(1);
    call.call.cancel();
    expect((await call.outcome).code).toBe(status.CANCELLED);
    await server.until("the cancel", () => server.calls.find(({ cancelled }) => cancelled));
  });

  test("a deadline ends the call at both ends", async () => {
    const outcome = await client.unary("hang", { deadlineMs: 400 }).outcome;
    expect(outcome.code).toBe(status.DEADLINE_EXCEEDED);
    await server.until("the cancel", () => server.calls.find(({ cancelled }) => cancelled));
  });

  test("100 simultaneous calls each have one response", async () => {
    const calls = Array.from({ length: 100 }, (_, i) => client.unary(`call ${i}`));
    const outcomes = await Promise.all(calls.map(({ outcome }) => outcome));
    expect(outcomes.map((outcome) => [outcome.code, ...textsOf(outcome)])).toEqual(
      calls.map((_, i) => [status.OK, `call ${i}`]),
    );
  });

  test("a stream that its client does not read delays no other call", async () => {
    const slow = client.count("count 200 100000", { metadata: {} });
    await slow.has(1);
    slow.call.pause();
    const calls = Array.from({ length: 50 }, (_, i) => client.unary(`call ${i}`));
    const outcomes = await Promise.all(calls.map(({ outcome }) => outcome));
    expect(failuresOf(outcomes)).toEqual([]);
    slow.call.resume();
    const outcome = await slow.outcome;
    expect([outcome.code, outcome.messages.length]).toEqual([status.OK, 200]);
  });
});

describe("servers that start and stop", () => {
  const servers: EchoServer[] = [];
  let rig: Rig | undefined;
  let client: EchoClient | undefined;

  afterEach(async () => {
    client?.close();
    for (const server of servers.splice(0)) server.stop();
    await rig?.stop();
  });

  async function serve(count: number): Promise<{ client: EchoClient; rig: Rig }> {
    for (let i = 0; i < count; i++) {
      // oxlint-disable-next-line eslint/no-await-in-loop -- their order is that of their names
      servers.push(await EchoServer.start({ name: String(i) }));
    }
    rig = await Rig.start({
      upstreams: [
        { name: "echo", protocol: "h2c", servers: servers.map(({ port }) => ({ address: "127.0.0.1", port })) },
      ],
      // After a failed connection a call may try the other server. Calls are POST requests, which are not retried by
      // default.
      routes: [{ path_prefix: "/", upstream: "echo", retry: { connect_any_method: true } }],
    });
    client = new EchoClient(rig.port);
    return { client, rig };
  }

  test("without a server, a call ends UNAVAILABLE", async () => {
    const { client: caller } = await serve(1);
    servers[0]?.stop();
    const outcome = await caller.unary("hello").outcome;
    expect([outcome.code, outcome.details]).toEqual([status.UNAVAILABLE, "the upstream refused the connection"]);
  });

  test("when a server is killed during a stream, the call ends UNAVAILABLE after the messages that were sent", async () => {
    const { client: caller } = await serve(1);
    const call = caller.chat();
    call.call.write(Buffer.from("one"));
    await call.has(1);
    servers[0]?.stop();
    const outcome = await call.outcome;
    expect([outcome.code, outcome.messages.length]).toEqual([status.UNAVAILABLE, 1]);
    expect(outcome.details).toContain("upstream");
  });

  test("a server that stops under load fails no call", async () => {
    const { client: caller, rig: running } = await serve(2);
    const outcomes: Outcome[] = [];
    let left: Promise<void> | undefined;
    const callers = Array.from({ length: 20 }, async (_, worker) => {
      for (let i = 0; i < 50; i++) {
        // oxlint-disable-next-line eslint/no-await-in-loop -- one call after the other
        outcomes.push(await caller.unary(`call ${worker} ${i}`).outcome);
        if (outcomes.length === 300) left = servers[0]?.drain();
      }
    });
    await Promise.all(callers);
    await left;
    expect(failuresOf(outcomes)).toEqual([]);
    expect(outcomes.length).toBe(1000);
    await running.settled();
  });
});
