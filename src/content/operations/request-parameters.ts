import { array, boolean, number, object, oneOf, type Output, record, strictObject, string } from "../../lib/schema.ts";
import { FIELD_ROLES } from "../../lib/http/field-roles.ts";
import { isTimeZone } from "../../lib/time/time-zone.ts";
import { isPublicSuffix } from "../static/cookies.ts";
import { isIP } from "node:net";
import { type OwnCookie, type OwnRequest, PAGE_METHODS } from "../page/own-request.ts";
import { type FieldRule, limits, members, needsValue } from "./field-rules.ts";
import { invalidParameters } from "./operation.ts";
import { matching, text, flag, whole } from "./text.ts";
import { proxyOf } from "../egress/own-proxy.ts";

/** Header fields and cookies of a request, characters of a name and of a value, and of all fields together. */
const MAX_FIELDS = 50;
const MAX_COOKIES = 50;
const MAX_NAME_LENGTH = 100;
const MAX_VALUE_LENGTH = 8_192;
const MAX_FIELDS_LENGTH = 32_768;
/** Characters of the body of a request for a page. */
const MAX_BODY_LENGTH = 262_144;
const MAX_CREDENTIAL_LENGTH = 500;
const MAX_PROXY_LENGTH = 2_000;
/** Pixels of a side of a viewport. */
const MAX_SIDE = 4_096;

/** The characters of a field's name (RFC 9110 §5.6.2) and of its value. */
const FIELD_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const FIELD_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
/** The characters of a cookie's value (RFC 6265 §4.1.1), and those that browsers accept beyond them. */
const COOKIE_VALUE = /^[\x20-\x3a\x3c-\x7e]*$/;
const DOMAIN = /^[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?$/;
const USER_NAME = /^[^:\p{Cc}]*$/u;
/** The name of a proxy of the operator, or a URL, whose host is checked later. */
const PROXY =
  /^(?:[a-z0-9][a-z0-9-]{0,62}|(?:[Hh][Tt][Tt][Pp]|[Ss][Oo][Cc][Kk][Ss]5[Hh]?):\/\/(?:[^\s/?#@]*@)?(?:[\p{L}\p{M}\p{N}._-]+|\[[0-9A-Fa-f:.]+\])(?::(?:[0-5]?\d{1,4}|6[0-4]\d{3}|65[0-4]\d\d|655[0-2]\d|6553[0-5]))?\/?)$/u;

/**
 * Fields that a caller cannot set, in parts that are short enough for patterns: they belong to the connection, to the
 * message, to a payment, or to the browser.
 */
const REFUSED = [
  [...FIELD_ROLES.connection, ...FIELD_ROLES.framing, ...FIELD_ROLES.payment, "accept-encoding", "host"],
  [...FIELD_ROLES.settlement, "range", "if-match", "if-modified-since"],
  ["if-none-match", "if-range", "if-unmodified-since"],
].map((names) => `^(?:${names.map(anyCase).join("|")})$`);
const REFUSED_NAMES = [...REFUSED, `^(?:${["proxy-", "sec-", "turnpike-"].map(anyCase).join("|")})`];
const REFUSED_NAME = new RegExp(REFUSED_NAMES.join("|"));

/** A pattern of a text in capital or small letters. JSON Schema knows no flags of patterns. */
function anyCase(name: string): string {
  return name.replaceAll(/[a-z]/g, (letter) => `[${letter.toUpperCase()}${letter}]`);
}

const fieldName = text(MAX_NAME_LENGTH, 1)
  .regex(FIELD_NAME, "must be the name of a header field")
  .refine((name) => !REFUSED_NAME.test(name), "is a field that only the service sets");
const fieldValue = text(MAX_VALUE_LENGTH).regex(FIELD_VALUE, "must have no line ends and control characters");
/** The generator of the description knows no rules of names. */
const DESCRIBED = {
  type: "object" as const,
  additionalProperties: { type: "string" as const, maxLength: MAX_VALUE_LENGTH, pattern: FIELD_VALUE.source },
  propertyNames: { minLength: 1, maxLength: MAX_NAME_LENGTH, pattern: FIELD_NAME.source },
  maxProperties: MAX_FIELDS,
};

const cookie = strictObject({
  name: text(MAX_NAME_LENGTH, 1).regex(FIELD_NAME, "must be the name of a cookie"),
  value: text(MAX_VALUE_LENGTH).regex(COOKIE_VALUE, "must be visible ASCII characters and spaces, without semicolons"),
  domain: text(MAX_NAME_LENGTH, 1)
    .regex(DOMAIN, "must be a host name")
    .optional()
    .describe("The page's host or a domain above it, for its subdomains too"),
  path: text(MAX_VALUE_LENGTH, 1)
    .regex(/^\/[\x20-\x3a\x3c-\x7e]*$/, "must begin with a slash")
    .default("/"),
  secure: boolean().optional().describe("Only by https; by default if the page's URL is https"),
}).openapi("Cookie");

const PROXY_RULE =
  "must be http://HOST:PORT or socks5://HOST:PORT, with a user name and a password if needed, or the name of a proxy";
const degrees = (most: number) => number().min(-most).max(most);

/** The parameters by which a page is requested as its owner would. */
export const requestParameters = {
  headers: record(fieldName, fieldValue)
    .refine((fields) => Object.keys(fields).length <= MAX_FIELDS, `must have at most ${MAX_FIELDS} fields`)
    .refine((fields) => Object.entries(fields).flat().join("").length <= MAX_FIELDS_LENGTH, "must be shorter together")
    .optional()
    .openapi({
      ...DESCRIBED,
      description: "Header fields for the page's origin; redirects to other origins drop them",
    }),
  cookies: array(cookie).max(MAX_COOKIES).optional().describe("Cookies for the page's host"),
  basic_auth: strictObject({
    username: matching(text(MAX_CREDENTIAL_LENGTH), USER_NAME, "must have no colon and no control characters"),
    password: text(MAX_CREDENTIAL_LENGTH),
  })
    .openapi("BasicAuth", { description: "User name and password for the page's origin" })
    .optional(),
  method: oneOf(PAGE_METHODS).default("GET").describe("Method of the request for the page"),
  body: text(MAX_BODY_LENGTH)
    .optional()
    .describe("Body of the request; a form, unless headers has another Content-Type"),
  language: string()
    .regex(/^[a-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,2}$/, "must be a language tag such as de or pt-BR")
    .optional()
    .openapi({ description: "Language that the page is asked for", example: "de-AT" }),
  timezone: text(MAX_NAME_LENGTH, 1)
    .refine(isTimeZone, "must be a time zone such as Europe/Vienna")
    .optional()
    .openapi({ description: "Time zone of the browser", example: "Europe/Vienna", format: "time-zone" }),
  geolocation: strictObject({
    latitude: degrees(90),
    longitude: degrees(180),
    accuracy: number().min(0).max(100_000).default(50),
  })
    .openapi("Geolocation", { description: "Position that the browser reports" })
    .optional(),
  viewport: strictObject({
    width: whole(1, MAX_SIDE),
    height: whole(1, MAX_SIDE),
    scale: number().min(0.5).max(4).default(1),
    mobile: flag(),
  })
    .openapi("Viewport", { description: "Size of the browser's window; mobile is a touch screen, and asks as a phone" })
    .optional(),
  proxy: matching(text(MAX_PROXY_LENGTH, 1), PROXY, PROXY_RULE)
    .refine((value) => !value.includes("://") || proxyOf(value) !== undefined, PROXY_RULE)
    .optional()
    .describe("Proxy of your own (http or socks5 URL), or the name of one of the operator"),
};

const WITH_BODY = PAGE_METHODS.filter((method) => method !== "GET");

export const REQUEST_RULES: readonly FieldRule[] = [
  needsValue("body", "method", ...WITH_BODY),
  limits("basic_auth", { headers: { propertyNames: { not: { pattern: `^${anyCase("authorization")}$` } } } }),
  members({ headers: { propertyNames: { not: { anyOf: REFUSED_NAMES.map((pattern) => ({ pattern })) } } } }),
];

const schema = object(requestParameters);

type Input = Output<typeof schema>;

/** Parameters whose values may be secrets. A job would keep them in its order. */
const SECRET = ["headers", "cookies", "basic_auth", "body", "actions"] as const;

/** The rule of a job: it keeps no secret of its caller. */
export const JOB_RULE: FieldRule = members({
  ...Object.fromEntries(SECRET.map((name) => [name, false])),
  proxy: { not: { pattern: "://" } },
  // Jobs ask no language model.
  formats: { items: members({ prompt: false, by: { const: "sentences" } }) },
});

/** Throws `invalid-parameters` if a job would keep a secret of its caller. */
export function assertKeepable(input: Partial<Input> & { readonly actions?: unknown }): void {
  const secret: readonly string[] = SECRET.filter((name) => input[name] !== undefined);
  const kept = input.proxy?.includes("://") === true ? [...secret, "proxy"] : secret;
  if (kept.length === 0) return;
  throw invalidParameters(
    kept.map((path) => ({ path, message: "is not for jobs: it may be a secret, and a job's request is stored" })),
  );
}

/** The user agent among the header fields, which the engines need apart from the others. */
export function userAgentOf({ headers = {} }: Partial<Input>): string | undefined {
  return Object.entries(headers).find(([name]) => name.toLowerCase() === "user-agent")?.[1];
}

/** The caller's own part of a request. Undefined if it is empty. Throws `invalid-parameters`. */
export function ownRequest(input: Partial<Input> & Pick<Input, "method">, url: URL): OwnRequest | undefined {
  const { headers = {}, method, body, language, timezone: timeZone, geolocation: position, viewport, proxy } = input;
  const own = {
    headers: fieldsOf(input),
    cookies: cookiesOf(input, url),
    method,
    body,
    language,
    timeZone,
    position,
    viewport,
    proxy: proxy === undefined ? undefined : (proxyOf(proxy) ?? proxy),
  };
  const isEmpty = Object.keys(headers).length + own.headers.length + own.cookies.length === 0 && method === "GET";
  const others = [language, timeZone, position, viewport, proxy];
  return isEmpty && others.every((part) => part === undefined) ? undefined : own;
}

/** The fields without those that have a parameter of their own. */
function fieldsOf({ headers = {}, basic_auth: login }: Partial<Input>): OwnRequest["headers"] {
  const fields = Object.entries(headers).filter(([name]) => !/^(?:cookie|user-agent)$/i.test(name));
  if (login === undefined) return fields;
  const coded = Buffer.from(`${login.username}:${login.password}`).toString("base64");
  return [...fields, ["Authorization", `Basic ${coded}`]];
}

function cookiesOf({ headers = {}, cookies = [] }: Partial<Input>, url: URL): OwnCookie[] {
  const isSecure = url.protocol === "https:";
  const field = Object.entries(headers).find(([name]) => name.toLowerCase() === "cookie")?.[1] ?? "";
  const inField = field.split(";").flatMap((pair) => {
    const at = pair.indexOf("=");
    const name = pair.slice(0, Math.max(at, 0)).trim();
    return name === ""
      ? []
      : [{ name, value: pair.slice(at + 1).trim(), domain: undefined, path: "/", secure: isSecure }];
  });
  const listed = cookies.map(({ name, value, domain, path, secure = isSecure }, at) => {
    const scope = domain?.replace(/^\./, "").toLowerCase();
    if (scope !== undefined && !isAbove(scope, url.hostname)) {
      throw invalidParameters([
        { path: `cookies.${at}.domain`, message: "must be the page's host or a domain above it" },
      ]);
    }
    return { name, value, domain: scope, path, secure };
  });
  return [...inField, ...listed];
}

function isAbove(domain: string, host: string): boolean {
  return domain === host || (isIP(host) === 0 && host.endsWith(`.${domain}`) && !isPublicSuffix(domain));
}
