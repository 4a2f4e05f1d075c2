import { afterEach, expect, test } from "bun:test";
import { connect as connectNet, createServer as createNetServer, type Server, type Socket } from "node:net";
import { createServer, type TLSSocket, type TlsOptions } from "node:tls";
import { type Certificate, makeCertificate } from "../../../test/support/certificates.ts";
import { listenOnLoopback } from "../../lib/testing/listen.ts";
import { DEAF } from "./tcp.ts";
import { connectTls, type TlsClientOptions, trustOf } from "./tls-connect.ts";
import { type Wire, type WireHandler } from "./wire.ts";

const authority = makeCertificate({ subject: [["CN", "authority"]], isCa: true });
const sound = makeCertificate({ hostnames: ["own.test", "*.wild.test", "127.0.0.1"], issuer: authority });
const nameless = makeCertificate({ hostnames: ["own.test"], issuer: authority });
const options: TlsClientOptions = {
  verify: true,
  serverName: "own.test",
  protocols: [],
  trust: trustOf(authority.cert),
};

const servers: Server[] = [];
const wires: Wire[] = [];

afterEach(() => {
  cut = { at: Number.POSITIVE_INFINITY, act: () => {} };
  for (const wire of wires.splice(0)) wire.terminate();
  for (const server of servers.splice(0)) server.close();
});

function listening(server: Server): Promise<number> {
  servers.push(server);
  return listenOnLoopback(server);
}

/** Starts a TLS server. `asked` are the server names that its connections asked for. */
async function serve(
  { cert, key }: Certificate,
  rest: TlsOptions = {},
  onSocket: (socket: TLSSocket) => void = (socket) => socket.end("hello"),
): Promise<{ port: number; asked: (string | false)[] }> {
  const asked: (string | false)[] = [];
  const server = createServer({ cert, key, ...rest }, (socket) => {
    socket.on("error", () => {});
    asked.push(Reflect.get(socket, "servername") as string | false); // As Node documents it.
    onSocket(socket);
  });
  server.on("tlsClientError", () => {});
  return { port: await listening(server), asked };
}

/** An action that runs when a client has read `at` bytes. */
let cut = { at: Number.POSITIVE_INFINITY, act: (): void => {} };

class Heard implements WireHandler {
  text = "";
  bytes = 0;
  readonly events: string[] = [];
  readonly over = Promise.withResolvers<void>();
  onDrain(): void {}
  onData(chunk: Buffer): void {
    this.bytes += chunk.length;
    if (this.text.length < 100) this.text += chunk.toString("latin1");
    if (this.bytes >= cut.at) cut.act();
  }
  onEnd(): void {
    this.events.push("end");
    wires.at(-1)?.close();
  }
  onClose(): void {
    this.events.push("close");
    this.over.resolve();
  }
}

function rethrow(error: unknown): never {
  throw error;
}

async function reach(
  port: number,
  change: Partial<TlsClientOptions> = {},
): Promise<{ heard: Heard; protocol: string }> {
  const heard = new Heard();
  let protocol = "";
  const accept = (wire: Wire, agreed: string): WireHandler => {
    wires.push(wire);
    protocol = agreed;
    return heard;
  };
  await connectTls({ address: "127.0.0.1", port }, { ...options, ...change }, accept, rethrow).done;
  return { heard, protocol };
}

function codeOf(reached: Promise<unknown>): Promise<unknown> {
  return reached.then(
    () => "reached",
    (error: unknown) => Reflect.get(error as object, "code"), // Rejections are errors.
  );
}

test("a valid certificate is accepted by name, wildcard or address, and only names are sent as SNI", async () => {
  const { port, asked } = await serve(sound);
  for (const serverName of ["own.test", "a.wild.test", ""]) {
    const { heard } = await reach(port, { serverName });
    await heard.over.promise;
    expect([heard.text, heard.events]).toEqual(["hello", ["end", "close"]]);
  }
  expect(asked).toEqual(["own.test", "a.wild.test", false]);
});

const expired = makeCertificate({ hostnames: ["own.test"], issuer: authority, from: -10, to: -1 });
const early = makeCertificate({ hostnames: ["own.test"], issuer: authority, from: 5, to: 10 });
const foreign = makeCertificate({ hostnames: ["own.test"] });

for (const [what, certificate, serverName, code] of [
  ["for another name", sound, "other.test", "ERR_TLS_CERT_ALTNAME_INVALID"],
  ["for a name below its wildcard's", sound, "a.b.wild.test", "ERR_TLS_CERT_ALTNAME_INVALID"],
  ["without the address", nameless, "", "ERR_TLS_CERT_ALTNAME_INVALID"],
  ["that has expired", expired, "own.test", "CERT_HAS_EXPIRED"],
  ["that is not valid yet", early, "own.test", "CERT_NOT_YET_VALID"],
  ["that is self-signed", foreign, "own.test", "DEPTH_ZERO_SELF_SIGNED_CERT"],
] as const) {
  test(`a certificate ${what} is refused, and accepted without verification`, async () => {
    const { port } = await serve(certificate);
    expect(await codeOf(reach(port, { serverName }))).toBe(code);
    const { heard } = await reach(port, { serverName, verify: false });
    await heard.over.promise;
    expect(heard.text).toBe("hello");
  });
}

test("an authority that the system does not know is not trusted", async () => {
  const { port } = await serve(sound);
  const code = await codeOf(reach(port, { trust: trustOf("") }));
  expect(["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "UNABLE_TO_GET_ISSUER_CERT_LOCALLY"]).toContain(String(code));
});

test("the protocol is one that both sides support, and empty if the server has no ALPN", async () => {
  const both = await serve(sound, { ALPNProtocols: ["h2", "http/1.1"] });
  const old = await serve(sound);
  const protocols = ["h2", "http/1.1"];
  expect((await reach(both.port, { protocols })).protocol).toBe("h2");
  expect((await reach(both.port, { protocols: ["http/1.1"] })).protocol).toBe("http/1.1");
  expect((await reach(old.port, { protocols })).protocol).toBe("");
});

for (const [what, code, onSocket] of [
  ["garbage", "EPROTO", (socket: Socket) => socket.write("HTTP/1.1 400 Bad Request\r\n\r\n")],
  ["a FIN", "EOF", (socket: Socket) => socket.end()],
  ["a reset", "ECONNRESET", (socket: Socket) => socket.resetAndDestroy()],
] as const) {
  test(`${what} in place of a handshake is a failure, even without verification`, async () => {
    const server = createNetServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () => onSocket(socket));
    });
    const port = await listening(server);
    for (const verify of [true, false]) expect(await codeOf(reach(port, { verify }))).toBe(code);
  });
}

/** Passes on the first `cutAt` bytes of a server and then a FIN, or all bytes with the one at `cutAt` changed. */
function spoiling(target: number, cutAt: number, isChange: boolean): Promise<number> {
  return listening(
    createNetServer((client) => {
      const upstream = connectNet(target, "127.0.0.1");
      let passed = 0;
      for (const socket of [client, upstream]) socket.on("error", () => {});
      client.pipe(upstream);
      upstream.on("data", (chunk: Buffer) => {
        const at = cutAt - passed;
        passed += chunk.length;
        if (isChange && at >= 0 && at < chunk.length) chunk[at] = (chunk[at] ?? 0) ^ 0x55;
        client.write(isChange ? chunk : chunk.subarray(0, Math.max(at, 0)));
        if (!isChange && passed >= cutAt) client.end();
      });
      upstream.once("close", () => client.end());
      client.once("close", () => upstream.destroy());
    }),
  );
}

for (const version of ["TLSv1.2", "TLSv1.3"] as const) {
  test(`a handshake that is cut or changed is a failure, even without verification (${version})`, async () => {
    const { port } = await serve(sound, { minVersion: version, maxVersion: version }, () => {});
    for (const isChange of [true, false]) {
      for (const at of [3, 50, 120, 200, 350, 500, 600]) {
        const spoiled = await spoiling(port, at, isChange);
        for (const verify of [true, false]) {
          const code = await Promise.race([codeOf(reach(spoiled, { verify })), Bun.sleep(500).then(() => "waits")]);
          expect(code, `${isChange ? "changed" : "cut"} at ${at}`).not.toBe("reached");
        }
      }
    }
  });
}

for (const version of ["TLSv1.2", "TLSv1.3"] as const) {
  test(`a session is resumed for the name that it was verified for, and for no other (${version})`, async () => {
    const trust = trustOf(authority.cert);
    const reused: boolean[] = [];
    const only = { minVersion: version, maxVersion: version };
    const { port } = await serve(sound, only, (socket) => {
      reused.push(socket.isSessionReused());
      socket.end("hello");
    });
    for (const change of [
      {},
      {},
      { serverName: "a.wild.test" },
      { verify: false },
      { trust: trustOf(authority.cert) },
    ]) {
      const { heard } = await reach(port, { trust, ...change });
      await heard.over.promise;
      expect(heard.events).toEqual(["end", "close"]);
    }
    expect(reused).toEqual([false, true, false, false, false]);
    // A session that was verified for one name is not used for another.
    expect(await codeOf(reach(port, { trust, serverName: "other.test" }))).toBe("ERR_TLS_CERT_ALTNAME_INVALID");
  });
}

test("TLS 1.1 is not supported", async () => {
  const { port } = await serve(sound, { minVersion: "TLSv1", maxVersion: "TLSv1.1" });
  for (const verify of [true, false]) expect(await codeOf(reach(port, { verify }))).toBe("EPROTO");
});

test("an aborted handshake closes the connection to a server that does not respond", async () => {
  const gone = Promise.withResolvers<void>();
  const began = Promise.withResolvers<void>();
  const server = createNetServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => began.resolve());
    socket.once("close", () => gone.resolve());
  });
  const port = await listening(server);
  const connecting = connectTls({ address: "127.0.0.1", port }, options, () => DEAF, rethrow);
  await began.promise;
  connecting.abort();
  expect(connecting.done).rejects.toThrow("ABORTED");
  await gone.promise;
});

/** Passes bytes on to `target`. When its client has read `bytes`, closes the connection without a `close_notify`. */
function cutting(target: number, bytes: number): Promise<number> {
  return listening(
    createNetServer((client) => {
      const upstream = connectNet(target, "127.0.0.1");
      for (const socket of [client, upstream]) socket.on("error", () => {});
      client.pipe(upstream);
      upstream.on("data", (chunk: Buffer) => {
        client.write(chunk);
      });
      cut = { at: bytes, act: () => client.end() };
      client.once("close", () => upstream.destroy());
    }),
  );
}

for (const version of ["TLSv1.2", "TLSv1.3"] as const) {
  test(`a connection that is cut closes, and one with a close_notify ends (${version})`, async () => {
    for (const bytes of [1, 2, 3, 1000, 100_000]) {
      const only = { minVersion: version, maxVersion: version };
      const open = await serve(sound, only, (socket) => {
        socket.write(Buffer.alloc(bytes));
      });
      const whole = await serve(sound, only, (socket) => socket.end(Buffer.alloc(bytes)));
      for (const [port, events] of [
        [whole.port, ["end", "close"]],
        [await cutting(open.port, bytes), ["close"]],
      ] as const) {
        const { heard } = await reach(port);
        await heard.over.promise;
        expect([heard.bytes, heard.events]).toEqual([bytes, [...events]]);
      }
    }
  });
}

for (const version of ["TLSv1.2", "TLSv1.3"] as const) {
  test(`a client that has sent its end still receives data (${version})`, async () => {
    const only = { minVersion: version, maxVersion: version, allowHalfOpen: true };
    const { port } = await serve(sound, only, (socket) => {
      let text = "";
      socket.on("data", (chunk: Buffer) => {
        text += chunk.toString();
      });
      socket.on("end", () => socket.end(`you said ${text}`));
    });
    const { heard } = await reach(port);
    wires.at(-1)?.write(Buffer.from("hello"), 0, 5);
    wires.at(-1)?.shutdown();
    await heard.over.promise;
    expect([heard.text, heard.events]).toEqual(["you said hello", ["end", "close"]]);
  });
}

test("many bytes arrive completely in both directions, even with slow readers", async () => {
  const size = 50_000_000;
  const received = Promise.withResolvers<number>();
  const { port } = await serve(sound, { allowHalfOpen: true }, (socket) => {
    let count = 0;
    socket.write(Buffer.alloc(size, 1));
    socket.on("data", (chunk: Buffer) => {
      count += chunk.length;
      socket.pause();
      setImmediate(() => socket.resume());
      if (count === size) received.resolve(count);
    });
  });
  const chunk = Buffer.alloc(size, 2);
  let sent = 0;
  const all = Promise.withResolvers<void>();
  class Both extends Heard {
    wire: Wire | undefined;
    push(): void {
      while (sent < size) {
        const taken = this.wire?.write(chunk, sent, size - sent) ?? 0;
        if (taken <= 0) return;
        sent += taken;
      }
    }
    override onDrain(): void {
      this.push();
    }
    override onData(bytes: Buffer): void {
      super.onData(bytes);
      this.wire?.pause();
      setImmediate(() => this.wire?.resume());
      if (this.bytes === size) all.resolve();
    }
  }
  const both = new Both();
  const accept = (wire: Wire): WireHandler => {
    wires.push(wire);
    both.wire = wire;
    return both;
  };
  await connectTls({ address: "127.0.0.1", port }, options, accept, rethrow).done;
  both.push();
  await Promise.all([all.promise, received.promise]);
  expect([both.bytes, sent]).toEqual([size, size]);
});
