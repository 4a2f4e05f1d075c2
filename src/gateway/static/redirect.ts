import { fieldLine } from "../../lib/http/fields.ts";
import { respond } from "../exchange/local-response.ts";
import { type Exchange } from "../exchange/exchange.ts";
import { securityFields } from "../exchange/security-fields.ts";

/** The target of a route's redirects. Parts that are undefined stay as in the request. */
export interface RedirectSettings {
  readonly scheme: "http" | "https" | undefined;
  readonly host: string | undefined;
  readonly port: number | undefined;
  readonly path: ((path: string) => string) | undefined;
  readonly status: number;
}

const DEFAULT_PORTS = { http: "80", https: "443" } as const;
const NO_BODY = new Uint8Array(0);

/** Responds to every request of a route with another URL (RFC 9110 §15.4). */
export class Redirect {
  readonly #settings: RedirectSettings;

  constructor(settings: RedirectSettings) {
    this.#settings = settings;
  }

  serve(exchange: Exchange): void {
    const location = fieldLine("Location", locationOf(exchange.head, this.#settings));
    respond(exchange, this.#settings.status, location + securityFields(), NO_BODY);
  }
}

/** The URL of the redirect. If the request has no host, as in HTTP/1.0, it is a path on the same server. */
function locationOf(
  { authority, path, query, scheme: asked }: Pick<Exchange["head"], "authority" | "path" | "query" | "scheme">,
  { scheme, host, port, path: rewritten }: RedirectSettings,
): string {
  // `OPTIONS *` has no path.
  const target = (rewritten === undefined || path === "*" ? path : rewritten(path)) + query;
  const [askedHost, askedPort] = splitAuthority(authority);
  const newHost = host ?? askedHost;
  if (newHost === "") return target;
  const newScheme = scheme ?? asked;
  const newPort = port === undefined ? (scheme === undefined ? askedPort : "") : String(port);
  const shown = newPort === "" || newPort === DEFAULT_PORTS[newScheme] ? "" : `:${newPort}`;
  return `${newScheme}://${newHost}${shown}${target}`;
}

function splitAuthority(authority: string): readonly [host: string, port: string] {
  const colon = authority.lastIndexOf(":");
  if (colon <= authority.lastIndexOf("]")) return [authority, ""];
  return [authority.slice(0, colon), authority.slice(colon + 1)];
}
