/** The client side of a TLS 1.3 handshake for QUIC, with one suite and one group. It accepts every certificate. */
import { createPublicKey, diffieHellman, generateKeyPairSync, randomBytes } from "node:crypto";
import { expandLabel, hmac, type Secrets, sha256 } from "./quic-crypto.ts";

const CLIENT_HELLO = 1;
const SERVER_HELLO = 2;
const FINISHED = 20;

const SERVER_NAME = 0;
const GROUPS = 10;
const SIGNATURES = 13;
const ALPN = 16;
const VERSIONS = 43;
const KEY_SHARE = 51;
export const TRANSPORT_PARAMETERS = 0x39;

const X25519 = [0, 0x1d];
const AES_128_GCM_SHA256 = [0x13, 0x01];
const TLS_13 = [0x03, 0x04];

export type Extension = readonly [type: number, content: Uint8Array];

export interface HelloOptions {
  readonly alpn: string;
  readonly transportParameters: Uint8Array;
  /** Changes the extensions. */
  readonly extensions?: (list: readonly Extension[]) => readonly Extension[];
}

export class QuicTls {
  readonly #keys = generateKeyPairSync("x25519");
  readonly #transcript: Uint8Array[] = [];
  readonly hello: Buffer;
  /** The secrets of Handshake packets, after the server's hello. */
  handshake: Secrets | undefined;
  /** The secrets of short packets, and the client's last message, after the server has finished. */
  finished: { readonly secrets: Secrets; readonly message: Buffer } | undefined;
  #base: Buffer = Buffer.alloc(0);

  constructor({ alpn, transportParameters, extensions = (list) => list }: HelloOptions) {
    const list = extensions([
      [SERVER_NAME, sized(2, [0], sized(2, "localhost"))],
      [GROUPS, sized(2, X25519)],
      // ECDSA with P-256, RSA-PSS, Ed25519.
      [SIGNATURES, sized(2, [4, 3, 8, 4, 8, 7])],
      [ALPN, sized(2, sized(1, alpn))],
      [VERSIONS, sized(1, TLS_13)],
      [KEY_SHARE, sized(2, X25519, sized(2, publicBytes(this.#keys.publicKey.export({ format: "jwk" }).x)))],
      [TRANSPORT_PARAMETERS, transportParameters],
    ]);
    this.hello = message(
      CLIENT_HELLO,
      [3, 3],
      randomBytes(32),
      [0],
      sized(2, AES_128_GCM_SHA256),
      [1, 0],
      sized(2, ...list.map(([type, content]) => Buffer.concat([u16(type), sized(2, content)]))),
    );
    this.#transcript.push(this.hello);
  }

  /** One whole message of the server. */
  take(text: Buffer): void {
    this.#transcript.push(text);
    if (text[0] === SERVER_HELLO) this.#onHello(text);
    if (text[0] === FINISHED) this.#onFinished();
  }

  #onHello(text: Buffer): void {
    const share = keyShareOf(text);
    const publicKey = createPublicKey({
      key: { kty: "OKP", crv: "X25519", x: share.toString("base64url") },
      format: "jwk",
    });
    const zeros = Buffer.alloc(32);
    const shared = diffieHellman({ privateKey: this.#keys.privateKey, publicKey });
    this.#base = hmac(derived(hmac(zeros, zeros)), shared);
    this.handshake = this.#both(this.#base, "hs");
  }

  #onFinished(): void {
    if (this.handshake === undefined) throw new Error("Cannot finish: the server has not said hello");
    const key = expandLabel(this.handshake.client, "finished", Buffer.alloc(0), 32);
    const master = hmac(derived(this.#base), Buffer.alloc(32));
    this.finished = {
      secrets: this.#both(master, "ap"),
      message: message(FINISHED, hmac(key, sha256(...this.#transcript))),
    };
  }

  #both(secret: Buffer, stage: string): Secrets {
    const hash = sha256(...this.#transcript);
    return {
      client: expandLabel(secret, `c ${stage} traffic`, hash, 32),
      server: expandLabel(secret, `s ${stage} traffic`, hash, 32),
    };
  }
}

/** The key of the next secret (RFC 8446 §7.1). */
function derived(secret: Uint8Array): Buffer {
  return expandLabel(secret, "derived", sha256(), 32);
}

/** The public key in a ServerHello: the extension contains the group, a length and the key. */
function keyShareOf(hello: Buffer): Buffer {
  const sessionBytes = hello[38] ?? 0;
  // After the session id: suite, compression, and the length of the extensions.
  let at = 39 + sessionBytes + 2 + 1 + 2;
  while (at + 4 <= hello.length) {
    const type = hello.readUInt16BE(at);
    const length = hello.readUInt16BE(at + 2);
    if (type === KEY_SHARE) return hello.subarray(at + 8, at + 4 + length);
    at += 4 + length;
  }
  throw new Error("Cannot go on: the server's hello has no key");
}

function publicBytes(x: string | undefined): Buffer {
  return Buffer.from(x ?? "", "base64url");
}

type Part = Uint8Array | readonly number[] | string;

function u16(value: number): Buffer {
  return Buffer.from([value >> 8, value & 0xff]);
}

/** The parts after their length, which has `width` bytes. */
function sized(width: number, ...parts: readonly Part[]): Buffer {
  const content = Buffer.concat(
    parts.map((part) => (typeof part === "string" ? Buffer.from(part) : Uint8Array.from(part))),
  );
  const length = Buffer.alloc(width);
  length.writeUIntBE(content.length, 0, width);
  return Buffer.concat([length, content]);
}

function message(type: number, ...parts: readonly Part[]): Buffer {
  return Buffer.concat([Buffer.from([type]), sized(3, ...parts)]);
}
