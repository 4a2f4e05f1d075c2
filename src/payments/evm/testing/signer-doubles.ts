import { secp256k1 } from "@noble/curves/secp256k1.js";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { type Address } from "../../x402/address.ts";
import { type SignerOptions } from "../signers/open-signer.ts";
import { signedHeaders } from "../signers/sig-v4.ts";
import { freshAccount, type TestAccount } from "./shop.ts";

/** The response of a double. `other`: with another key's signature. `silent`: never. */
export type Fault = "none" | "other" | "silent" | "down" | "nonsense" | "unsigned";
export const DOUBLES = ["web3signer", "aws_kms", "gcp_kms"] as const;

/** A local program with the HTTP interface of a signer, which really signs. */
export interface SignerDouble extends Disposable {
  readonly address: Address;
  readonly options: SignerOptions;
  fault: Fault;
  /** Signatures that it was asked for. */
  calls: number;
}

const SECRET = "the-secret-of-the-provider";
const TOKEN = "ya29.token";
const TIMEOUT_MS = 400;
const VERSION = "projects/p/locations/l/keyRings/r/cryptoKeys/k/cryptoKeyVersions/1";

function der(digest: Uint8Array, { privateKey }: TestAccount): string {
  // KMS gives s in either half of the order.
  const low = secp256k1.Signature.fromBytes(secp256k1.sign(digest, privateKey, { prehash: false }), "compact");
  const isHigh = (digest[0] ?? 0) % 2 === 1;
  const s = isHigh ? secp256k1.Point.Fn.ORDER - low.s : low.s;
  return Buffer.from(new secp256k1.Signature(low.r, s).toBytes("der")).toString("base64");
}

const CREDENTIALS = { accessKeyId: "AKID", secretAccessKey: SECRET, sessionToken: "session" };

export function startSignerDouble(kind: (typeof DOUBLES)[number], account = freshAccount()): SignerDouble {
  const publicKey = secp256k1.getPublicKey(account.privateKey, false).slice(1).toHex();
  let key = account;
  async function answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname.startsWith("/computeMetadata/")) {
      if (request.headers.get("metadata-flavor") !== "Google") return new Response("no", { status: 403 });
      return Response.json({ access_token: TOKEN, expires_in: 3600, token_type: "Bearer" });
    }
    double.calls += 1;
    if (double.fault === "silent") await new Promise(() => {});
    if (double.fault === "down")
      return Response.json({ __type: "x#KMSInternalException", message: SECRET }, { status: 500 });
    if (double.fault === "nonsense") return Response.json({ Signature: "AAAA", signature: "AAAA" });
    if (double.fault === "unsigned") return Response.json({});
    key = double.fault === "other" ? freshAccount() : account;
    return await sign(request, pathname);
  }
  async function sign(request: Request, pathname: string): Promise<Response> {
    const text = await request.text();
    const body = JSON.parse(text) as Record<string, unknown>;
    if (kind === "web3signer") {
      if (pathname !== `/api/v1/eth1/sign/0x${publicKey}`) return new Response("", { status: 404 });
      const data = Buffer.from(String(body["data"]).slice(2), "hex");
      const bytes = secp256k1.sign(keccak_256(data), key.privateKey, { prehash: false, format: "recovered" });
      return new Response(`0x${bytes.subarray(1).toHex()}${((bytes[0] ?? 0) + 27).toString(16)}`);
    }
    if (kind === "gcp_kms") {
      if (request.headers.get("authorization") !== `Bearer ${TOKEN}`)
        return Response.json({ error: { status: "UNAUTHENTICATED", message: SECRET } }, { status: 401 });
      if (pathname !== `/v1/${VERSION}:asymmetricSign`) return new Response("", { status: 404 });
      const { sha256 } = body["digest"] as { sha256: string };
      return Response.json({ name: VERSION, signature: der(Buffer.from(sha256, "base64"), key) });
    }
    const fields = { "content-type": "application/x-amz-json-1.1", "x-amz-target": "TrentService.Sign" };
    const date = request.headers.get("x-amz-date") ?? "";
    const at = Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"));
    const expected = signedHeaders({ method: "POST", url: request.url, fields, body: text }, CREDENTIALS, {
      region: "eu-central-1",
      service: "kms",
      at,
    });
    const isSigned = Object.entries(expected).every(([name, value]) => request.headers.get(name) === value);
    if (!isSigned) return Response.json({ __type: "InvalidSignatureException", message: SECRET }, { status: 400 });
    if (
      body["KeyId"] !== "alias/gas" ||
      body["MessageType"] !== "DIGEST" ||
      body["SigningAlgorithm"] !== "ECDSA_SHA_256"
    )
      return Response.json({ __type: "ValidationException" }, { status: 400 });
    return Response.json({ KeyId: "arn", Signature: der(Buffer.from(String(body["Message"]), "base64"), key) });
  }
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: answer });
  const url = server.url.origin;
  const { address } = account;
  const common = { address, url: `${url}/`, timeout_ms: TIMEOUT_MS };
  const options = {
    web3signer: { type: "web3signer", url: `${url}/`, public_key: publicKey, timeout_ms: TIMEOUT_MS },
    aws_kms: { type: "aws_kms", key_id: "alias/gas", region: "eu-central-1", credentials: CREDENTIALS, ...common },
    gcp_kms: { type: "gcp_kms", key_version: VERSION, token_path: "", metadata_url: url, ...common },
  } as const satisfies Record<string, SignerOptions>;
  const double: SignerDouble = {
    address,
    options: options[kind],
    fault: "none",
    calls: 0,
    [Symbol.dispose]: () => void server.stop(true),
  };
  return double;
}

/** No error may contain it. */
export const PROVIDER_SECRET = SECRET;
