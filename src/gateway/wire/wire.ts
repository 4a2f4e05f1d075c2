import { type Transport } from "../exchange/exchange.ts";

/** A byte connection on any transport. Bun's sockets have this interface without an adapter. */
export interface Wire extends Transport {
  /**
   * The handler of the wire's events. It can be replaced at any time, for example when the first bytes show the
   * protocol.
   */
  data: WireHandler;
  /**
   * Takes the bytes that fit, and returns their number. The caller keeps the rest until `onDrain`. -1 if the wire is
   * closed.
   */
  write(data: Uint8Array, byteOffset: number, byteLength: number): number;
  pause(): void;
  resume(): void;
  /** Sends a FIN after the bytes that were taken. The peer can still send bytes. */
  shutdown(): void;
  /**
   * Closes both directions. Bytes that were taken still arrive, unless the peer sends more, which causes a reset. Over
   * TLS, call `shutdown` first: otherwise the peer cannot tell the end from a cut. The interface omits Bun's `end`,
   * which over TLS waits for the peer without a time limit.
   */
  close(): void;
  /** Closes both directions at once with a reset. Bytes that have not arrived are lost. */
  terminate(): void;
  /** Undefined if the peer had reset the connection before the first read of this property. */
  readonly remoteAddress: string | undefined;
  /** The socket's descriptor; -1 after it is closed. Absent if the wire has no socket. */
  readonly fd?: number;
}

/**
 * The events of a wire, handled by its connection. If a method throws, the connection is closed and the error is
 * reported. The worker continues.
 */
export interface WireHandler {
  /** The handler may keep the chunk. */
  onData(chunk: Buffer): void;
  /** Called after an incomplete write, when the wire can take more bytes. */
  onDrain(): void;
  /** The peer sends no more bytes. */
  onEnd(): void;
  /** Always called once, as the last call. `isReset`: the peer reset the connection. */
  onClose(isReset?: boolean): void;
}
