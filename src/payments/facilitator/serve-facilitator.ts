import { existsSync, lstatSync, unlinkSync } from "node:fs";
import { codeOf, messageOf } from "../../lib/caught.ts";
import { within } from "../../lib/within.ts";
import { type Facilitator } from "./facilitator.ts";
import { FacilitatorService, MAX_REQUEST_BYTES, type ServiceOptions } from "./facilitator-service.ts";
import { isLoopback } from "./loopback-only.ts";

/** Seconds for which a connection may be silent. @bound */
const IDLE_S = 30;
/** Milliseconds for whoever listens on a socket already to say so. @bound */
const HEALTH_MS = 1000;

/** Where a facilitator listens. */
export type FacilitatorPlace =
  | { readonly hostname: string; readonly port: number }
  /** Only this user can connect to it. */
  | { readonly unix: string };

export interface FacilitatorServer {
  /** What `x402.facilitator_url` is for it. */
  readonly url: string;
  /** Takes no more calls, lets settlements end within `graceMs`, then cuts what is left. The facilitator stays open. */
  close(graceMs: number): Promise<void>;
}

/** Serves `facilitator` over HTTP. Throws where it cannot listen there, and where everybody could settle at our cost. */
export async function serveFacilitator(
  facilitator: Facilitator,
  place: FacilitatorPlace,
  options: ServiceOptions,
): Promise<FacilitatorServer> {
  if (!("unix" in place) && options.token === undefined && !isLoopback(place.hostname)) {
    throw new Error(
      `Cannot listen on ${place.hostname}: programs that reach it could spend this key's gas; set a token, or listen on 127.0.0.1`,
    );
  }
  const service = new FacilitatorService(facilitator, options);
  const fetch = (request: Request, server: Bun.Server<undefined>): Promise<Response> =>
    // A receipt takes as long as its block.
    service.handle(request, () => server.timeout(request, 0));
  const shared = { fetch, idleTimeout: IDLE_S, maxRequestBodySize: 2 * MAX_REQUEST_BYTES };
  const server = "unix" in place ? await listenOnSocket(place.unix, shared) : listenOnPort(place, shared);
  return {
    url: "unix" in place ? `unix:${place.unix}` : server.url.origin,
    async close(graceMs) {
      await within(graceMs, service.close());
      // Answers that are complete are sent before connections are cut.
      await Bun.sleep(0);
      await server.stop(true);
      if ("unix" in place && existsSync(place.unix)) unlinkSync(place.unix);
    },
  };
}

interface Handlers {
  readonly idleTimeout: number;
  readonly maxRequestBodySize: number;
  fetch(request: Request, server: Bun.Server<undefined>): Promise<Response>;
}

function unixOptions(handlers: Handlers, unix: string): Bun.Serve.Options<undefined, never> {
  // Bun obeys idleTimeout on Unix sockets as well; its types have it for ports alone.
  return { ...handlers, unix } as unknown as Bun.Serve.Options<undefined, never>;
}

function listenOnPort(place: { hostname: string; port: number }, handlers: Handlers): Bun.Server<undefined> {
  try {
    return Bun.serve({ ...handlers, hostname: place.hostname, port: place.port });
  } catch (error) {
    throw new Error(`Cannot listen on ${place.hostname}:${place.port}: ${codeOf(error) ?? messageOf(error)}`, {
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

/** A socket that nobody answers at is left from a process that was killed. */
async function removeStale(unix: string): Promise<void> {
  if (!existsSync(unix) || !lstatSync(unix).isSocket()) return;
  // Whoever takes the connection is there, however late the answer.
  const isServed = await fetch("http://localhost/health", { unix, signal: AbortSignal.timeout(HEALTH_MS) }).then(
    () => true,
    (error: unknown) => error instanceof Error && error.name === "TimeoutError",
  );
  if (!isServed) unlinkSync(unix);
}
