import { createHash, createHmac, pbkdf2, randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { PostgresError } from "./postgres-error.ts";

/** The only mechanism that is supported, RFC 7677. */
export const SCRAM_SHA_256 = "SCRAM-SHA-256";

/** Most rounds of hashing that a server may request of the client. PostgreSQL's default is 4096. */
const MAX_ITERATIONS = 1_000_000;
const NONCE_BYTES = 18;

const derive = promisify(pbkdf2);

function hmac(key: Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

function refused(what: string): PostgresError {
  return new PostgresError("refused", `the server's side of SCRAM is wrong: ${what}`);
}

/** One log-in by SCRAM, RFC 5802: `first`, `last` with the server's challenge, `check` with its proof. */
export class Scram {
  readonly #nonce: string;
  readonly #password: string;
  #proof: Buffer | undefined;
  #proven = false;

  constructor(password: string, nonce = randomBytes(NONCE_BYTES).toString("base64")) {
    this.#password = password.normalize("NFKC");
    this.#nonce = nonce;
  }

  /** True if the server has proved that it knows the password too. */
  get proven(): boolean {
    return this.#proven;
  }

  /** The message has no channel binding. PostgreSQL takes the user's name from the start-up message. */
  get first(): string {
    return `n,,${this.#bare}`;
  }

  get #bare(): string {
    return `n=,r=${this.#nonce}`;
  }

  async last(challenge: string): Promise<string> {
    const { r: nonce = "", s: salt = "", i = "" } = attributesOf(challenge);
    const iterations = /^\d{1,7}$/.test(i) ? Number(i) : 0;
    if (!nonce.startsWith(this.#nonce) || nonce.length === this.#nonce.length) throw refused("its nonce");
    if (salt === "") throw refused("its salt");
    if (iterations < 1 || iterations > MAX_ITERATIONS) throw refused("its count of iterations");
    const salted = await derive(this.#password, Buffer.from(salt, "base64"), iterations, 32, "sha256");
    const clientKey = hmac(salted, "Client Key");
    const storedKey = createHash("sha256").update(clientKey).digest();
    const withoutProof = `c=biws,r=${nonce}`;
    const signed = `${this.#bare},${challenge},${withoutProof}`;
    const signature = hmac(storedKey, signed);
    this.#proof = hmac(hmac(salted, "Server Key"), signed);
    const proof = clientKey.map((byte, at) => byte ^ (signature[at] ?? 0));
    return `${withoutProof},p=${Buffer.from(proof).toString("base64")}`;
  }

  /** Throws if the server does not know the password. */
  check(final: string): void {
    const proof = Buffer.from(attributesOf(final)["v"] ?? "", "base64");
    if (this.#proof === undefined || proof.length !== this.#proof.length || !timingSafeEqual(proof, this.#proof)) {
      throw refused("its proof");
    }
    this.#proven = true;
  }
}

function attributesOf(message: string): Partial<Record<string, string>> {
  const attributes: Record<string, string> = Object.create(null);
  for (const part of message.split(",", 16)) attributes[part.slice(0, 1)] = part.slice(2);
  return attributes;
}
