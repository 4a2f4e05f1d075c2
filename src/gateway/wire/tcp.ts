import { type Socket, type SocketHandler } from "bun";
import { deferAccept } from "./defer-accept.ts";
import { finishAccepting } from "./finish-accepting.ts";
import { limitUnsent } from "./unsent-limit.ts";
import { type Wire, type WireHandler } from "./wire.ts";

/**
 * Called with an error that a handler threw, which is a bug of the gateway. The connection is cut, and the worker
 * continues.
 */
export type OnError = (error: unknown) => void;

export interface ListenOptions {
  readonly address: string;
  /** With 0 the system chooses a free port. */
  readonly port: number;
  /** True: several processes can share the port, and the kernel distributes connections over them. */
  readonly reusePort: boolean;
  /** The listener gets a connection together with its first bytes, or after a second. */
  readonly deferAccept?: boolean;
  readonly accept: (wire: Wire) => WireHandler;
  readonly onError: OnError;
}

export interface Listener {
  readonly port: number;
  /** Accepts the connections that are already established, then stops. Open connections stay. */
  finish(): Promise<void>;
  /** Stops accepting connections. Open connections stay; connections that were not accepted yet are reset. */
  stop(): void;
}

/** Runs `step`. If it throws, closes the socket and passes the error to `onError`. */
export function guarded(socket: Wire, onError: OnError, step: () => void): void {
  try {
    step();
  } catch (error) {
    socket.terminate();
    onError(error);
  }
}

/** The callbacks for a socket of Bun whose data is its handler. */
export function handlerFor(onError: OnError): SocketHandler<WireHandler> {
  return {
    binaryType: "buffer",
    data(socket, chunk) {
      // Not with `guarded`, because a closure for each read costs 2 % of a small request (bench proxy, mixed64).
      try {
        socket.data.onData(chunk);
      } catch (error) {
        socket.terminate();
        onError(error);
      }
    },
    drain: (socket) => guarded(socket, onError, () => socket.data.onDrain()),
    end: (socket) => guarded(socket, onError, () => socket.data.onEnd()),
    close: (socket, error) => guarded(socket, onError, () => socket.data.onClose(error !== undefined)),
    // Not used: after each error that Bun reports here (a failed handshake, a reset), it calls `close`.
    error() {},
  };
}

/** Ignores all events: for a wire that is not used any more, or has no handler yet. */
export const DEAF: WireHandler = { onData() {}, onDrain() {}, onEnd() {}, onClose() {} };

/** Listens on a TCP address. Throws if the address cannot be bound. */
export function listen(options: ListenOptions): Listener {
  const { address, port, reusePort, accept, onError } = options;
  let accepted = 0;
  // A variable, because Bun's types do not have `reusePort` for a listener.
  const settings = {
    hostname: address,
    port,
    reusePort,
    allowHalfOpen: true,
    socket: {
      ...handlerFor(onError),
      open(socket: Socket<WireHandler>) {
        accepted++;
        guarded(socket, onError, () => {
          // If `accept` closes the socket or throws, the socket needs a handler for its events.
          socket.data = DEAF;
          socket.data = accept(socket);
        });
      },
    },
  };
  const listener = Bun.listen<WireHandler>(settings);
  if (options.deferAccept === true) deferAccept(listener);
  limitUnsent(listener);
  return {
    port: listener.port,
    finish: () => finishAccepting(listener, () => accepted),
    stop: () => listener.stop(false),
  };
}

/** The address of a server: an IP address or host name with its port, or the path of a Unix socket. */
export type Endpoint = { readonly address: string; readonly port: number } | { readonly unix: string };

export interface Connecting {
  /**
   * Resolves when the connection is open and was accepted. Rejects if the server refuses it, cannot be reached or is
   * not trusted.
   */
  readonly done: Promise<void>;
  /**
   * Aborts the attempt. If the endpoint has a name or a socket path, a connection that is not established yet is closed
   * when it is.
   */
  abort(): void;
}
