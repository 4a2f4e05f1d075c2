import { createHmac } from "node:crypto";
import { encoded, type Jwk } from "./jws.ts";
import { type AcmeConfig, type ExternalAccount } from "./settings.ts";

const KEY = /^[\w-]{1,1024}=*$/;

/** `tls.acme.external_account`, if any. Throws with the variable's name, never its value, if it has no key. */
export function readExternalAccount(
  acme: AcmeConfig | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): ExternalAccount | undefined {
  const { external_account: account } = acme ?? {};
  if (account === undefined) return undefined;
  const { key_id: keyId, hmac_key: key, hmac_key_env: name } = account;
  if (name === "") return { keyId, key };
  const value = environment[name]?.trim() ?? "";
  const what = "Cannot use tls.acme.external_account.hmac_key_env: the environment variable";
  if (value === "") throw new Error(`${what} ${name} is not set`);
  if (!KEY.test(value)) throw new Error(`${what} ${name} does not hold a key in base64url`);
  return { keyId, key: value };
}

/** The proof that the account of `jwk` belongs to the external account (RFC 8555 §7.3.4). `url` is that of newAccount. */
export function accountBinding({ keyId, key }: ExternalAccount, url: string, jwk: Jwk): object {
  const head = encoded(JSON.stringify({ alg: "HS256", kid: keyId, url }));
  const payload = encoded(JSON.stringify(jwk));
  const signature = createHmac("sha256", Buffer.from(key, "base64url"))
    .update(`${head}.${payload}`)
    .digest("base64url");
  return { protected: head, payload, signature };
}
