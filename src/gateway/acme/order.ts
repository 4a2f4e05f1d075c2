import { createPublicKey } from "node:crypto";
import { isObject } from "../../lib/is-object.ts";
import { type KeyPair } from "../wire/tls.ts";
import { AcmeError } from "./acme-error.ts";
import { retryWaitMs } from "../../lib/http/retry-after.ts";
import { type AcmeDirectory, type AcmeResponse, problemError } from "./directory.ts";
import { checkedChain } from "./chain.ts";
import { accountBinding } from "./external-account.ts";
import { type AccountKey } from "./jws.ts";
import { type AcmeSettings } from "./settings.ts";
import { certificateRequest, keyPem, type KeyType, makeKey } from "./x509.ts";

/** The supported challenges: HTTP (RFC 8555 §8.3) and TLS ALPN (RFC 8737). */
export type ChallengeType = "http-01" | "tls-alpn-01";

/** The proof of control over a domain that the directory asks for. */
export interface Challenge {
  readonly type: ChallengeType;
  readonly domain: string;
  readonly token: string;
  readonly keyAuthorization: string;
}

export interface Account {
  readonly key: AccountKey;
  readonly url: string;
}

/** The certificate to order, and the function that publishes its challenge. */
export interface OrderOptions {
  readonly domain: string;
  readonly keyType: KeyType;
  readonly challenge: ChallengeType;
  /** The RFC 9773 id of the replaced certificate; undefined without one, or from another directory. */
  readonly replaces: string | undefined;
  /** Resolves when every listener responds to the challenge. */
  readonly publish: (challenge: Challenge) => Promise<void>;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Monotonic milliseconds. */
  readonly uptime?: () => number;
  /** Waits for a number of milliseconds. */
  readonly pause: (ms: number) => Promise<void>;
  /** Milliseconds that the directory has for an order or an authorization; then the order fails. */
  readonly settleMs: number;
}

/** Milliseconds that a directory has for an order or an authorization; then the order fails. @bound */
export const SETTLE_MS = 120_000;
/** Pauses between two checks of it, in milliseconds: the first, and the longest. */
const FIRST_LOOK_MS = 250;
const LONGEST_LOOK_MS = 10_000;

/** Finds or creates a key's account (RFC 8555 §7.3). `isKnown`: it may exist. Undefined if it is deactivated. */
export async function openAccount(
  directory: AcmeDirectory,
  key: AccountKey,
  { config, external, isKnown }: Omit<AcmeSettings, "authorities"> & { readonly isKnown: boolean },
): Promise<Account | undefined> {
  const url = await directory.needed("newAccount");
  const send = async (body: object): Promise<Account | undefined> => {
    try {
      const response = await directory.post(url, body, { key, account: undefined });
      return response.json()["status"] === "deactivated" ? undefined : { key, url: locationOf(response) };
    } catch (error) {
      // RFC 8555 §7.3.6 gives the type, which has other reasons too. The account must stay in those cases.
      const { type, message } = error instanceof AcmeError ? error : new AcmeError("");
      if (isKnown && type === "unauthorized" && /deactivated/i.test(message)) return undefined;
      throw error;
    }
  };
  try {
    // Some directories accept a binding only once.
    if (isKnown && external !== undefined) return await send({ onlyReturnExisting: true });
  } catch (error) {
    if (!(error instanceof AcmeError) || error.type !== "accountDoesNotExist") throw error;
  }
  if (external === undefined && (await directory.requiresExternalAccount())) {
    throw new AcmeError("the directory requires an external account; set tls.acme.external_account");
  }
  const contact = config.contact.map((address) => `mailto:${address}`);
  const binding = external && { externalAccountBinding: accountBinding(external, url, key.jwk) };
  return send({ termsOfServiceAgreed: true, contact, ...binding });
}

/** Gets a certificate for one domain. Rejects with an AcmeError. */
export async function orderCertificate(
  directory: AcmeDirectory,
  account: Account,
  options: OrderOptions,
): Promise<KeyPair> {
  const { domain, keyType } = options;
  const who = { key: account.key, account: account.url };
  const { url, order } = await newOrder(directory, who, options);
  for (const authorization of urlsOf(order, "authorizations")) {
    await authorize(directory, { who, authorization }, options);
  }
  const privateKey = await makeKey(keyType);
  const csr = certificateRequest([domain], privateKey, createPublicKey(privateKey)).toString("base64url");
  await directory.post(urlOf(order, "finalize"), { csr }, who);
  const done = await settled(() => directory.post(url, undefined, who), ["pending", "ready", "processing"], options);
  if (done["status"] !== "valid") throw problemError(done["error"]);
  const { text } = await directory.post(urlOf(done, "certificate"), undefined, who);
  return { cert: checkedChain(text, { key: privateKey, domain, now: options.now() }), key: keyPem(privateKey) };
}

interface Who {
  readonly key: AccountKey;
  readonly account: string;
}

async function newOrder(
  directory: AcmeDirectory,
  who: Who,
  { domain, replaces }: OrderOptions,
): Promise<{ url: string; order: Readonly<Record<string, unknown>> }> {
  const identifiers = [{ type: "dns", value: domain }];
  const url = await directory.needed("newOrder");
  const send = async (body: object): Promise<{ url: string; order: Readonly<Record<string, unknown>> }> => {
    const response = await directory.post(url, body, who);
    return { url: locationOf(response), order: response.json() };
  };
  if (replaces === undefined || (await directory.resource("renewalInfo")) === undefined) return send({ identifiers });
  try {
    return await send({ identifiers, replaces });
  } catch (error) {
    // RFC 9773 §5: another order or account has replaced the certificate already. It is still renewed.
    if (!(error instanceof AcmeError) || !["alreadyReplaced", "malformed", "unauthorized"].includes(error.type))
      throw error;
    return send({ identifiers });
  }
}

/** Proves control over the domain, unless the directory knows it already (RFC 8555 §7.5). */
async function authorize(
  directory: AcmeDirectory,
  { who, authorization }: { who: Who; authorization: string },
  options: OrderOptions,
): Promise<void> {
  const { domain, challenge: type, publish } = options;
  const look = (): Promise<AcmeResponse> => directory.post(authorization, undefined, who);
  const begun = (await look()).json();
  if (begun["status"] === "valid") return;
  const offered = listOf(begun, "challenges").find((one) => one["type"] === type);
  const { token } = offered ?? {};
  if (offered === undefined) throw new AcmeError(`the directory does not offer ${type} for ${domain}`);
  if (typeof token !== "string" || !/^[\w-]{1,256}$/.test(token)) throw new AcmeError("a challenge has no token");
  await publish({ type, domain, token, keyAuthorization: `${token}.${who.key.thumbprint}` });
  await directory.post(urlOf(offered, "url"), {}, who);
  const ended = await settled(look, ["pending"], options);
  if (ended["status"] === "valid") return;
  const failed = listOf(ended, "challenges").find((one) => one["error"] !== undefined);
  throw problemError(failed?.["error"]);
}

/** Checks until the status is not one of `unfinished`. Rejects after `settleMs`. */
async function settled(
  look: () => Promise<AcmeResponse>,
  unfinished: readonly string[],
  { now, uptime = () => performance.now(), pause, settleMs }: OrderOptions,
): Promise<Readonly<Record<string, unknown>>> {
  const end = uptime() + settleMs;
  for (let ms = FIRST_LOOK_MS; ; ms = Math.min(ms * 2, LONGEST_LOOK_MS)) {
    const response = await look();
    const value = response.json();
    if (!unfinished.includes(String(value["status"]))) return value;
    if (uptime() > end) throw new AcmeError(`the directory did not finish the order within ${settleMs / 1000} s`);
    const asked = retryWaitMs(response.headers.get("retry-after"), now()) ?? 0;
    await pause(Math.max(ms, Math.min(asked, LONGEST_LOOK_MS)));
  }
}

function locationOf({ headers }: AcmeResponse): string {
  const url = headers.get("location");
  if (url === null) throw new AcmeError("a response of the directory has no Location");
  return url;
}

function urlOf(value: Readonly<Record<string, unknown>>, name: string): string {
  const url = value[name];
  if (typeof url !== "string") throw new AcmeError(`a response of the directory has no "${name}"`);
  return url;
}

/**
 * Authorizations and challenges of an order, which has one authorization for a single name. With more authorizations
 * the order fails; further challenges are ignored.
 */
const MAX_LISTED = 16;

function urlsOf(value: Readonly<Record<string, unknown>>, name: string): readonly string[] {
  const list: unknown = value[name];
  if (!Array.isArray(list) || list.length > MAX_LISTED)
    throw new AcmeError(`a response of the directory has no "${name}"`);
  return list.map(String);
}

function listOf(value: Readonly<Record<string, unknown>>, name: string): readonly Readonly<Record<string, unknown>>[] {
  const list: unknown = value[name];
  return Array.isArray(list) ? list.slice(0, MAX_LISTED).filter(isObject) : [];
}
