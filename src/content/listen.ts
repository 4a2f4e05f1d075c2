import { rm } from "node:fs/promises";
import { connect } from "node:net";
import { messageOf } from "../lib/caught.ts";
import { type TextFeed } from "./operations/operation.ts";
import { type LiveSocket } from "./live/live-socket.ts";
import { type ViewSocket } from "./live/view/view-socket.ts";
import { type AnySocket, TextSocket, WEBSOCKET } from "./text-socket.ts";
import { isLoopback } from "../payments/facilitator/loopback-only.ts";

export type ContentAddress = { readonly unix: string } | { readonly hostname: string; readonly port: number };

export interface Protection {
  /** The token that requests must carry as `Authorization: Bearer`. Undefined: requests need no token. */
  readonly token?: string | undefined;
  /** Certificate chain and private key in PEM. Undefined: the service listens without TLS. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  /** Another layer encrypts the connections, so that the token can be sent without TLS. */
  readonly allowPlaintext?: boolean;
}

/** Seconds that a connection may be silent: more than the longest page timeout, wait and queueing time together. */
const IDLE_TIMEOUT_SECONDS = 255;
/**
 * Maximum number of bytes of a request. The limit is above that of the operations, so that they reject a longer body
 * with a problem document.
 */
const MAX_REQUEST_BYTES = 8 * 1024 * 1024;

/**
 * Checks the protection. Throws if other machines could use the service without a token, or read the token in transit.
 */
export function checkProtection(listen: ContentAddress, { token, tls, allowPlaintext = false }: Protection): void {
  if ("unix" in listen) {
    if (token !== undefined || tls !== undefined) {
      throw new Error(
        `Cannot listen on '${listen.unix}': a Unix socket is only for this user, and has no token and no TLS`,
      );
    }
    return;
  }
  if (isLoopback(listen.hostname)) return;
  const where = `Cannot listen on ${listen.hostname}: other machines reach it`;
  if (token === undefined) {
    throw new Error(`${where}, and there is no token; set one with --token-env or --token-file`);
  }
  if (tls === undefined && !allowPlaintext) {
    throw new Error(`${where}, and the token would be sent in clear text; set --tls-cert and --tls-key`);
  }
}

/** Starts the server. Throws a one-line error if it cannot listen. */
export async function serve(
  listen: ContentAddress,
  respond: Responder,
  tls: Protection["tls"],
): Promise<Bun.Server<AnySocket>> {
  const common = { fetch: fetchOf(respond), websocket: WEBSOCKET, maxRequestBodySize: MAX_REQUEST_BYTES };
  if (!("unix" in listen)) {
    try {
      return Bun.serve({
        ...common,
        ...listen,
        idleTimeout: IDLE_TIMEOUT_SECONDS,
        ...(tls === undefined ? {} : { tls }),
      });
    } catch (error) {
      throw new Error(`Cannot listen on ${listen.hostname}:${listen.port}: ${messageOf(error)}`, { cause: error });
    }
  }
  await removeDeadSocket(listen.unix);
  // No other user may connect, not even in the moment before the mode is set.
  const mask = process.umask(0o177);
  try {
    return Bun.serve(unixOptions(common, listen.unix));
  } catch (error) {
    throw new Error(`Cannot listen on '${listen.unix}': ${messageOf(error)}`, { cause: error });
  } finally {
    process.umask(mask);
  }
}

/** Switches a request to WebSocket. False if it does not ask for that. */
export type Upgrade = (feed: TextFeed | LiveSocket | ViewSocket) => boolean;

/** Responds to a request. The response has no effect after an upgrade. */
export type Responder = (request: Request, upgrade?: Upgrade) => Promise<Response>;

function fetchOf(respond: Responder) {
  return async (request: Request, server: Bun.Server<AnySocket>): Promise<Response | undefined> => {
    let isUpgraded = false;
    const response = await respond(request, (feed) => {
      const headers = feed.protocol === undefined ? {} : { "sec-websocket-protocol": feed.protocol };
      isUpgraded = server.upgrade(request, { data: "texts" in feed ? new TextSocket(feed) : feed, headers });
      return isUpgraded;
    });
    return isUpgraded ? undefined : response;
  };
}

interface Common extends Pick<Bun.Serve.Options<AnySocket>, "maxRequestBodySize"> {
  readonly fetch: ReturnType<typeof fetchOf>;
  readonly websocket: typeof WEBSOCKET;
}

function unixOptions(common: Common, unix: string): Bun.Serve.Options<AnySocket, never> {
  const options = { ...common, unix, idleTimeout: IDLE_TIMEOUT_SECONDS };
  // Bun applies idleTimeout to Unix sockets as well, but its types have it for ports only.
  return options as unknown as Bun.Serve.Options<AnySocket, never>;
}

/** Removes the socket that a killed service left behind. A socket that accepts connections stays. */
async function removeDeadSocket(path: string): Promise<void> {
  const { promise: alive, resolve } = Promise.withResolvers<boolean>();
  const socket = connect({ path });
  socket.once("connect", () => resolve(true));
  socket.once("error", () => resolve(false));
  const responded = await alive;
  socket.destroy();
  if (responded) throw new Error(`Cannot listen on '${path}': another content service uses it; stop it first`);
  await rm(path, { force: true });
}
