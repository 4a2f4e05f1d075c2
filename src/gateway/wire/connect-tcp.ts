import { isIP, Socket as NodeSocket } from "node:net";
import { type Socket, type SocketHandler } from "bun";
import { type Connecting, DEAF, type Endpoint, guarded, handlerFor, type OnFault } from "./tcp.ts";
import { type Wire, type WireHandler } from "./wire.ts";

/** Why a connection is not there whose opening was given up. */
export class GivenUpError extends Error {
  constructor() {
    super("Cannot connect: it was given up");
  }
}

/** Opens a connection without TLS; `accept` is called within the event that it is open in, and says who hears it. */
export function connectTcp(endpoint: Endpoint, accept: (wire: Wire) => WireHandler, onFault: OnFault): Connecting {
  return openSocket(endpoint, handlerFor(onFault), (socket) => {
    guarded(socket, onFault, () => {
      socket.data = accept(socket);
    });
  });
}

type Begin = (socket: Socket<WireHandler>) => void;

/** Opens a socket that `handlers` serve; `begin` is called once it is open, before anything is read from it. */
export function openSocket(endpoint: Endpoint, handlers: SocketHandler<WireHandler>, begin: Begin): Connecting {
  if ("unix" in endpoint || isIP(endpoint.address) === 0) return openNamed(endpoint, handlers, begin);
  return openNumeric(endpoint, handlers, begin);
}

/**
 * `Bun.connect` shows a socket when it is connected, so one whose SYNs nobody answers could not be closed and would keep its
 * descriptor for two minutes. That of node:net can: it is the same socket inside, which then gets our handlers. A test
 * fails where another Bun has it elsewhere.
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
    // node:net still writes to the data of the socket in this event.
    socket.data = { ...DEAF };
    socket.reload({ socket: handlers });
    // Runs before the next event of any socket.
    queueMicrotask(() => {
      socket.data = DEAF;
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

/** Takes Bun's socket out of one of node:net, which knows of it no more. */
function takeSocket(opened: NodeSocket): Socket<WireHandler> {
  const socket: unknown = Reflect.get(opened, "_handle");
  if (typeof socket !== "object" || socket === null || !("reload" in socket && "upgradeTLS" in socket)) {
    throw new Error("Cannot connect: this version of Bun keeps its sockets elsewhere");
  }
  Reflect.set(opened, "_handle", null);
  // Looked at just above; the class itself has no name in Bun's API.
  return socket as Socket<WireHandler>;
}

/** By name, Bun looks addresses up and tries them all; the kernel is left to give up. */
function openNamed(endpoint: Endpoint, handlers: SocketHandler<WireHandler>, begin: Begin): Connecting {
  let isGivenUp = false;
  const options = {
    data: DEAF,
    allowHalfOpen: true,
    socket: {
      ...handlers,
      open(socket: Socket<WireHandler>) {
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
