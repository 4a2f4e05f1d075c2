/** One byte connection, whatever carries it. Bun's sockets have this shape as they are: no adapter on the byte path. */
export interface Wire {
  /** Who hears what the wire brings; may be replaced at any time, as when the first bytes have told the protocol. */
  data: WireHandler;
  /** Takes what fits and returns how many bytes that was; the rest stays the caller's until `onDrain`. -1: closed. */
  write(data: Uint8Array, byteOffset: number, byteLength: number): number;
  pause(): void;
  resume(): void;
  /** Sends FIN after what was taken; bytes can still arrive. */
  shutdown(): void;
  /**
   * Closes both ways; what was taken still arrives, unless the peer sends more, which is answered by a reset. Over TLS `shutdown`
   * comes first, without which the peer cannot tell the end from a cut. Bun's `end` is not here: over TLS it waits for the peer for ever.
   */
  close(): void;
  /** Closes at once, both ways, by a reset: what has not arrived is lost. */
  terminate(): void;
  /** Undefined where the peer had reset the connection before anybody asked. */
  readonly remoteAddress: string | undefined;
  /** The socket's descriptor; -1 once it is closed, absent where there is none. */
  readonly fd?: number;
}

/** What a connection does with what its wire brings. A throw ends that connection and is reported, never the worker. */
export interface WireHandler {
  /** The chunk is the handler's to keep. */
  onData(chunk: Buffer): void;
  /** A write that fell short can be taken up again. */
  onDrain(): void;
  /** The peer sends no more. */
  onEnd(): void;
  /** Always the last call, and always made once. `isReset`: the peer cut the connection. */
  onClose(isReset?: boolean): void;
}
