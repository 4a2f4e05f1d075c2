/**
 * A QUIC client (RFC 9000) that follows the rules except for the given faults. It never retransmits, so it works only
 * on loopback.
 */
import { randomBytes } from "node:crypto";
import { type Bytes, varint } from "./http3-frames.ts";
import { initialSecrets, open, packetKeys, type PacketKeys, seal, type Secrets, V1, V2 } from "./quic-crypto.ts";
import { ackOf, ackOfSome, byteLength, type Close, cryptoFrame, readFrames, readVarint } from "./quic-frames.ts";
import { type Extension, QuicTls } from "./quic-tls.ts";
import { patient } from "../../src/lib/testing/patience.ts";

const MIN_DATAGRAM_BYTES = 1200;
const ID_BYTES = 8;
/** Longer than a server on two busy cores needs; the full time passes only if a server does nothing. */
const PATIENCE_MS = patient(10_000);

export type Parameter = readonly [id: number, content: Bytes];

/** The rules that the client breaks; none: a valid handshake. */
export interface QuicFaults {
  readonly alpn?: string;
  readonly parameters?: (list: readonly Parameter[]) => readonly Parameter[];
  readonly extensions?: (list: readonly Extension[]) => readonly Extension[];
  /** Frames in addition to the ClientHello. */
  readonly initial?: Bytes;
  /** Frames in addition to Finished. */
  readonly handshake?: Bytes;
  /** TLS messages on the Handshake level, before and after Finished. */
  readonly tlsBefore?: Bytes;
  readonly tlsBehind?: Bytes;
  /** Sets reserved bits of the header of the packet with Finished. */
  readonly handshakeBits?: number;
  /** The frames of a short packet, after the server has confirmed the handshake. */
  readonly frames?: Bytes;
  readonly shortBits?: number;
  /** Sends further frames after those, each call in a packet of its own, and acknowledges what arrives. */
  readonly later?: (send: (frames: Bytes) => void) => void;
  /** Offers version 2, which the server accepts (RFC 9369 §4). */
  readonly offersV2?: boolean;
  /** It ends at the latest when this resolves. */
  readonly until?: Promise<void>;
  /** It ends when the server acknowledges what was sent, not only when the server closes. */
  readonly untilTaken?: boolean;
}

export interface QuicOutcome {
  /** The handshake was confirmed. */
  readonly confirmed: boolean;
  /** The QUIC version that the server chose. */
  readonly version: 1 | 2;
  /** The code with which the server closed the connection, if it did. */
  readonly close?: Close;
}

type Level = "initial" | "handshake" | "short";

interface Space {
  sent: number;
  largest: number;
  /** The server's CRYPTO frames: bytes by offset, and the offset up to which TLS has read them. */
  readonly crypto: Map<number, Buffer>;
  taken: number;
  /** The numbers of the received packets. */
  readonly received: Set<number>;
}

/**
 * Runs one connection to 127.0.0.1. Resolves when the server closes it, acknowledges what was sent, or the time is
 * over.
 */
export async function playQuic(port: number, faults: QuicFaults): Promise<QuicOutcome> {
  const player = new Player(faults);
  const socket = await Bun.udpSocket({
    connect: { hostname: "127.0.0.1", port },
    // A server that has closed its port refuses late packets.
    socket: { data: (_, bytes) => player.onDatagram(bytes), error() {} },
  });
  try {
    return await player.play((bytes) => socket.send(bytes));
  } finally {
    socket.close();
  }
}

/** First packets of clients, each of another connection. */
export function firstPackets(count: number): Uint8Array[] {
  const player = new Player({});
  return Array.from({ length: count }, () => player.firstPacket());
}

class Player {
  readonly #faults: QuicFaults;
  readonly #source = randomBytes(ID_BYTES);
  #destination: Uint8Array = randomBytes(ID_BYTES);
  #first: Uint8Array;
  #version = V1;
  readonly #tls: QuicTls;
  readonly #spaces: Record<Level, Space> = { initial: space(), handshake: space(), short: space() };
  readonly #done = Promise.withResolvers<QuicOutcome>();
  #send: (bytes: Uint8Array) => void = () => {};
  #confirmed = false;
  #finishedSent = false;

  constructor(faults: QuicFaults) {
    this.#faults = faults;
    this.#first = this.#destination;
    const sound: readonly Parameter[] = [
      [0x01, varint(30_000)],
      [0x04, varint(1_000_000)],
      [0x05, varint(100_000)],
      [0x06, varint(100_000)],
      [0x07, varint(100_000)],
      [0x08, varint(10)],
      [0x09, varint(10)],
      [0x0f, [...this.#source]],
      ...(faults.offersV2 === true ? [[0x11, [...V1.number, ...V2.number, ...V1.number]] as const] : []),
    ];
    const parameters = (faults.parameters ?? ((list) => list))(sound);
    this.#tls = new QuicTls({
      alpn: faults.alpn ?? "h3",
      transportParameters: Uint8Array.from(
        parameters.flatMap(([id, content]) => [...varint(id), ...varint(content.length), ...content]),
      ),
      ...(faults.extensions === undefined ? {} : { extensions: faults.extensions }),
    });
  }

  async play(send: (bytes: Uint8Array) => void): Promise<QuicOutcome> {
    this.#send = send;
    const timer = setTimeout(() => this.#end(), PATIENCE_MS);
    void this.#faults.until?.then(() => this.#end());
    this.#sendLong("initial", [...cryptoFrame(this.#tls.hello), ...(this.#faults.initial ?? [])]);
    try {
      return await this.#done.promise;
    } finally {
      clearTimeout(timer);
    }
  }

  firstPacket(): Uint8Array {
    this.#first = randomBytes(ID_BYTES);
    this.#destination = this.#first;
    let first = new Uint8Array();
    this.#send = (bytes) => {
      first = Uint8Array.from(bytes);
    };
    this.#sendLong("initial", cryptoFrame(this.#tls.hello));
    return first;
  }

  #end(close?: Close): void {
    const version = this.#version === V1 ? 1 : 2;
    this.#done.resolve({ confirmed: this.#confirmed, version, ...(close === undefined ? {} : { close }) });
  }

  onDatagram(datagram: Uint8Array): void {
    let rest = datagram;
    while (rest.length > 0) {
      const isLong = (rest[0] ?? 0) >= 0x80;
      const length = isLong ? this.#onLong(rest) : this.#onShort(rest);
      rest = rest.subarray(length);
    }
  }

  #keys(level: Level, side: keyof Secrets): PacketKeys | undefined {
    const { handshake, finished } = this.#tls;
    const secrets = {
      initial: initialSecrets(this.#version, this.#first),
      handshake,
      short: finished?.secrets,
    }[level];
    return secrets === undefined ? undefined : packetKeys(this.#version, secrets[side]);
  }

  /** Returns the packet's length. */
  #onLong(bytes: Uint8Array): number {
    if (V2.number.every((byte, i) => bytes[1 + i] === byte)) this.#version = V2;
    const level: Level = (((bytes[0] ?? 0) >> 4) & 3) === this.#version.initial ? "initial" : "handshake";
    const idBytes = bytes[5] ?? 0;
    const sourceAt = 7 + idBytes;
    const server = bytes.subarray(sourceAt, sourceAt + (bytes[sourceAt - 1] ?? 0));
    let at = sourceAt + server.length;
    if (level === "initial") {
      const token = readVarint(bytes, at);
      at = token.next + token.value;
    }
    const { value: length, next: numberAt } = readVarint(bytes, at);
    const keys = this.#keys(level, "server");
    if (keys !== undefined) {
      this.#destination = Uint8Array.from(server);
      this.#onPacket(level, keys, { bytes: bytes.subarray(0, numberAt + length), numberAt });
    }
    return numberAt + length;
  }

  #onShort(bytes: Uint8Array): number {
    const keys = this.#keys("short", "server");
    if (keys !== undefined) this.#onPacket("short", keys, { bytes, numberAt: 1 + ID_BYTES });
    return bytes.length;
  }

  #onPacket(level: Level, keys: PacketKeys, { bytes, numberAt }: { bytes: Uint8Array; numberAt: number }): void {
    const packets = this.#spaces[level];
    const opened = open(keys, bytes, numberAt, packets.largest);
    if (opened === undefined) return;
    packets.largest = Math.max(packets.largest, opened.number);
    packets.received.add(opened.number);
    if (level === "short" && this.#confirmed && this.#faults.later !== undefined)
      this.#sendShort(ackOfSome(packets.received));
    const { crypto, close, confirmed, acknowledged } = readFrames(opened.payload);
    if (close !== undefined) this.#end(close);
    if (level === "short" && acknowledged >= 0 && this.#faults.untilTaken === true) this.#end();
    for (const [offset, piece] of crypto) packets.crypto.set(offset, piece);
    if (level !== "short") this.#takeCrypto(packets);
    if (this.#tls.finished !== undefined && !this.#finishedSent) this.#finish(this.#tls.finished.message);
    if (confirmed && !this.#confirmed) this.#onConfirmed();
  }

  #takeCrypto(packets: Space): void {
    const pieces: Buffer[] = [];
    let at = 0;
    for (let piece = packets.crypto.get(at); piece !== undefined; piece = packets.crypto.get(at)) {
      pieces.push(piece);
      at += piece.length;
    }
    const text = Buffer.concat(pieces);
    while (packets.taken + 4 <= text.length) {
      const end = packets.taken + 4 + text.readUIntBE(packets.taken + 1, 3);
      if (end > text.length) return;
      this.#tls.take(text.subarray(packets.taken, end));
      packets.taken = end;
    }
  }

  #finish(message: Uint8Array): void {
    this.#finishedSent = true;
    const { handshake = [], tlsBefore = [], tlsBehind = [] } = this.#faults;
    this.#sendLong("initial", ackOf(this.#spaces.initial.largest));
    this.#sendLong("handshake", [
      ...ackOf(this.#spaces.handshake.largest),
      ...cryptoFrame(Uint8Array.from([...tlsBefore, ...message, ...tlsBehind])),
      ...handshake,
    ]);
  }

  #onConfirmed(): void {
    this.#confirmed = true;
    const { frames, shortBits = 0, later } = this.#faults;
    if (frames !== undefined) this.#sendShort(frames, shortBits);
    later?.((more) => this.#sendShort(more));
  }

  #sendShort(frames: Bytes, bits = 0): void {
    const keys = this.#keys("short", "client");
    if (keys === undefined) return;
    const number = this.#spaces.short.sent++;
    const header = Uint8Array.from([0x43 | bits, ...this.#destination, ...numberBytes(number)]);
    this.#send(seal(keys, header, number, Uint8Array.from(frames)));
  }

  #sendLong(level: "initial" | "handshake", frames: Bytes): void {
    const isInitial = level === "initial";
    const keys = this.#keys(level, "client");
    if (keys === undefined) return;
    const number = this.#spaces[level].sent++;
    const start = [
      0xc3 | (this.#version[level] << 4) | (isInitial ? 0 : (this.#faults.handshakeBits ?? 0)),
      ...this.#version.number,
      this.#destination.length,
      ...this.#destination,
      this.#source.length,
      ...this.#source,
      ...(isInitial ? [0] : []),
    ];
    const padding = isInitial ? Math.max(0, MIN_DATAGRAM_BYTES - start.length - 4 - 4 - 16 - frames.length) : 0;
    const payload = Uint8Array.from([...frames, ...Array.from({ length: padding }, () => 0)]);
    const header = Uint8Array.from([...start, ...byteLength(4 + payload.length + 16), ...numberBytes(number)]);
    this.#send(seal(keys, header, number, payload));
  }
}

function space(): Space {
  return { sent: 0, largest: -1, crypto: new Map(), taken: 0, received: new Set() };
}

function numberBytes(number: number): Bytes {
  return [number >>> 24, (number >>> 16) & 0xff, (number >>> 8) & 0xff, number & 0xff];
}
