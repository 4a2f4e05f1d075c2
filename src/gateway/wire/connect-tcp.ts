import { isIP, Socket as NodeSocket } from "node:net";
import { type Socket, type SocketHandler } from "bun";
import { type Connecting, DEAF, type Endpoint, guarded, handlerFor, type OnError } from "./tcp.ts";
import { limitUnsent } from "./unsent-limit.ts";
import { type Wire, type WireHandler } from "./wire.ts";

/** The error of a connection attempt that was aborted. */
export class GivenUpError extends Error {
  constructor() {
    super("Cannot connect: it was given up");
  }
}

/**
 * Opens a connection without TLS. `accept` is called in the event that opens the connection, and returns its handler.
 */
export function connectTcp(endpoint: Endpoint, accept: (wire: Wire) => WireHandler, onError: OnError): Connecting {
  return openSocket(endpoint, handlerFor(onError), (socket) => {
    guarded(socket, onError, () => {
      socket.data = accept(socket);
    });
  });
}

type Begin = (socket: Socket<WireHandler>) => void;

/** Opens a socket with `handlers`. `begin` is called when it is open, before anything is read from it. */
export function openSocket(endpoint: Endpoint, handlers: SocketHandler<WireHandler>, begin: Begin): Connecting {
  if ("unix" in endpoint || isIP(endpoint.address) === 0) return openNamed(endpoint, handlers, begin);
  return openNumeric(endpoint, handlers, begin);
}

/**
 * `Bun.connect` returns a socket only when it is connected. If no host responds to the SYNs, such a socket cannot be
 * closed and keeps its descriptor for two minutes. A socket of node:net can be closed. It contains the same socket of
 * Bun, which then gets the gateway's handlers. A test fails if another version of Bun keeps its sockets elsewhere.
 */
function openNumeric(
  { address, port }: { readonly address: string; readonly port: number },
  handlers: SocketHandler<WireHandler>,
  begin: Begin,
): Connecting {
  const result = Promise.withResolvers<void>();
  const opening = new NodeSocket({ allowHalfOpen: true });
  let isGivenUp = false;
  opening.on("error", result.reject);
  const taken = (): void => {
    const socket = takeSocket(opening);
    // In this event, node:net still writes to the socket's data.
    socket.data = { ...DEAF };
    socket.reload({ socket: handlers });
    // This runs before the next event of any socket.
    queueMicrotask(() => {
      socket.data = DEAF;
      limitUnsent(socket);
      if (isGivenUp) socket.terminate();
      else begin(socket);
      result.resolve();
    });
  };
  opening.once("connect", () => {
    try {
      taken();
    } catch (error) {
      opening.destroy();
      result.reject(error);
    }
  });
  opening.connect({ host: address, port });
  return {
    done: result.promise,
    abort() {
      isGivenUp = true;
      opening.destroy();
      result.reject(new GivenUpError());
    },
  };
}

/** Takes Bun's socket out of a socket of node:net, which does not use it from then on. */
function takeSocket(opened: NodeSocket): Socket<WireHandler> {
  const socket: unknown = Reflect.get(opened, "_handle");
  if (typeof socket !== "object" || socket === null || !("reload" in socket && "upgradeTLS" in socket)) {
    throw new Error("Cannot connect: this version of Bun keeps its sockets elsewhere");
  }
  Reflect.set(opened, "_handle", null);
  // Checked just above. Bun's API has no name for the class itself.
  return socket as Socket<WireHandler>;
}

/** For a name, Bun looks up the addresses and tries all of them. Only the kernel's timeout ends an attempt. */
function openNamed(endpoint: Endpoint, handlers: SocketHandler<WireHandler>, begin: Begin): Connecting {
  let isGivenUp = false;
  const options = {
    data: DEAF,
    allowHalfOpen: true,
    socket: {
      ...handlers,
      open(socket: Socket<WireHandler>) {
        limitUnsent(socket);
        if (isGivenUp) socket.terminate();
        else begin(socket);
      },
    },
  };
  const givenUp = Promise.withResolvers<never>();
  const opened =
    "unix" in endpoint
      ? Bun.connect<WireHandler>({ unix: endpoint.unix, ...options })
      : Bun.connect<WireHandler>({ hostname: endpoint.address, port: endpoint.port, ...options });
  return {
    done: (async () => {
      await Promise.race([opened, givenUp.promise]);
    })(),
    abort() {
      isGivenUp = true;
      givenUp.reject(new GivenUpError());
    },
  };
}
