import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { createConnection } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listen, type Listener } from "./tcp.ts";
import { connect } from "./testing/connect.ts";
import { type Wire, type WireHandler } from "./wire.ts";

let errors: string[];
let listener: Listener | undefined;

beforeEach(() => {
  errors = [];
  listener = undefined;
});
afterEach(() => listener?.stop());

function onError(error: unknown): void {
  errors.push(String(error));
}

/** A handler that records its events. `act` is called with each chunk. */
class Recorder implements WireHandler {
  readonly heard: string[] = [];
  readonly #closed = Promise.withResolvers<void>();
  readonly #act: (chunk: Buffer) => void;
  constructor(act: (chunk: Buffer) => void = () => {}) {
    this.#act = act;
  }
  get closed(): Promise<void> {
    return this.#closed.promise;
  }
  onData(chunk: Buffer): void {
    this.heard.push(chunk.toString());
    this.#act(chunk);
  }
  onDrain(): void {}
  onEnd(): void {
    this.heard.push("end");
  }
  onClose(): void {
    this.heard.push("close");
    this.#closed.resolve();
  }
}

function serve(accept: (wire: Wire) => WireHandler): { readonly address: string; readonly port: number } {
  listener = listen({ address: "127.0.0.1", port: 0, reusePort: false, accept, onError });
  return { address: "127.0.0.1", port: listener.port };
}

function send(wire: Wire, text: string): void {
  const bytes = Buffer.from(text);
  wire.write(bytes, 0, bytes.length);
}

test("each side gets the data of the other, its end if that comes first, and the close once", async () => {
  const server = new Recorder();
  const client = new Recorder();
  let accepted: Wire | undefined;
  const endpoint = serve((wire) => {
    accepted = wire;
    return server;
  });
  const wire = await connect(endpoint, client, onError);
  send(wire, "hello");
  wire.shutdown();
  while (!server.heard.includes("end")) await Bun.sleep(1);
  if (accepted !== undefined) send(accepted, "bye");
  accepted?.shutdown();
  await Promise.all([server.closed, client.closed]);
  expect([server.heard, client.heard, errors]).toEqual([["hello", "end", "close"], ["bye", "close"], []]);
});

test("after a close, bytes that were taken still arrive, followed by a FIN and no reset", async () => {
  const response = "x".repeat(50_000);
  const endpoint = serve(
    (wire) =>
      new Recorder(() => {
        send(wire, response);
        wire.close();
      }),
  );
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let got = "";
  const client = createConnection({ host: endpoint.address, port: endpoint.port }, () => client.write("hello"));
  client.on("data", (chunk) => (got += chunk.toString()));
  client.on("error", reject);
  client.on("end", () => resolve(got));
  expect([await promise, errors]).toEqual([response, []]);
  client.destroy();
});

test("an error in a handler closes its connection and is reported, and other connections continue", async () => {
  const good = new Recorder();
  const handlers = [
    new Recorder(() => {
      throw new Error("broken");
    }),
    good,
  ];
  const endpoint = serve(() => handlers.shift() ?? good);
  const [first, second] = [new Recorder(), new Recorder()];
  const broken = await connect(endpoint, first, onError);
  const sound = await connect(endpoint, second, onError);
  send(broken, "x");
  await first.closed;
  send(sound, "y");
  while (good.heard.length === 0) await Bun.sleep(1);
  expect([errors, good.heard]).toEqual([["Error: broken"], ["y"]]);
  sound.terminate();
});

test("an error while a connection is accepted is reported once", async () => {
  const endpoint = serve(() => {
    throw new Error("broken");
  });
  const client = new Recorder();
  await connect(endpoint, client, onError);
  await client.closed;
  expect(errors).toEqual(["Error: broken"]);
});

test("a connection that is closed while it is accepted causes no error", async () => {
  const endpoint = serve((wire) => {
    wire.terminate();
    return new Recorder();
  });
  const client = new Recorder();
  await connect(endpoint, client, onError);
  await client.closed;
  expect(errors).toEqual([]);
});

test("a connection to a closed port or an absent socket is refused", async () => {
  const { port } = serve(() => new Recorder());
  listener?.stop();
  expect(await failure(connect({ address: "127.0.0.1", port }, new Recorder(), onError))).toBeInstanceOf(Error);
  const folder = mkdtempSync(join(tmpdir(), "turnpike-test-"));
  const absent = { unix: join(folder, "absent.sock") };
  expect(await failure(connect(absent, new Recorder(), onError))).toBeInstanceOf(Error);
  rmSync(folder, { recursive: true });
});

async function failure(attempt: Promise<Wire>): Promise<unknown> {
  return await attempt.then(
    () => undefined,
    (error: unknown) => error,
  );
}

function deaf(): WireHandler {
  return new Recorder();
}

test("a port can be bound once, unless all listeners share it", () => {
  const { port } = serve(() => new Recorder());
  for (const reusePort of [false, true]) {
    expect(() => listen({ address: "127.0.0.1", port, reusePort, accept: deaf, onError })).toThrow();
  }
  const shared = listen({ address: "127.0.0.1", port: 0, reusePort: true, accept: deaf, onError });
  const again = listen({ address: "127.0.0.1", port: shared.port, reusePort: true, accept: deaf, onError });
  expect(() => listen({ address: "127.0.0.1", port: shared.port, reusePort: false, accept: deaf, onError })).toThrow();
  shared.stop();
  again.stop();
});

/** Connects a silent client, then one that sends data. True if the second one is accepted first. */
async function speaksFirst(port: number, accepted: number[]): Promise<boolean> {
  accepted.length = 0;
  const silent = createConnection(port, "127.0.0.1");
  await new Promise((resolve) => silent.once("connect", resolve));
  const speaker = createConnection(port, "127.0.0.1", () => speaker.write("hello"));
  while (accepted.length < 2) await Bun.sleep(1);
  const isFirst = accepted[0] === speaker.localPort;
  silent.destroy();
  speaker.destroy();
  return isFirst;
}

test("with deferAccept a silent connection is accepted after one that sends data", async () => {
  const accepted: number[] = [];
  const accept = (wire: Wire): WireHandler => {
    accepted.push(Number(Reflect.get(wire, "remotePort")));
    return new Recorder();
  };
  listener = listen({ address: "127.0.0.1", port: 0, reusePort: false, deferAccept: true, accept, onError });
  let isFirst = false;
  // The kernel waits for one second. If the machine stops for longer, another try is necessary.
  for (let i = 0; i < 5 && !isFirst; i++) isFirst = await speaksFirst(listener.port, accepted);
  expect(isFirst).toBe(true);
});
