/** The part of Bun's `node:quic` that the HTTP/3 codec uses. No published types match Bun's version. */
declare module "node:quic" {
  import { type KeyObject, type X509Certificate } from "node:crypto";

  /** Names as received. Several values of one name are a list. */
  export type FieldSection = Record<string, string | string[]>;

  export interface CloseOptions {
    readonly code: bigint;
    readonly type: "transport" | "application";
  }

  export interface StreamWriter {
    /** Bytes that the writer takes before it is full; null if it accepts no more data. */
    readonly desiredSize: number | null;
    /** False: the writer is full or closed, and took nothing. It copies the bytes. */
    writevSync(chunks: readonly Uint8Array[]): boolean;
    /** Bytes written, or -1 if data still waits. */
    endSync(): number;
  }

  export interface StreamStats {
    /** Bytes of the body that were sent, within the peer's windows. */
    readonly bytesSent: bigint;
  }

  export class QuicStream {
    readonly destroyed: boolean;
    readonly stats: StreamStats;
    readonly closed: Promise<void>;
    readonly writer: StreamWriter;
    /** Bytes that wait in the engine before the writer is full. */
    highWaterMark: number;
    onheaders: ((block: FieldSection) => void) | undefined;
    ontrailers: ((block: FieldSection) => void) | undefined;
    /** The client has reset its side. */
    onreset: (() => void) | undefined;
    onwanttrailers: (() => void) | undefined;
    sendHeaders(block: FieldSection, options?: { readonly terminal?: boolean }): boolean;
    sendInformationalHeaders(block: FieldSection): boolean;
    sendTrailers(block: FieldSection): boolean;
    setBody(body: Uint8Array): void;
    stopSending(code: bigint): void;
    resetStream(code: bigint): void;
    [Symbol.asyncIterator](): AsyncIterator<readonly Uint8Array[], void>;
  }

  export interface SessionStats {
    readonly bytesReceived: bigint;
    readonly pktLost: bigint;
  }

  export class QuicSession {
    readonly destroyed: boolean;
    readonly closed: Promise<void>;
    readonly stats: SessionStats;
    readonly peerCertificate: X509Certificate | undefined;
    onerror: ((error: unknown) => void) | undefined;
    onstream: ((stream: QuicStream) => void) | undefined;
    onhandshake: ((info: HandshakeInfo) => void) | undefined;
    /** Sends GOAWAY and closes after the open streams have ended; with a code, closes at once. */
    close(options?: CloseOptions): Promise<void>;
    destroy(error?: Error, options?: CloseOptions): void;
  }

  export interface HandshakeInfo {
    readonly servername: string | undefined;
    readonly remote: { readonly address: string; readonly port: number } | undefined;
    /** Undefined: the client's certificate was verified. */
    readonly validationErrorReason: string | undefined;
  }

  export interface EndpointStats {
    readonly bytesReceived: bigint;
    readonly bytesSent: bigint;
    readonly packetsReceived: bigint;
    readonly packetsSent: bigint;
  }

  export interface Identity {
    readonly keys: readonly KeyObject[];
    readonly certs: readonly Uint8Array[];
  }

  export class QuicEndpoint {
    readonly address: { readonly address: string; readonly port: number } | undefined;
    readonly stats: EndpointStats;
    readonly closed: Promise<void>;
    /** True: the endpoint refuses new connections. */
    busy: boolean;
    close(): Promise<void>;
    destroy(error?: Error): Promise<void>;
    setSNIContexts(entries: Readonly<Record<string, Identity>>, options: { readonly replace: boolean }): void;
  }

  export interface ListenOptions {
    readonly endpoint: {
      readonly address: { readonly address: string; readonly port: number; readonly family: "ipv4" | "ipv6" };
      readonly maxConnectionsPerHost: number;
      readonly maxConnectionsTotal: number;
    };
    readonly alpn: readonly string[];
    readonly sni: Readonly<Record<string, Identity>>;
    readonly enableEarlyData: boolean;
    /** Milliseconds of silence until a PING. */
    readonly keepAlive?: number;
    readonly verifyClient: boolean;
    readonly rejectUnauthorized: boolean;
    readonly ca?: readonly Uint8Array[];
    /** `maxIdleTimeout` in seconds. */
    readonly transportParams: Readonly<
      Record<
        | "maxIdleTimeout"
        | "initialMaxStreamsBidi"
        | "initialMaxStreamsUni"
        | "initialMaxStreamDataBidiRemote"
        | "initialMaxStreamDataUni"
        | "initialMaxData",
        number
      >
    >;
    readonly maxStreamWindow: number;
    readonly maxWindow: number;
    /** Further fields are dropped silently by the engine. */
    readonly application: {
      readonly maxHeaderPairs: number;
      readonly maxHeaderLength: number;
      readonly maxFieldSectionSize: number;
      readonly enableDatagrams: boolean;
    };
  }

  export function listen(onsession: (session: QuicSession) => void, options: ListenOptions): Promise<QuicEndpoint>;
}
