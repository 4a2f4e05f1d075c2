import { readFileSync } from "node:fs";
import { whyUnreadable } from "../../../lib/caught.ts";
import { isObject } from "../../../lib/is-object.ts";
import { parsedJson } from "../../../lib/parsed-json.ts";
import { isWithin } from "../../../lib/time/is-within.ts";
import { type Address } from "../../x402/address.ts";
import { parseKey } from "./key.ts";
import { type Ask, awsKms, gcpKms, web3Signer } from "./remote-signer.ts";
import { type AwsCredentials } from "./sig-v4.ts";
import { keySigner, type Signer, SignerError } from "./signer.ts";

/** A key that pays for gas, and its place, by the keys of `x402.embedded.signers`. An empty URL stands for the provider's own. */
export type SignerOptions =
  /** 32 bytes in hex. */
  | { readonly type: "key"; readonly key: string }
  | {
      readonly type: "web3signer";
      readonly url: string;
      /** 64 bytes in hex. */
      readonly public_key: string;
      readonly timeout_ms: number;
    }
  | {
      readonly type: "aws_kms";
      readonly key_id: string;
      readonly region: string;
      readonly address: Address;
      readonly url: string;
      readonly timeout_ms: number;
      readonly credentials: AwsCredentials;
    }
  | {
      readonly type: "gcp_kms";
      readonly key_version: string;
      readonly address: Address;
      readonly url: string;
      readonly timeout_ms: number;
      /** A file with an access token. Empty: the metadata server is asked. */
      readonly token_path: string;
      readonly metadata_url: string;
    };

/** An access token is used until this number of seconds before it expires. */
const TOKEN_SLACK_S = 60;
const TOKEN_PATH = "/computeMetadata/v1/instance/service-accounts/default/token";
/** A token without characters that could end its line. */
const TOKEN = /^[\x21-\x7e]{1,8192}$/;

/** Opens a key. Throws if it is invalid, never with the key. Calls no other program. `now` is in Unix milliseconds. */
export function openSigner(options: SignerOptions, now: () => number): Signer {
  switch (options.type) {
    case "key":
      return keySigner(parseKey(options.key));
    case "web3signer":
      return web3Signer({ url: options.url, publicKey: options.public_key }, { timeoutMs: options.timeout_ms, now });
    case "aws_kms": {
      const { key_id: keyId, region, address, url, credentials, timeout_ms: timeoutMs } = options;
      return awsKms({ keyId, region, url, credentials }, { address, timeoutMs, now });
    }
    case "gcp_kms":
    default: {
      const { key_version: keyVersion, address, url, timeout_ms: timeoutMs, token_path, metadata_url } = options;
      const token = token_path === "" ? metadataToken(metadata_url, now) : () => fileToken(token_path);
      return gcpKms({ keyVersion, url, token }, { address, timeoutMs, now });
    }
  }
}

/** Another program may renew the file. */
async function fileToken(path: string): Promise<string> {
  let text: string;
  try {
    text = readFileSync(path, "utf8").trim();
  } catch (error) {
    throw new SignerError(`the file of its access token cannot be read: ${whyUnreadable(error)}`);
  }
  if (!TOKEN.test(text)) throw new SignerError("the file of its access token has no token");
  return text;
}

function metadataToken(url: string, now: () => number): (ask: Ask) => Promise<string> {
  let known: { token: string; askedAt: number; lifeMs: number } | undefined;
  return async (ask) => {
    if (known !== undefined && isWithin(known.askedAt, known.lifeMs, now())) return known.token;
    const headers = { "metadata-flavor": "Google" };
    const json = parsedJson(await ask({ url: url.replace(/\/+$/, "") + TOKEN_PATH, method: "GET", headers }));
    const { access_token: text, expires_in: seconds } = isObject(json) ? json : {};
    if (typeof text !== "string" || !TOKEN.test(text) || typeof seconds !== "number") {
      throw new SignerError("the metadata server gave no access token");
    }
    known = { token: text, askedAt: now(), lifeMs: (seconds - TOKEN_SLACK_S) * 1000 };
    return text;
  };
}
