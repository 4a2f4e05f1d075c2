import { type Fields, fieldLine } from "../../../lib/http/fields.ts";
import { consumerLine, fieldText, type MethodConfig } from "./method.ts";
import { member } from "./jwt-token.ts";

/** Seconds by which the clocks of the issuer and of this machine may differ. */
const SKEW_S = 60;

/** The claims of a token, by name: its decoded payload (RFC 7519 §4). */
export type Claims = Readonly<Record<string, unknown>>;

/** The claims that a token must have, and the claims that are passed to the upstream as fields. */
type ClaimRules = Pick<MethodConfig<"jwt">, "issuer" | "audience" | "claims_to_headers">;

/** The bearer of a verified token. */
export interface Bearer {
  readonly consumer: string;
  /** Field lines for the upstream. */
  readonly fields: Fields;
  /** When the token expires, with the clock skew, in Unix seconds. Infinite if the token has no expiry. */
  readonly until: number;
}

/** Why a token is refused, in the words that the client receives. ASCII without quotes. */
export type ClaimError =
  | "the token has expired"
  | "the token is not valid yet"
  | "the token is of another issuer"
  | "the token is for another audience"
  | "a claim of the token cannot be read";

/** Checks the claims of a token (RFC 7519 §4.1). `now`: Unix seconds. */
export function readClaims(claims: Claims, rules: ClaimRules, now: number): Bearer | ClaimError {
  const exp = seconds(member(claims, "exp"), Number.POSITIVE_INFINITY);
  const nbf = seconds(member(claims, "nbf"), Number.NEGATIVE_INFINITY);
  const iat = seconds(member(claims, "iat"), Number.NEGATIVE_INFINITY);
  if (exp === undefined || nbf === undefined || iat === undefined) return "a claim of the token cannot be read";
  if (now >= exp + SKEW_S) return "the token has expired";
  if (now < nbf - SKEW_S || now < iat - SKEW_S) return "the token is not valid yet";
  if (rules.issuer !== undefined && member(claims, "iss") !== rules.issuer) return "the token is of another issuer";
  const audiences = audiencesOf(member(claims, "aud"));
  if (audiences === undefined) return "a claim of the token cannot be read";
  if (rules.audience !== undefined && !audiences.includes(rules.audience)) return "the token is for another audience";
  const subject = member(claims, "sub");
  // Only a token without the claim is anonymous.
  const consumer = subject === undefined ? "" : subject;
  const line = typeof consumer === "string" && subject !== "" ? consumerLine(consumer) : undefined;
  const given = givenFields(claims, rules);
  if (typeof consumer !== "string" || line === undefined || given === undefined) {
    return "a claim of the token cannot be read";
  }
  return { consumer, fields: line + given, until: exp + SKEW_S };
}

/** A NumericDate in seconds, or `absent` if there is no value. Undefined if the value is not a number. */
function seconds(value: unknown, absent: number): number | undefined {
  if (value === undefined) return absent;
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** The audiences: one string, or an array of strings (RFC 7519 §4.1.3). Undefined for any other value. */
function audiencesOf(value: unknown): readonly string[] | undefined {
  if (value === undefined) return [];
  if (typeof value === "string") return [value];
  if (!Array.isArray(value)) return undefined;
  const list: readonly unknown[] = value;
  return list.every((item) => typeof item === "string") ? list : undefined;
}

/**
 * The claims as field lines for the upstream. Undefined if one of them cannot be a field value, because the upstream
 * must not get only a part of the claims.
 */
function givenFields(claims: Claims, { claims_to_headers: rules }: ClaimRules): Fields | undefined {
  let fields = "";
  for (const { claim, header } of rules) {
    const value = member(claims, claim);
    if (value === undefined || value === null || value === "") continue;
    const plain = claimText(value);
    const text = plain === undefined ? undefined : fieldText(plain);
    if (text === undefined) return undefined;
    fields += fieldLine(header, text);
  }
  return fields;
}

/**
 * A claim as one text. The items of a list are joined with commas. Undefined if an item has a comma or outer spaces,
 * because the upstream would read other items.
 */
function claimText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (Array.isArray(value) && value.length > 0) {
    const items: readonly unknown[] = value;
    const texts = items.filter(
      (item) => typeof item === "string" && !item.includes(",") && fieldText(item) !== undefined,
    );
    if (texts.length === items.length) return texts.join(",");
    if (items.some((item) => typeof item === "string")) return undefined;
  }
  // JSON in ASCII. Other characters are escaped.
  return JSON.stringify(value).replaceAll(
    /[\u007f-\uffff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
