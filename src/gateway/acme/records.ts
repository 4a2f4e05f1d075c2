import { createHash } from "node:crypto";
import { isObject } from "../../lib/is-object.ts";
import { parsedJson } from "../../lib/parsed-json.ts";
import { type KeyPair } from "../wire/tls.ts";
import { validityOf } from "./chain.ts";
import { type OpenChallenge } from "./challenges.ts";
import { type ChallengeType } from "./order.ts";
import { type AcmeSettings } from "./settings.ts";

export interface CertificateRecord {
  readonly directory_url: string;
  readonly key_type: string;
  readonly cert: string;
  readonly key: string;
  /** Unix milliseconds; 0 in records of earlier versions. */
  readonly issued_at: number;
  /** Renewals before this one, in a row, that each came within a day of the previous one. */
  readonly hasty: number;
}

/** The record of a domain whose last order failed. */
export interface FailureRecord {
  /** The digest of the settings that failed. Other settings are tried at once. */
  readonly settings: string;
  readonly count: number;
  /** Unix milliseconds. */
  readonly next_at: number;
}

export type Entries = ReadonlyMap<string, string>;

const CHALLENGE_PREFIX = "challenge-";
/** The beginning of the names of the gateways' entries in the store. */
export const GATEWAY_PREFIX = "gateway-";

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}

/** The entry of a domain's certificate. */
export function certificateName(domain: string): string {
  return `certificate-${domain}`;
}

/** The entry of an order that has begun and has not ended. */
export function attemptName(domain: string): string {
  return `attempt-${domain}`;
}

/** The entry of the failed orders of a domain. */
export function failureName(domain: string): string {
  return `failure-${domain}`;
}

/** The entry of a challenge, by its token. */
export function challengeName(token: string): string {
  return CHALLENGE_PREFIX + digest(token);
}

/** The entry of the account at a directory. Each directory, and each external account there, has its own account. */
export function accountName({ config, external }: AcmeSettings): string {
  return `account-${digest(external === undefined ? config.directory_url : `${config.directory_url} ${external.keyId}`)}`;
}

/** The settings that an order depends on. */
export function settingsDigest({ config, external }: AcmeSettings): string {
  const { directory_url: url, key_type: keyType, challenges, contact, ca_path: caPath } = config;
  const account = external === undefined ? [] : [external.keyId, external.key];
  return digest(JSON.stringify([url, keyType, challenges, contact, caPath, ...account]));
}

function objectOf(entries: Entries, name: string): Readonly<Record<string, unknown>> | undefined {
  const value = parsedJson(entries.get(name) ?? "");
  return isObject(value) ? value : undefined;
}

/** A domain's certificate and its validity, in Unix milliseconds. */
export interface KeptCertificate {
  readonly record: CertificateRecord;
  readonly pair: KeyPair;
  readonly from: number;
  readonly to: number;
}

/** Undefined if no usable certificate is stored. */
export function readCertificate(entries: Entries, domain: string): KeptCertificate | undefined {
  const { directory_url, key_type, cert, key, issued_at, hasty } = objectOf(entries, certificateName(domain)) ?? {};
  if (typeof directory_url !== "string" || typeof key_type !== "string") return undefined;
  if (typeof cert !== "string" || typeof key !== "string") return undefined;
  const pair = { cert, key };
  const validity = validityOf(pair);
  if (validity === undefined) return undefined;
  const record = { directory_url, key_type, ...pair, issued_at: countOf(issued_at), hasty: countOf(hasty) };
  return { record, pair, ...validity };
}

function countOf(value: unknown): number {
  return typeof value === "number" && value >= 0 ? value : 0;
}

/** `name` is that of a failure or an attempt. */
export function readFailure(entries: Entries, name: string): FailureRecord | undefined {
  const { settings, count, next_at } = objectOf(entries, name) ?? {};
  if (typeof settings !== "string" || typeof count !== "number" || typeof next_at !== "number") return undefined;
  return { settings, count, next_at };
}

/** The account's key in PEM; undefined if there is no account yet. */
export function readAccountKey(entries: Entries, settings: AcmeSettings): string | undefined {
  const { key } = objectOf(entries, accountName(settings)) ?? {};
  return typeof key === "string" ? key : undefined;
}

/** The challenges that all gateways have under way. */
export function readChallenges(entries: Entries): readonly OpenChallenge[] {
  return [...entries.keys()].toSorted().flatMap((name) => {
    if (!name.startsWith(CHALLENGE_PREFIX)) return [];
    const { type, domain, token, keyAuthorization, pair } = objectOf(entries, name) ?? {};
    if (!isChallengeType(type) || typeof domain !== "string" || typeof token !== "string") return [];
    if (typeof keyAuthorization !== "string") return [];
    return [{ type, domain, token, keyAuthorization, pair: pairOf(pair) }];
  });
}

function isChallengeType(type: unknown): type is ChallengeType {
  return type === "http-01" || type === "tls-alpn-01";
}

function pairOf(value: unknown): KeyPair | undefined {
  const { cert, key } = isObject(value) ? value : {};
  return typeof cert === "string" && typeof key === "string" ? { cert, key } : undefined;
}

/** The names of the challenges that a gateway has confirmed to respond to. */
export function readResponded(entries: Entries, gateway: string): readonly unknown[] {
  const { challenges } = objectOf(entries, gateway) ?? {};
  return Array.isArray(challenges) ? challenges : [];
}
