/** The changes of the engine's UDP socket: its port, and the packets that the kernel drops before the engine reads them. */
import { afterEach, expect, test } from "bun:test";
import { dlopen, FFIType, ptr } from "bun:ffi";
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { LOCALHOST } from "../../../test/support/certificates.ts";
import { Http3Client } from "../../../test/support/http3-client.ts";
import { respond } from "../exchange/local-response.ts";
import { prepareSocket } from "./engine-socket.ts";
import { startEndpoint, type TestEndpoint } from "./testing/endpoint.ts";
import { udpDescriptors } from "./udp-sockets.ts";

const { i32, ptr: pointer } = FFIType;
const { symbols } = dlopen("libc.so.6", {
  getsockopt: { args: [i32, i32, i32, pointer, pointer], returns: i32 },
});

const VERSION_2 = 0x6b33_43cf;
const UNKNOWN_VERSION = 0x1a2a_3a4a;
/** The least length of a datagram with an Initial packet (RFC 9000 §14.1). */
const LEAST = 1200;

const open: { close(): unknown }[] = [];

afterEach(async () => {
  for (const one of open.splice(0).toReversed()) await one.close();
});

async function serve(address: string, port = 0): Promise<TestEndpoint> {
  const material = { fallback: LOCALHOST, named: [], clientCa: "", clientCertRequired: true };
  const server = await startEndpoint((exchange) => respond(exchange, 204, "", new Uint8Array(0)), {
    material,
    address,
    port,
  });
  open.push(server);
  return server;
}

async function statusAt(port: number, host: string): Promise<unknown> {
  const client = await Http3Client.connect(port, {}, undefined, host);
  open.push(client);
  return (await client.request("GET", "/")).headers[":status"];
}

async function bound(address: string, port = 0): Promise<Socket> {
  const socket = createSocket("udp4");
  socket.bind({ address, port, exclusive: true });
  await once(socket, "listening");
  open.push(socket);
  return socket;
}

/** A packet with a long header (RFC 9000 §17.2), whose connection ids begin with `mark`. */
function packet(length: number, mark: number, { first = 0xc0, version = UNKNOWN_VERSION } = {}): Buffer {
  const bytes = Buffer.alloc(length, mark);
  bytes[0] = first;
  bytes.writeUInt32BE(version, 1);
  bytes[5] = 8;
  bytes[14] = 8;
  return bytes;
}

test.each([
  ["127.0.0.1", "127.0.0.1"],
  ["::1", "[::1]"],
])("an endpoint serves %s, on a free port and on a given one, which two endpoints can share", async (address, host) => {
  const free = await serve(address);
  const { port } = free;
  expect(await statusAt(port, host)).toBe("204");
  await free.close();
  const given = await serve(address, port);
  expect(given.port).toBe(port);
  expect(await statusAt(port, host)).toBe("204");
  expect((await serve(address, port)).port).toBe(port);
  expect(udpDescriptors("self", new Set([port])).length).toBe(2);
  // Other addresses of this machine keep the port.
  await bound("127.0.0.2", port);
});

test.each(["127.0.0.1", "::1"])("the kernel reports no ICMP errors to an endpoint at %s", async (address) => {
  const { port } = await serve(address);
  const [fd = -1] = udpDescriptors("self", new Set([port]));
  // IP_RECVERR, and IPV6_RECVERR for sockets of that family.
  for (const [level, name] of address === "::1"
    ? ([
        [0, 11],
        [41, 25],
      ] as const)
    : ([[0, 11]] as const)) {
    const value = new Int32Array([7]);
    expect(symbols.getsockopt(fd, level, name, ptr(value), ptr(new Uint32Array([4])))).toBe(0);
    expect(value[0]).toBe(0);
  }
});

test("a port that a socket does not share cannot be listened on, and no socket stays open", async () => {
  const { port } = (await bound("127.0.0.1")).address();
  expect(await serve("127.0.0.1", port).catch(String)).toContain(`Cannot listen on 127.0.0.1:${port}: UDP cannot be`);
  expect(udpDescriptors("self", new Set([port])).length).toBe(1);
});

test("a socket that does not exist, or that shares its port with another, is not prepared", async () => {
  const first = await bound("127.0.0.1");
  const { port } = first.address();
  const plan = { address: "127.0.0.1", port: 0 };
  prepareSocket(port, plan);
  await bound("127.0.0.2", port);
  const error = "Cannot serve HTTP/3: the UDP socket cannot be found";
  expect(() => prepareSocket(port, plan)).toThrow(error);
  for (const socket of open.splice(0)) socket.close();
  await once(first, "close");
  expect(() => prepareSocket(port, plan)).toThrow(error);
});

test("short Initials, unknown versions in short datagrams and packets of servers are dropped, and clients are served", async () => {
  const server = await serve("127.0.0.1");
  const socket = createSocket("udp4");
  open.push(socket);
  const send = (bytes: Buffer): void => socket.send(bytes, server.port, "127.0.0.1");
  send(packet(LEAST - 1, 1));
  send(packet(LEAST - 1, 2, { version: 1 }));
  send(packet(LEAST, 3, { version: 0 }));
  send(packet(LEAST, 4, { version: 1, first: 0xf0 }));
  send(packet(LEAST - 1, 5, { version: VERSION_2, first: 0xd0 }));
  send(packet(LEAST, 6, { version: VERSION_2, first: 0xc0 }));
  // The last bits are the length of the packet number.
  send(packet(LEAST - 1, 7, { version: 1, first: 0xc3 }));
  send(packet(LEAST, 8, { version: 1, first: 0xff }));
  // The engine responds to this one by version negotiation, with the ids of the packet.
  send(packet(LEAST, 9));
  const [reply]: Buffer[] = await once(socket, "message");
  expect(reply?.readUInt32BE(1)).toBe(0);
  expect(reply?.subarray(6, 14)).toEqual(Buffer.alloc(8, 9));
  expect(server.endpoint.figures.packetsIn).toBe(1);
  expect(await statusAt(server.port, "127.0.0.1")).toBe("204");
  expect(server.endpoint.figures.handshakeFailures).toBe(0);
});

test("packets of clients pass: those of a connection, Initials of either version, and other long headers", async () => {
  const server = await serve("127.0.0.1");
  const socket = createSocket("udp4");
  open.push(socket);
  const passing = [
    packet(40, 1, { first: 0x40 }),
    packet(40, 1, { first: 0x7f }),
    packet(LEAST, 2, { version: 1 }),
    packet(40, 3, { version: 1, first: 0xd0 }),
    packet(40, 4, { version: 1, first: 0xe0 }),
    packet(LEAST, 5, { version: VERSION_2, first: 0xd0 }),
    packet(40, 6, { version: VERSION_2, first: 0xe0 }),
    packet(40, 7, { version: VERSION_2, first: 0xf0 }),
    packet(LEAST, 8),
  ];
  for (const bytes of passing) socket.send(bytes, server.port, "127.0.0.1");
  await once(socket, "message");
  expect(server.endpoint.figures.packetsIn).toBe(passing.length);
});
