import { afterAll, expect, test } from "bun:test";
import { dlopen, FFIType, ptr } from "bun:ffi";
import { respond } from "../../src/gateway/exchange/local-response.ts";
import { startEndpoint } from "../../src/gateway/http3/testing/endpoint.ts";
import { Http3Client } from "../support/http3-client.ts";
import { LOCALHOST } from "../support/certificates.ts";
import { patient } from "../../src/lib/testing/patience.ts";

const { i32, u32, u64, ptr: pointer } = FFIType;
const { symbols } = dlopen("libc.so.6", {
  socket: { args: [i32, i32, i32], returns: i32 },
  sendto: { args: [i32, pointer, u64, i32, pointer, u32], returns: i32 },
  close: { args: [i32], returns: i32 },
});
/** AF_INET, SOCK_RAW, IPPROTO_UDP: only for root, and not in every container. */
const raw = symbols.socket(2, 3, 17);

afterAll(() => symbols.close(raw));

/** The first packet of a client, which requires a response. */
async function firstPacket(): Promise<Uint8Array> {
  const { promise, resolve } = Promise.withResolvers<Uint8Array>();
  const relay = await Bun.udpSocket({
    hostname: "127.0.0.1",
    port: 0,
    socket: { data: (_, packet) => resolve(Uint8Array.from(packet)) },
  });
  Http3Client.connect(relay.port).catch(() => {});
  const packet = await promise;
  relay.close();
  return packet;
}

/** Sends a UDP packet from a chosen port, which needs root. */
function sendFrom(sourcePort: number, port: number, payload: Uint8Array): void {
  const packet = new Uint8Array(8 + payload.length);
  const header = new DataView(packet.buffer);
  header.setUint16(0, sourcePort);
  header.setUint16(2, port);
  header.setUint16(4, packet.length);
  packet.set(payload, 8);
  const address = Uint8Array.from([2, 0, 0, 0, 127, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]);
  expect(symbols.sendto(raw, ptr(packet), packet.length, 0, ptr(address), address.length)).toBe(packet.length);
}

test.skipIf(raw === -1)(
  "a packet from port 0, to which no response can be sent, delays no other client (needs raw sockets)",
  async () => {
    const material = {
      fallback: LOCALHOST,
      named: [],
      clientCa: "",
      clientCertRequired: true,
    };
    const server = await startEndpoint((exchange) => respond(exchange, 200, "", new Uint8Array(0)), { material });
    const packet = await firstPacket();
    for (let i = 0; i < 3; i++) sendFrom(0, server.port, packet);
    const began = performance.now();
    const client = await Http3Client.connect(server.port);
    expect((await client.request("GET", "/")).headers[":status"]).toBe("200");
    expect(performance.now() - began).toBeLessThan(patient(2000));
    client.close();
    await server.close();
  },
  20_000,
);
