/** UDP packets that the kernel drops before the HTTP/3 engine reads them. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { patient } from "../../src/lib/testing/patience.ts";
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
