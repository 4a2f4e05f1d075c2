import { readFile } from "node:fs/promises";
import { whyUnreadable } from "../../lib/caught.ts";
import { parsedJson } from "../../lib/parsed-json.ts";
import { DEFAULT_MAX_PRICE, withScheme } from "./call-arguments.ts";
import { flagTable, parseFlags } from "../common/flags.ts";
import { payerFlags, type PayerSettings, payerSettings } from "./payer.ts";
import { UsageError } from "../common/usage-error.ts";

/** The request that `turnpike pay` sends, and the destination of the response. */
export interface PayRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: Headers;
  /** The body as typed: text, or `@` and a file name. Undefined: no body. */
  readonly data: string | undefined;
  readonly out: string | undefined;
  readonly payer: PayerSettings;
}

export const PAY_FLAGS = {
  ...flagTable({
    "d, data BODY": "the body: text, @FILE, or @- for standard input",
    'H, header "NAME: VALUE"...': "a field of the request; Content-Type is application/json if the body is JSON",
    "o, out FILE": "write the response to this file",
  }),
  ...payerFlags({ maxPrice: DEFAULT_MAX_PRICE, maxTotal: "no limit" }),
};

/** Header fields that this client sets itself. */
const OWN = new Set(["payment-signature", "x-payment", "content-length", "transfer-encoding", "connection"]);

/** Reads the command line. Throws as `parseFlags`. */
export function parsePay(args: readonly string[]): PayRequest {
  const { values, positionals } = parseFlags(args, PAY_FLAGS);
  const [first, second, ...rest] = positionals;
  if (first === undefined) throw new UsageError("Name a URL");
  if (rest.length > 0) throw new UsageError("Name one URL, after its method");
  const { data } = values;
  const method = (second === undefined ? (data === undefined ? "GET" : "POST") : first).toUpperCase();
  if (!/^[A-Z]{1,20}$/.test(method)) throw new UsageError(`"${method}" is not a method`);
  if (data !== undefined && (method === "GET" || method === "HEAD")) throw new UsageError(`${method} takes no -d`);
  return {
    url: urlOf(second ?? first),
    method,
    headers: headersOf(values.header ?? []),
    data,
    out: values.out,
    payer: payerSettings(values, { maxPrice: DEFAULT_MAX_PRICE, maxTotal: undefined }),
  };
}

function urlOf(text: string): URL {
  const url = URL.parse(withScheme(text));
  if (url === null || !/^https?:$/.test(url.protocol)) throw new UsageError(`"${text}" is not an http or https URL`);
  return url;
}

function headersOf(lines: readonly string[]): Headers {
  const headers = new Headers();
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(colon, 0)).trim();
    if (OWN.has(name.toLowerCase())) throw new UsageError(`-H "${name}" is set by turnpike pay itself`);
    try {
      headers.append(name, line.slice(colon + 1).trim());
    } catch {
      throw new UsageError(`-H "${line}" is not "Name: value"`);
    }
  }
  return headers;
}

/** The body for `-d`: text, the bytes of a file for `@FILE`, or standard input for `@-`. Throws UsageError. */
export async function bodyOf(data: string): Promise<string | Uint8Array<ArrayBuffer>> {
  if (!data.startsWith("@")) return data;
  const name = data.slice(1);
  try {
    return new Uint8Array(name === "-" ? await Bun.stdin.bytes() : await readFile(name));
  } catch (error) {
    throw new UsageError(`-d cannot read "${name}": ${whyUnreadable(error)}`);
  }
}

/** The default Content-Type of a body: JSON if the body is valid JSON, else a form, as in other clients. */
export function typeOf(body: string | Uint8Array): string {
  const text = typeof body === "string" ? body : Buffer.from(body.buffer, body.byteOffset, body.length).toString();
  return parsedJson(text) === undefined ? "application/x-www-form-urlencoded" : "application/json";
}
