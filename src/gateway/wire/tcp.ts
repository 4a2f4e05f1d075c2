import { type Socket, type SocketHandler } from "bun";
import { deferAccept } from "./defer-accept.ts";
import { finishAccepting } from "./finish-accepting.ts";
import { type Wire, type WireHandler } from "./wire.ts";

/** Told of a throw in a handler, which is a fault of ours: the connection is cut, the worker goes on. */
export type OnFault = (error: unknown) => void;

export interface ListenOptions {
  readonly address: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Lets several processes share the port; the kernel spreads connections over them. */
  readonly reusePort: boolean;
  /** Connections come with their first bytes, or after a second. */
  readonly deferAccept?: boolean;
  readonly accept: (wire: Wire) => WireHandler;
  readonly onFault: OnFault;
}

export interface Listener {
  readonly port: number;
  /** Takes those who have connected already, then no more; connections that are open stay. */
  finish(): Promise<void>;
  /** Takes no more connections from now on; those that are open stay, those that nobody has taken are reset. */
  stop(): void;
}

/** Runs `step`; its throw closes the socket and goes to `onFault`. */
export function guarded(socket: Wire, onFault: OnFault, step: () => void): void {
  try {
    step();
  } catch (error) {
    socket.terminate();
    onFault(error);
  }
}

/** What Bun calls for a socket whose data is its handler. */
export function handlerFor(onFault: OnFault): SocketHandler<WireHandler> {
  return {
    binaryType: "buffer",
    data(socket, chunk) {
      // Written out rather than through `guarded`: a closure a read costs 2 % of a small request (bench proxy, small64).
      try {
        socket.data.onData(chunk);
      } catch (error) {
        socket.terminate();
        onFault(error);
      }
    },
    drain: (socket) => guarded(socket, onFault, () => socket.data.onDrain()),
    end: (socket) => guarded(socket, onFault, () => socket.data.onEnd()),
    close: (socket, error) => guarded(socket, onFault, () => socket.data.onClose(error !== undefined)),
    // What Bun reports here (a handshake that failed, a reset) is followed by `close`, which is what counts.
    error() {},
  };
}

/** Hears everything and does nothing: for a wire that is over, or not yet anybody's. */
export const DEAF: WireHandler = { onData() {}, onDrain() {}, onEnd() {}, onClose() {} };

/** Binds a TCP listener. Throws where the address cannot be bound. */
export function listen(options: ListenOptions): Listener {
  const { address, port, reusePort, accept, onFault } = options;
  let accepted = 0;
  // A variable, since Bun's types do not know `reusePort` of a listener.
  const settings = {
    hostname: address,
    port,
    reusePort,
    allowHalfOpen: true,
    socket: {
      ...handlerFor(onFault),
      open(socket: Socket<WireHandler>) {
        accepted++;
        guarded(socket, onFault, () => {
          // What closes within `accept`, or because it threw, needs somebody to tell.
          socket.data = DEAF;
          socket.data = accept(socket);
        });
      },
    },
  };
  const listener = Bun.listen<WireHandler>(settings);
  if (options.deferAccept === true) deferAccept(listener);
  return {
    port: listener.port,
    finish: () => finishAccepting(listener, () => accepted),
    stop: () => listener.stop(false),
  };
}

export type Endpoint = { readonly address: string; readonly port: number } | { readonly unix: string };

/** A connection that is being opened. */
export interface Connecting {
  /** Settles when it is usable and was accepted; rejects where it is refused, unreachable or not to be trusted. */
  readonly done: Promise<void>;
  /** Gives it up. By name and not by address, what the kernel has not connected yet is closed when it has. */
  abort(): void;
}
