import { expect, test } from "bun:test";
import { createServer } from "node:net";
import { connect } from "node:tls";
import { listenOnLoopback } from "../../lib/testing/listen.ts";
import { type ClientHello, readClientHello } from "./client-hello.ts";

/** The first bytes that a client of node:tls sends. */
async function helloOf(options: { servername?: string; ALPNProtocols?: string[] }): Promise<Buffer> {
  const { promise, resolve } = Promise.withResolvers<Buffer>();
  const server = createServer((socket) => {
    const parts: Buffer[] = [];
    socket.on("error", () => {});
    socket.on("data", (part) => {
      parts.push(part);
      const bytes = Buffer.concat(parts);
      if (readClientHello(bytes) === "unfinished") return;
      socket.destroy();
      resolve(bytes);
    });
  });
  const port = await listenOnLoopback(server);
  connect({ port, host: "127.0.0.1", ...options }).on("error", () => {});
  const bytes = await promise;
  server.close();
  return bytes;
}

test("a client's name and protocols are read", async () => {
  const bytes = await helloOf({ servername: "A.test", ALPNProtocols: ["h2", "acme-tls/1"] });
  const hello: ClientHello = { serverName: "a.test", protocols: ["h2", "acme-tls/1"] };
  expect(readClientHello(bytes)).toEqual(hello);
  const [record] = [bytes.subarray(0, 5)];
  const message = bytes.subarray(5, 5 + record.readUInt16BE(3));
  for (let length = 0; length < 5 + message.length; length++) {
    expect(readClientHello(bytes.subarray(0, length))).toBe("unfinished");
  }
  // The same message in records of 3 bytes each.
  const parts: Buffer[] = [];
  for (let at = 0; at < message.length; at += 3) {
    const part = message.subarray(at, at + 3);
    parts.push(Buffer.from([22, 3, 1, 0, part.length]), part);
  }
  expect(readClientHello(Buffer.concat(parts))).toEqual(hello);
});

test("a ClientHello without name and protocols is read", async () => {
  expect(readClientHello(await helloOf({}))).toEqual({ serverName: "", protocols: [] });
});

test("other messages, and messages with a wrong length, are not a ClientHello", async () => {
  expect(readClientHello(Buffer.from("GET / HTTP/1.1\r\n"))).toBeUndefined();
  expect(readClientHello(Buffer.from([22, 3, 1, 0, 0]))).toBeUndefined();
  expect(readClientHello(Buffer.from([22, 3, 1, 0xff, 0xff]))).toBeUndefined();
  expect(readClientHello(Buffer.from([22, 3, 1, 0, 4, 2, 0, 0, 0]))).toBeUndefined();
  expect(readClientHello(Buffer.from([22, 3, 1, 0, 4, 1, 0xff, 0, 0]))).toBeUndefined();
  const bytes = await helloOf({ servername: "a.test" });
  // No change of a single byte makes it throw.
  for (let at = 0; at < bytes.length; at++) {
    for (const value of [0, 1, 0x7f, 0xff]) {
      const changed = Buffer.from(bytes);
      changed[at] = value;
      expect(() => readClientHello(changed)).not.toThrow();
    }
  }
});
