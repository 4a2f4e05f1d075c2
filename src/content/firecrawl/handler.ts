import { messageOf } from "../../lib/caught.ts";
import { TurnpikeError } from "../../lib/errors.ts";
import { checkedForm, isFormCheck } from "../api/form-check.ts";
import { baseUrlOf, hostOf } from "../api/gateway-address.ts";
import { type AskPrices } from "../api/price-list.ts";
import { type OperationCounts } from "../figures/operation-counts.ts";
import { type OperationResult, type Services, type TextFeed } from "../operations/operation.ts";
import { ENDPOINTS } from "./endpoints.ts";
import { firecrawlProblem } from "./problem.ts";
import { type Ask, type Endpoint, notServed } from "./surface.ts";
import { createHash } from "node:crypto";
import { isTokenLike, TOKEN_FIELD, tokenDigest } from "../../payments/credit/token.ts";

export const VERSIONS: readonly Ask["version"][] = ["v1", "v2"];

/** Switches a request to WebSocket. False if it does not ask for that. */
type Upgrade = (feed: TextFeed) => boolean;

/** The parts of the HTTP interface that requests of all kinds share. */
export interface Http {
  readonly readJson: (request: Request) => Promise<unknown>;
  readonly respond: (result: OperationResult, signal: AbortSignal) => Response;
  readonly switched: (feed: TextFeed, upgrade: Upgrade | undefined) => Response;
  readonly operations: OperationCounts | undefined;
  readonly prices: AskPrices;
}

/** Serves requests in Firecrawl's form. The function never throws. */
export function firecrawlHandler(
  services: Services,
  http: Http,
): (request: Request, upgrade?: Upgrade) => Promise<Response> {
  return async (request, upgrade) => {
    const found = endpointOf(request);
    const isCheck = isFormCheck(request);
    const { operation } = isCheck ? {} : (found?.endpoint ?? {});
    if (operation !== undefined) http.operations?.called(operation);
    try {
      if (found === undefined)
        throw notServed(`Turnpike does not have ${request.method} ${new URL(request.url).pathname}`);
      const { endpoint, id, version } = found;
      const { headers, signal, url } = request;
      const protocol = headers.get("sec-websocket-protocol") ?? undefined;
      const ask = {
        id,
        version,
        headers,
        signal,
        protocol,
        owner: ownerOf(headers, protocol),
        base: baseUrlOf(request),
        pagePrice: async () => (await http.prices(hostOf(request)))?.prices["/scrape"],
      };
      const serve = async (used: Services) => {
        const respond = (body: unknown) => endpoint.respond({ ...ask, body, query: new URL(url).searchParams }, used);
        return endpoint.isUpload === true
          ? await used.uploads.with(request, respond)
          : await respond(endpoint.method === "POST" ? await http.readJson(request) : undefined);
      };
      if (isCheck) return await checkedForm(serve, services);
      const answer = await serve(services);
      return "socket" in answer ? http.switched(answer.socket, upgrade) : http.respond(answer, signal);
    } catch (error) {
      const problem = problemOf(error, services);
      if (operation !== undefined) http.operations?.failed(operation, problem.code);
      return firecrawlProblem(problem, request.method);
    }
  };
}

function problemOf(error: unknown, { log }: Services): TurnpikeError {
  if (error instanceof TurnpikeError) return error;
  log("error", `Cannot serve a request in Firecrawl's form: ${messageOf(error)}`);
  return new TurnpikeError("internal", "Cannot serve the request: see the log");
}

interface Found {
  readonly endpoint: Endpoint;
  readonly id: string;
  readonly version: Ask["version"];
}

function endpointOf({ method, url }: Request): Found | undefined {
  const [version, ...parts] = new URL(url).pathname.slice(1).split("/");
  if (version !== "v1" && version !== "v2") return undefined;
  const wanted = method === "HEAD" ? "GET" : method;
  for (const endpoint of ENDPOINTS) {
    const names = endpoint.path.split("/");
    const fits = names.length === parts.length && names.every((name, at) => name === ":id" || name === parts[at]);
    if (!fits || endpoint.method !== wanted) continue;
    return { endpoint, version, id: parts[names.indexOf(":id")] ?? "" };
  }
  return undefined;
}

/**
 * The owner of jobs: the consumer that the gateway has authenticated, the token of prepaid credit, or any other key. Empty
 * without a key. It is the secret of its jobs. `protocol`: the key of a WebSocket.
 */
function ownerOf(headers: Headers, protocol?: string): string {
  const consumer = headers.get("x-consumer-name");
  if (consumer !== null) return digest(`consumer ${consumer}`);
  const key = protocol ?? /^bearer +(\S+)$/i.exec(headers.get("authorization") ?? "")?.[1];
  const token = headers.get(TOKEN_FIELD) ?? (key !== undefined && isTokenLike(key) ? tokenDigest(key) : undefined);
  if (token !== undefined) return digest(`token ${token}`);
  return key === undefined ? "" : digest(`key ${key}`);
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}
