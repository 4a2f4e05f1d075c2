/** A DNS server over UDP (RFC 1035) that returns the given records for every name. */
import { createSocket, type Socket } from "node:dgram";
import ipaddr from "ipaddr.js";

const HEADER_BYTES = 12;
const TYPES = { 1: "A", 28: "AAAA" } as const;

export interface DnsAnswer {
  /** Addresses of both families. Each query gets those of its own family. */
  readonly addresses: readonly string[];
  readonly ttl: number;
  /** RCODE: 2 is a failure of the server, 3 is that the name does not exist. */
  readonly code?: number;
}

export class DnsServer {
  /** The queries, as `A name`. */
  readonly questions: string[] = [];
  /** The response by type. If it is undefined, the server sends nothing. */
  response: (type: "A" | "AAAA") => DnsAnswer | undefined = () => ({ addresses: [], ttl: 0, code: 3 });
  readonly #socket: Socket = createSocket("udp4");

  static async start(): Promise<DnsServer> {
    const server = new DnsServer();
    const socket = server.#socket;
    socket.on("message", (query, { port, address }) => {
      const reply = server.#reply(query);
      if (reply !== undefined) socket.send(reply, port, address);
    });
    await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
    return server;
  }

  /** The server's address for `dns_discovery.nameservers`. */
  get place(): string {
    return `127.0.0.1:${this.#socket.address().port}`;
  }

  stop(): void {
    this.#socket.close();
  }

  #reply(query: Buffer): Buffer | undefined {
    let at = HEADER_BYTES;
    const labels: string[] = [];
    for (let length = query[at] ?? 0; length !== 0; length = query[at] ?? 0) {
      labels.push(query.toString("latin1", at + 1, at + 1 + length));
      at += 1 + length;
    }
    const number = query.readUInt16BE(at + 1);
    if (number !== 1 && number !== 28) return undefined;
    this.questions.push(`${TYPES[number]} ${labels.join(".")}`);
    const response = this.response(TYPES[number]);
    if (response === undefined) return undefined;
    const records = response.addresses
      .filter((address) => address.includes(":") === (number === 28))
      .map((address) => record(number, response.ttl, ipaddr.parse(address).toByteArray()));
    const header = Buffer.alloc(HEADER_BYTES);
    header.writeUInt16BE(query.readUInt16BE(0), 0);
    header.writeUInt16BE(0x8180 + (response.code ?? 0), 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(records.length, 6);
    return Buffer.concat([header, query.subarray(HEADER_BYTES, at + 5), ...records]);
  }
}

/** A record of the name in the query, which a pointer stands for (RFC 1035 §4.1.4). */
function record(type: number, ttl: number, data: readonly number[]): Buffer {
  const head = Buffer.alloc(HEADER_BYTES);
  head.writeUInt16BE(0xc0_0c, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt32BE(ttl, 6);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, Buffer.from(data)]);
}
