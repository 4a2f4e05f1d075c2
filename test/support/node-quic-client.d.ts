/** The client's side of Bun's `node:quic`, as tests use it. */
declare module "node:quic" {
  import { type KeyObject } from "node:crypto";

  interface QuicSession {
    readonly opened: Promise<{ readonly earlyDataAttempted: boolean; readonly earlyDataAccepted: boolean }>;
    /** The peer's transport parameters (RFC 9000 §18.2), after the handshake. */
    readonly remoteTransportParams: Readonly<Record<string, unknown>> | undefined;
    onsessionticket: ((ticket: Uint8Array) => void) | undefined;
    createBidirectionalStream(options: {
      readonly headers?: FieldSection;
      onheaders?(block: FieldSection): void;
      oninfo?(block: FieldSection): void;
      ontrailers?(block: FieldSection): void;
    }): Promise<QuicStream>;
  }

  interface StreamWriter {
    /** False: the writer is full or closed, and took nothing. */
    writeSync(chunk: Uint8Array): boolean;
  }

  interface QuicStream {
    onerror: ((error: Error) => void) | undefined;
    oninfo: ((block: FieldSection) => void) | undefined;
  }

  export function connect(
    address: string,
    options: {
      readonly alpn: string;
      readonly servername: string;
      readonly ca: Uint8Array;
      /** The client's own certificate. */
      readonly keys?: readonly KeyObject[];
      readonly certs?: readonly Uint8Array[];
      readonly endpoint?: object;
      readonly transportParams?: Readonly<Record<string, number>>;
      readonly sessionTicket?: Uint8Array;
      readonly enableEarlyData?: boolean;
      onstream(): void;
      onerror(error: Error): void;
      ongoaway?(): void;
    },
  ): Promise<QuicSession>;
}
