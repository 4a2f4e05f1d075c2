/** The client's side of Bun's `node:quic`, as tests use it. */
declare module "node:quic" {
  interface QuicSession {
    readonly opened: Promise<unknown>;
    createBidirectionalStream(options: {
      readonly headers?: HeaderBlock;
      onheaders?(block: HeaderBlock): void;
      oninfo?(block: HeaderBlock): void;
      ontrailers?(block: HeaderBlock): void;
    }): Promise<QuicStream>;
  }

  interface QuicStream {
    onerror: ((error: Error) => void) | undefined;
    oninfo: ((block: HeaderBlock) => void) | undefined;
  }

  export function connect(
    address: string,
    options: {
      readonly alpn: string;
      readonly servername: string;
      readonly ca: Uint8Array;
      readonly endpoint?: object;
      readonly transportParams?: Readonly<Record<string, number>>;
      onstream(): void;
      onerror(error: Error): void;
      ongoaway?(): void;
    },
  ): Promise<QuicSession>;
}
