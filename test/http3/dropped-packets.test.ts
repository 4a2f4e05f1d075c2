/** UDP packets that the kernel drops before the HTTP/3 engine reads them, and connections that are ended after the first one. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { patient } from "../../src/lib/testing/patience.ts";
import { until } from "../../src/lib/testing/until.ts";
import { Http3Client } from "../support/http3-client.ts";
import { Rig } from "../proxy/testing/rig.ts";

setDefaultTimeout(patient(30_000));

const VERSION_2 = 0x6b33_43cf;
const UNKNOWN_VERSION = 0x1a2a_3a4a;
/** The least length of a datagram with an Initial packet (RFC 9000 §14.1). */
const LEAST = 1200;

let rig: Rig;

beforeAll(async () => {
  rig = await Rig.start({ quic: true, upstreams: [], routes: [{ path_prefix: "/", fixed_response: { status: 200 } }] });
});

afterAll(() => rig.stop());

/** A packet with a long header (RFC 9000 §17.2), whose connection ids begin with `mark`. */
function packet(length: number, mark: number, { first = 0xc0, version = UNKNOWN_VERSION } = {}): Buffer {
  const bytes = Buffer.alloc(length, mark);
  bytes[0] = first;
  bytes.writeUInt32BE(version, 1);
  bytes[5] = 8;
  bytes[14] = 8;
  return bytes;
}

function figure(page: string, name: string): number {
  return Number(new RegExp(`^turnpike_quic_${name}_total (\\d+)$`, "m").exec(page)?.[1]);
}

test("short Initials, unknown versions in short datagrams and packets of servers are dropped, and clients are served", async () => {
  const socket = createSocket("udp4");
  const send = (bytes: Buffer): void => socket.send(bytes, rig.quicPort, "127.0.0.1");
  send(packet(LEAST - 1, 1));
  send(packet(LEAST - 1, 2, { version: 1 }));
  send(packet(LEAST, 3, { version: 0 }));
  send(packet(LEAST, 4, { version: 1, first: 0xf0 }));
  send(packet(LEAST - 1, 5, { version: VERSION_2, first: 0xd0 }));
  send(packet(LEAST, 6, { version: VERSION_2, first: 0xc0 }));
  // The engine responds to this one by version negotiation, with the ids of the packet.
  send(packet(LEAST, 9));
  const [reply]: Buffer[] = await once(socket, "message");
  expect(reply?.readUInt32BE(1)).toBe(0);
  expect(reply?.subarray(6, 14)).toEqual(Buffer.alloc(8, 9));
  socket.close();
  const client = await Http3Client.connect(rig.quicPort);
  expect((await client.request("GET", "/")).headers[":status"]).toBe("200");
  client.close();
  expect(await rig.page()).toMatch(/^turnpike_quic_handshake_failures_total 0$/m);
});

test("connections whose first packet cannot be read are ended before their timeout, and clients are served", async () => {
  const socket = createSocket("udp4");
  for (let n = 0; n < 400; n++) {
    const bytes = packet(LEAST, 0, { version: 1 });
    bytes.writeUInt32BE(n, 6);
    // A token of 32 bytes, which the gateway has not given.
    bytes.writeUInt8(32, 23);
    bytes.writeUInt16BE(0x4000 | (LEAST - 58), 56);
    socket.send(bytes, rig.quicPort, "127.0.0.1");
    if (n % 20 === 0) await new Promise(setImmediate);
  }
  let page = "";
  await until(async () => figure((page = await rig.page()), "received_bytes") >= 300 * LEAST);
  expect(figure(page, "handshake_failures")).toBeGreaterThan(100);
  socket.close();
  const client = await Http3Client.connect(rig.quicPort);
  expect((await client.request("GET", "/")).headers[":status"]).toBe("200");
  client.close();
});
