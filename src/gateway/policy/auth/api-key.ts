import { type Exchange, type RequestHead } from "../../exchange/exchange.ts";
import { headValues, removeFields } from "../../exchange/head-fields.ts";
import { isAscii } from "../../../lib/memory/latin1.ts";
import {
  type Admitted,
  consumerLine,
  MAX_CREDENTIAL_BYTES,
  type Method,
  type MethodConfig,
  type Outcome,
  type Refused,
} from "./method.ts";
import { QueryParameter } from "./query-parameter.ts";
import { refusal } from "./refusals.ts";

type ApiKeyConfig = MethodConfig<"api_key">;
export type NamedKey = ApiKeyConfig["keys"][number];

/** The number of 32-bit words in a hash. */
const HASH_WORDS = 8;
/**
 * Slots for the keys that were presented last: 2 KiB per route. A key that has lost its slot is searched among all
 * keys. @bound
 */
const RECENT_KEYS = 1024;
/** A slot has 16 bits. */
const MAX_RECENT_NUMBER = 65_536;

/** API keys in a header or, without it, in the query. Throws if a key's name cannot be a field value. */
export function createApiKey(config: ApiKeyConfig): Method {
  return new ApiKey(config);
}

class ApiKey implements Method {
  readonly type = "api_key";
  readonly #headers: readonly [string];
  readonly #parameter: QueryParameter;
  /** The index of the last found key, by bits of its hash. With 1,000 keys it saves 6 µs (bench parts). */
  readonly #recent: Uint16Array;
  /** Signed: the engine computes with unsigned 32-bit words as doubles, which takes much longer (bench http1). */
  readonly #hashes: Int32Array;
  readonly #outcomes: readonly Outcome[];
  readonly #presented = new Int32Array(HASH_WORDS);
  readonly #presentedBytes = new Uint8Array(this.#presented.buffer);
  readonly #missing: Refused;
  readonly #wrong: Refused;
  readonly #repeated: Refused;

  constructor({ keys, header_name: header, query_param: parameter, consumers }: ApiKeyConfig) {
    const challenges = [`ApiKey realm="api", header="${header}"`];
    this.#missing = refusal("unauthorized", `this path needs an API key in the field ${header}`, challenges);
    this.#wrong = refusal("unauthorized", "the API key is not valid", challenges);
    this.#repeated = refusal("unauthorized", "there is more than one API key", challenges);
    const forbidden = refusal("forbidden", "the holder of this API key is not allowed here", []);
    this.#headers = [header.toLowerCase()];
    this.#recent = new Uint16Array(RECENT_KEYS);
    this.#parameter = new QueryParameter(parameter);
    this.#hashes = new Int32Array(keys.length * HASH_WORDS);
    this.#outcomes = keys.map((key, index) => {
      this.#hashes.set(hashOf(key), index * HASH_WORDS);
      const fields = consumerLine(key.name);
      if (fields === undefined)
        throw new Error(`Cannot use an API key: ${JSON.stringify(key.name)} is not a valid consumer name`);
      const isAllowed = consumers.length === 0 || consumers.includes(key.name);
      return isAllowed ? ({ kind: "admitted", by: this, consumer: key.name, fields } satisfies Admitted) : forbidden;
    });
  }

  check({ head }: Exchange): Outcome {
    // If both the header and the query have a key, the header's is used.
    const sent = headValues(head, this.#headers[0]);
    const values = sent.length > 0 ? sent : this.#parameter.values(head.query);
    const value = values[0];
    if (value === undefined) return this.#missing;
    if (values.length > 1) return this.#repeated;
    return value.length > MAX_CREDENTIAL_BYTES ? this.#wrong : (this.#outcomes[this.#find(value) - 1] ?? this.#wrong);
  }

  take(head: RequestHead): void {
    removeFields(head, this.#headers);
    if (this.#parameter.isNamed) head.query = this.#parameter.without(head.query);
  }

  close(): void {}

  /** The number of the key, from 1; 0 if it is not a configured key. */
  #find(value: string): number {
    // Strings are hashed as UTF-8, which gives the same bytes only if all characters are ASCII.
    Bun.SHA256.hash(isAscii(value) ? value : Buffer.from(value, "latin1"), this.#presentedBytes);
    const slot = (this.#presented[0] ?? 0) & (RECENT_KEYS - 1);
    const recent = this.#recent[slot] ?? 0;
    const found = this.#among(recent, recent + 1);
    return found === 0 ? this.#findAnew(slot) : found;
  }

  #findAnew(slot: number): number {
    const found = this.#among(0, this.#outcomes.length);
    if (found > 0 && found <= MAX_RECENT_NUMBER) this.#recent[slot] = found - 1;
    return found;
  }

  /**
   * Compares the presented key with the configured keys from `from` to `to`. It compares all bits of each key without a
   * branch, so that the time it takes reveals nothing about the keys.
   */
  #among(from: number, to: number): number {
    const hashes = this.#hashes;
    const presented = this.#presented;
    let found = 0;
    for (let key = from; key < to; key++) {
      let difference = 0;
      for (let i = 0; i < HASH_WORDS; i++) difference |= (hashes[key * HASH_WORDS + i] ?? 0) ^ (presented[i] ?? 0);
      // All bits are set if nothing differs, else 0.
      const mask = ((difference | -difference) >>> 31) - 1;
      found |= (key + 1) & mask;
    }
    return found;
  }
}

function hashOf({ key, key_hash: hash }: NamedKey): Int32Array {
  const bytes = new Uint8Array(HASH_WORDS * Int32Array.BYTES_PER_ELEMENT);
  if (hash === undefined) Bun.SHA256.hash(Buffer.from(key ?? ""), bytes);
  else bytes.set(Buffer.from(hash, "hex"));
  return new Int32Array(bytes.buffer);
}
