import { existsSync, lstatSync, unlinkSync } from "node:fs";
import { codeOf, messageOf } from "../../lib/caught.ts";
import { within } from "../../lib/time/within.ts";
import { type Facilitator } from "../x402/facilitator.ts";
import { FacilitatorService, MAX_REQUEST_BYTES, type ServiceOptions } from "./facilitator-service.ts";
import { isLoopback } from "./loopback-only.ts";

/** Seconds after which an idle connection is closed. @bound */
const IDLE_S = 30;
/** Timeout of the check whether another process listens on the socket, in milliseconds. @bound */
const HEALTH_MS = 1000;

export type FacilitatorEndpoint =
  | { readonly hostname: string; readonly port: number }
  /** Only the same user can connect to the socket. */
  | { readonly unix: string };

export interface FacilitatorServer {
  /** The value of `x402.facilitator_url` for this facilitator. */
  readonly url: string;
  /** Accepts no more calls, lets settlements end within `graceMs`, then closes all. The facilitator stays open. */
  close(graceMs: number): Promise<void>;
}

/** Serves `facilitator` over HTTP. Throws if it cannot listen, or if any client could use its gas. */
export async function serveFacilitator(
  facilitator: Facilitator,
  endpoint: FacilitatorEndpoint,
  options: ServiceOptions,
): Promise<FacilitatorServer> {
  if (
    !("unix" in endpoint) &&
    options.token === undefined &&
    !options.callers?.length &&
    !isLoopback(endpoint.hostname)
  ) {
    throw new Error(
      `Cannot listen on ${endpoint.hostname}: programs that reach it could spend this key's gas; set a token, or listen on 127.0.0.1`,
    );
  }
  const service = new FacilitatorService(facilitator, options);
  const fetch = (request: Request, server: Bun.Server<undefined>): Promise<Response> =>
    // The receipt of a transaction takes as long as its block.
    service.handle(request, () => server.timeout(request, 0));
  const shared = { fetch, idleTimeout: IDLE_S, maxRequestBodySize: 2 * MAX_REQUEST_BYTES };
  const server = "unix" in endpoint ? await listenOnSocket(endpoint.unix, shared) : listenOnPort(endpoint, shared);
  return {
    url: "unix" in endpoint ? `unix:${endpoint.unix}` : server.url.origin,
    async close(graceMs) {
      await within(graceMs, service.close());
      // Complete responses are sent before the connections are closed.
      await Bun.sleep(0);
      await server.stop(true);
      if ("unix" in endpoint && existsSync(endpoint.unix)) unlinkSync(endpoint.unix);
    },
  };
}

interface Handlers {
  readonly idleTimeout: number;
  readonly maxRequestBodySize: number;
  fetch(request: Request, server: Bun.Server<undefined>): Promise<Response>;
}

function unixOptions(handlers: Handlers, unix: string): Bun.Serve.Options<undefined, never> {
  // Bun applies idleTimeout to Unix sockets as well, but its types allow it only for ports.
  return { ...handlers, unix } as unknown as Bun.Serve.Options<undefined, never>;
}

function listenOnPort(endpoint: { hostname: string; port: number }, handlers: Handlers): Bun.Server<undefined> {
  try {
    return Bun.serve({ ...handlers, hostname: endpoint.hostname, port: endpoint.port });
  } catch (error) {
    throw new Error(`Cannot listen on ${endpoint.hostname}:${endpoint.port}: ${codeOf(error) ?? messageOf(error)}`, {
      cause: error,
    });
  }
}

async function listenOnSocket(unix: string, handlers: Handlers): Promise<Bun.Server<undefined>> {
  await removeStale(unix);
  const mask = process.umask(0o177);
  try {
    return Bun.serve(unixOptions(handlers, unix));
  } catch (error) {
    throw new Error(`Cannot listen on the socket "${unix}": ${codeOf(error) ?? messageOf(error)}`, { cause: error });
  } finally {
    process.umask(mask);
  }
}

/** Removes a socket that does not accept connections. A killed process has left it. */
async function removeStale(unix: string): Promise<void> {
  if (!existsSync(unix) || !lstatSync(unix).isSocket()) return;
  // If the connection is accepted, the process runs, even if its response is late.
  const isServed = await fetch("http://localhost/health", { unix, signal: AbortSignal.timeout(HEALTH_MS) }).then(
    () => true,
    (error: unknown) => error instanceof Error && error.name === "TimeoutError",
  );
  if (!isServed) unlinkSync(unix);
}
