import { keccak_256 } from "@noble/hashes/sha3.js";
import { hexToBytes } from "@noble/hashes/utils.js";
import { z } from "zod";
import { isObject } from "../../../lib/is-object.ts";
import { messageOf } from "../../../lib/caught.ts";
import { parsedJson } from "../../../lib/parsed-json.ts";
import { readUpTo } from "../../../lib/http/response-bytes.ts";
import { isWithin } from "../../../lib/time/is-within.ts";
import { timeoutSignal } from "../../../lib/time/timeout-signal.ts";
import { type Address } from "../../x402/address.ts";
import { addressOfKey } from "../../x402/address-hash.ts";
import { type AwsCredentials, signedHeaders } from "./sig-v4.ts";
import { completed, type Signed, type Signer, SignerError } from "./signer.ts";

/** Longest response of a signer, in bytes. */
const MAX_RESPONSE_BYTES = 16 * 1024;
/**
 * Time for which a signer that has failed is not asked, in milliseconds: its transactions have one order, and each of them
 * would wait for the timeout. @bound
 */
const REST_MS = 2000;

export interface SignerCall {
  readonly url: string;
  readonly method?: "GET" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Sends a call, and returns the body of its response. Rejects with SignerError. */
export type Ask = (call: SignerCall) => Promise<string>;

/** The part of a signer that differs between programs. `digest` is keccak-256 of `preimage`. */
export type Protocol = (preimage: Uint8Array, digest: Uint8Array, ask: Ask) => Promise<Signed>;

/** The settings of every signer in another program. */
export interface RemoteOptions {
  readonly address: Address;
  readonly timeoutMs: number;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** `title` names it in errors. */
function remoteSigner(title: string, { address, timeoutMs, now }: RemoteOptions, protocol: Protocol): Signer {
  let failedAt = Number.NEGATIVE_INFINITY;
  return {
    address,
    async sign(preimage) {
      if (isWithin(failedAt, REST_MS, now())) throw new SignerError(`${title} has failed a short time ago`);
      try {
        const signal = timeoutSignal(timeoutMs);
        const signed = await protocol(preimage, keccak_256(preimage), (call) => send(call, signal, timeoutMs));
        return completed(preimage, signed, address);
      } catch (error) {
        failedAt = now();
        throw new SignerError(`${title} did not sign: ${error instanceof SignerError ? messageOf(error) : "a defect"}`);
      }
    },
  };
}

async function send(
  { url, method = "POST", headers, body }: SignerCall,
  signal: AbortSignal,
  timeoutMs: number,
): Promise<string> {
  let response: Response;
  let text: string;
  try {
    response = await fetch(url, {
      method,
      signal,
      redirect: "manual",
      decompress: false,
      headers: { "accept-encoding": "identity", ...headers },
      ...(body === undefined ? {} : { body }),
    });
    text = Buffer.from((await readUpTo(response, MAX_RESPONSE_BYTES)) ?? []).toString("utf8");
  } catch {
    throw new SignerError(signal.aborted ? `no response within ${timeoutMs} ms` : "no connection");
  }
  if (response.status === 200) return text;
  throw new SignerError(`it responded with ${response.status}${reasonIn(text)}`);
}

/** The name of an error in a response of AWS or Google, which is a word. */
function reasonIn(text: string): string {
  const json = parsedJson(text);
  if (!isObject(json)) return "";
  const name = json["__type"] ?? (isObject(json["error"]) ? json["error"]["status"] : undefined);
  const word = typeof name === "string" ? /[A-Za-z_]{1,64}$/.exec(name)?.[0] : undefined;
  return word === undefined ? "" : ` (${word})`;
}

function base64In(text: string, member: string): Uint8Array {
  const json = parsedJson(text);
  const value = isObject(json) ? json[member] : undefined;
  const parsed = z.base64().safeParse(value);
  if (!parsed.success) throw new SignerError("its response has no signature");
  return Buffer.from(parsed.data, "base64");
}

/** A key of Web3Signer, by its eth1 interface. `publicKey` ends with 64 bytes in hex. */
export function web3Signer(
  { url, publicKey }: { readonly url: string; readonly publicKey: string },
  options: Omit<RemoteOptions, "address">,
): Signer {
  const key = publicKey.slice(-128);
  const address = addressOfKey(Uint8Array.of(4, ...hexToBytes(key)));
  const path = `${url.replace(/\/+$/, "")}/api/v1/eth1/sign/0x${key.toLowerCase()}`;
  return remoteSigner("Web3Signer", { ...options, address }, async (preimage, _, ask) => {
    const headers = { "content-type": "application/json", accept: "text/plain" };
    // It hashes the data itself.
    const body = JSON.stringify({ data: `0x${Buffer.from(preimage).toString("hex")}` });
    const hex = /^"?(0x[0-9a-fA-F]{130})"?\s*$/.exec(await ask({ url: path, headers, body }))?.[1];
    if (hex === undefined) throw new SignerError("its response has no signature");
    return { rs: hexToBytes(hex.slice(2, 130)) };
  });
}

/** A key of AWS KMS. An empty URL stands for the region's own. */
export interface AwsKey {
  readonly keyId: string;
  readonly region: string;
  readonly url: string;
  readonly credentials: AwsCredentials;
}

/** A key of AWS KMS of the type ECC_SECG_P256K1. */
export function awsKms({ keyId, region, credentials, ...key }: AwsKey, options: RemoteOptions): Signer {
  const url = key.url || `https://kms.${region}.amazonaws.com/`;
  return remoteSigner("AWS KMS", options, async (_, digest, ask) => {
    const body = JSON.stringify({
      KeyId: keyId,
      Message: Buffer.from(digest).toString("base64"),
      MessageType: "DIGEST",
      SigningAlgorithm: "ECDSA_SHA_256",
    });
    const fields = { "content-type": "application/x-amz-json-1.1", "x-amz-target": "TrentService.Sign" };
    const request = { method: "POST", url, fields, body } as const;
    const headers = signedHeaders(request, credentials, { region, service: "kms", at: options.now() });
    return { der: base64In(await ask({ url, headers, body }), "Signature") };
  });
}

/** A key version of Google Cloud KMS. An empty URL stands for Google's own. */
export interface GcpKey {
  /** `projects/.../cryptoKeyVersions/1`. */
  readonly keyVersion: string;
  readonly url: string;
  readonly token: (ask: Ask) => Promise<string>;
}

/** A key version of Google Cloud KMS with the algorithm EC_SIGN_SECP256K1_SHA256. */
export function gcpKms({ keyVersion, token, ...key }: GcpKey, options: RemoteOptions): Signer {
  const base = (key.url || "https://cloudkms.googleapis.com").replace(/\/+$/, "");
  return remoteSigner("Google Cloud KMS", options, async (_, digest, ask) => {
    const headers = { "content-type": "application/json", authorization: `Bearer ${await token(ask)}` };
    const body = JSON.stringify({ digest: { sha256: Buffer.from(digest).toString("base64") } });
    return { der: base64In(await ask({ url: `${base}/v1/${keyVersion}:asymmetricSign`, headers, body }), "signature") };
  });
}
