/** A gRPC service whose messages are bytes, and its clients: @grpc/grpc-js on both sides. */
import {
  type ChannelCredentials,
  type Client,
  type ClientDuplexStream,
  type ClientReadableStream,
  type ClientUnaryCall,
  type ClientWritableStream,
  credentials,
  makeClientConstructor,
  type MethodDefinition,
  Metadata,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServerReadableStream,
  type ServerUnaryCall,
  type ServerWritableStream,
  type sendUnaryData,
  type StatusObject,
} from "@grpc/grpc-js";
import { Waiters } from "../../support/waiters.ts";

const PATIENCE_MS = 10_000;

function same(bytes: Buffer): Buffer {
  return bytes;
}

function method(name: string, requestStream: boolean, responseStream: boolean): MethodDefinition<Buffer, Buffer> {
  return {
    path: `/test.Echo/${name}`,
    requestStream,
    responseStream,
    requestSerialize: same,
    requestDeserialize: same,
    responseSerialize: same,
    responseDeserialize: same,
  };
}

const DEFINITION = {
  unary: method("Unary", false, false),
  collect: method("Collect", true, false),
  count: method("Count", false, true),
  chat: method("Chat", true, true),
};

/** A call as the server sees it. */
export interface SeenCall {
  readonly method: string;
  readonly metadata: Metadata;
  readonly received: string[];
  cancelled: boolean;
  /** The client has sent its last message. */
  ended: boolean;
}

/** Echoes the messages. A message can be a command: `fail CODE TEXT`, `hang`, `count N`, `bye`. */
export class EchoServer {
  readonly calls: SeenCall[] = [];
  readonly name: string;
  port = 0;
  readonly #server: Server;
  readonly #waiters = new Waiters();

  private constructor(name: string, options: object) {
    this.name = name;
    this.#server = new Server({ "grpc.max_receive_message_length": -1, ...options });
    this.#server.addService(DEFINITION, {
      unary: (call: ServerUnaryCall<Buffer, Buffer>, response: sendUnaryData<Buffer>) => this.#unary(call, response),
      collect: (call: ServerReadableStream<Buffer, Buffer>, response: sendUnaryData<Buffer>) =>
        this.#collect(call, response),
      count: (call: ServerWritableStream<Buffer, Buffer>) => this.#count(call),
      chat: (call: ServerDuplexStream<Buffer, Buffer>) => this.#chat(call),
    });
  }

  static async start(
    options: { name?: string; port?: number; tls?: { cert: string; key: string } } = {},
  ): Promise<EchoServer> {
    const server = new EchoServer(options.name ?? "", {});
    const { tls } = options;
    const pair =
      tls === undefined ? undefined : { cert_chain: Buffer.from(tls.cert), private_key: Buffer.from(tls.key) };
    const rights = pair === undefined ? ServerCredentials.createInsecure() : ServerCredentials.createSsl(null, [pair]);
    await new Promise<void>((resolve, reject) => {
      server.#server.bindAsync(`127.0.0.1:${options.port ?? 0}`, rights, (error, port) => {
        server.port = port;
        if (error === null) resolve();
        else reject(error);
      });
    });
    return server;
  }

  /** Finishes the calls in flight and accepts no more: each connection gets a GOAWAY. */
  drain(): Promise<void> {
    return new Promise((resolve) => this.#server.tryShutdown(() => resolve()));
  }

  stop(): void {
    this.#server.forceShutdown();
  }

  /** Waits until `probe` returns a value. */
  async until<T>(what: string, probe: () => T | undefined): Promise<T> {
    const found = await this.#waiters.until(probe, PATIENCE_MS);
    if (found === undefined) throw new Error(`The server did not see ${what}`);
    return found;
  }

  #begin(name: string, call: { metadata: Metadata; sendMetadata(metadata: Metadata): void }): SeenCall {
    const seen: SeenCall = { method: name, metadata: call.metadata, received: [], cancelled: false, ended: false };
    this.calls.push(seen);
    const echoed = new Metadata();
    for (const key of ["x-echo", "x-echo-bin"]) for (const value of call.metadata.get(key)) echoed.add(key, value);
    echoed.set("x-server", this.name);
    if (call.metadata.get("x-late-head").length === 0) call.sendMetadata(echoed);
    this.#waiters.wake();
    return seen;
  }

  #unary(call: ServerUnaryCall<Buffer, Buffer>, response: sendUnaryData<Buffer>): void {
    const seen = this.#begin("unary", call);
    call.on("cancelled", () => this.#cancelled(seen));
    const trailers = new Metadata();
    for (const value of call.metadata.get("x-echo-bin")) trailers.add("x-trailer-bin", value);
    const failure = failureOf(call.request);
    if (failure !== undefined) response({ ...failure, metadata: trailers });
    else if (call.request.toString("latin1", 0, 4) !== "hang") response(null, call.request, trailers);
  }

  #collect(call: ServerReadableStream<Buffer, Buffer>, response: sendUnaryData<Buffer>): void {
    const seen = this.#begin("collect", call);
    let bytes = 0;
    call.on("cancelled", () => this.#cancelled(seen));
    call.on("error", () => this.#cancelled(seen));
    call.on("data", (message: Buffer) => {
      bytes += message.length;
      this.#saw(seen, message);
      const failure = failureOf(message);
      if (failure !== undefined) response(failure);
      else if (message.equals(BYE)) response(null, Buffer.from(`early ${seen.received.length}`));
    });
    call.on("end", () => {
      seen.ended = true;
      this.#waiters.wake();
      response(null, Buffer.from(`${seen.received.length} ${bytes}`));
    });
  }

  #count(call: ServerWritableStream<Buffer, Buffer>): void {
    const seen = this.#begin("count", call);
    call.on("cancelled", () => this.#cancelled(seen));
    call.on("error", () => this.#cancelled(seen));
    const [, count = "0", size = "0", hangs] = call.request.toString().split(" ");
    const filling = Buffer.alloc(Number(size), "x");
    let sent = 0;
    const go = (): void => {
      while (sent < Number(count)) {
        const room = call.write(Number(size) > 0 ? filling : Buffer.from(String(sent)));
        sent++;
        if (!room && sent < Number(count)) {
          call.once("drain", go);
          return;
        }
      }
      if (hangs === undefined) call.end();
    };
    go();
  }

  #chat(call: ServerDuplexStream<Buffer, Buffer>): void {
    const seen = this.#begin("chat", call);
    call.on("cancelled", () => this.#cancelled(seen));
    call.on("error", () => this.#cancelled(seen));
    call.on("data", (message: Buffer) => {
      this.#saw(seen, message);
      const failure = failureOf(message);
      if (failure !== undefined) call.emit("error", failure);
      else if (message.equals(BYE)) call.end();
      else if (!call.write(message)) {
        call.pause();
        call.once("drain", () => call.resume());
      }
    });
    call.on("end", () => {
      seen.ended = true;
      this.#waiters.wake();
      call.end();
    });
  }

  #saw(seen: SeenCall, message: Buffer): void {
    seen.received.push(message.length > 64 ? `${message.length} bytes` : message.toString());
    this.#waiters.wake();
  }

  #cancelled(seen: SeenCall): void {
    seen.cancelled = true;
    this.#waiters.wake();
  }
}

const BYE = Buffer.from("bye");

function failureOf(message: Buffer): { code: number; details: string } | undefined {
  if (message.toString("latin1", 0, 5) !== "fail ") return undefined;
  const [, code = "2", ...words] = message.toString().split(" ");
  return { code: Number(code), details: words.join(" ") };
}

/** The end of a call, with everything that arrived. */
export interface Outcome {
  readonly code: number;
  readonly details: string;
  readonly messages: Buffer[];
  readonly metadata: Metadata;
  readonly trailers: Metadata;
}

export interface CallOptions {
  readonly metadata?: Readonly<Record<string, string | Buffer | readonly (string | Buffer)[]>>;
  /** Milliseconds from now. */
  readonly deadlineMs?: number;
}

type AnyCall =
  | ClientUnaryCall
  | ClientReadableStream<Buffer>
  | ClientWritableStream<Buffer>
  | ClientDuplexStream<Buffer, Buffer>;

/** A stub as makeClientConstructor makes them. */
interface EchoStub extends Client {
  unary(message: Buffer, metadata: Metadata, options: object, done: UnaryDone): ClientUnaryCall;
  collect(metadata: Metadata, options: object, done: UnaryDone): ClientWritableStream<Buffer>;
  count(message: Buffer, metadata: Metadata, options: object): ClientReadableStream<Buffer>;
  chat(metadata: Metadata, options: object): ClientDuplexStream<Buffer, Buffer>;
}

type UnaryDone = (error: Error | null, message?: Buffer) => void;

// The result is typed as a map of unknown methods.
const Stub = makeClientConstructor(DEFINITION, "Echo") as unknown as new (
  address: string,
  rights: ChannelCredentials,
  options: object,
) => EchoStub;

/** A call in flight. `outcome` resolves after its end, and never rejects. */
export class EchoCall<Call extends AnyCall> {
  readonly messages: Buffer[] = [];
  readonly outcome: Promise<Outcome>;
  readonly #waiters = new Waiters();
  #metadata = new Metadata();
  #call: Call | undefined;

  constructor(open: (done: UnaryDone) => Call) {
    const over = Promise.withResolvers<Outcome>();
    this.outcome = over.promise;
    const call = open((_error, message) => {
      if (message !== undefined) this.#got(message);
      responded.resolve();
    });
    const responded = Promise.withResolvers<void>();
    this.#call = call;
    // Every call emits these; the union of the four kinds has no common signature for `on`.
    const events = call as unknown as NodeJS.EventEmitter;
    const streams = "read" in call;
    if (streams) responded.resolve();
    events.on("metadata", (metadata: Metadata) => {
      this.#metadata = metadata;
      this.#waiters.wake();
    });
    if (streams) events.on("data", (message: Buffer) => this.#got(message));
    events.on("error", () => {});
    events.on("status", (end: StatusObject) => {
      void responded.promise.then(() =>
        over.resolve({
          code: end.code,
          details: end.details,
          messages: this.messages,
          metadata: this.#metadata,
          trailers: end.metadata,
        }),
      );
    });
  }

  get call(): Call {
    if (this.#call === undefined) throw new Error("Cannot use a call: it has not begun");
    return this.#call;
  }

  /** Waits until this number of messages has arrived. */
  async has(count: number): Promise<void> {
    const found = await this.#waiters.until(() => (this.messages.length >= count ? true : undefined), PATIENCE_MS);
    if (found === undefined) throw new Error(`The client got ${this.messages.length} messages, not ${count}`);
  }

  #got(message: Buffer): void {
    this.messages.push(message);
    this.#waiters.wake();
  }
}

export class EchoClient {
  readonly #stub: EchoStub;

  constructor(port: number, ca?: string) {
    const rights = ca === undefined ? credentials.createInsecure() : credentials.createSsl(Buffer.from(ca));
    this.#stub = new Stub(`127.0.0.1:${port}`, rights, {
      "grpc.max_receive_message_length": -1,
      "grpc.max_send_message_length": -1,
      // A separate connection, without automatic retries.
      "grpc.use_local_subchannel_pool": 1,
      "grpc.enable_retries": 0,
      // An IP address is not a valid SNI name (RFC 6066 §3).
      ...(ca === undefined ? {} : { "grpc.ssl_target_name_override": "localhost" }),
    });
  }

  unary(message: string | Buffer, options: CallOptions = {}): EchoCall<ClientUnaryCall> {
    const { metadata, call } = optionsOf(options);
    return new EchoCall((done) => this.#stub.unary(Buffer.from(message), metadata, call, done));
  }

  collect(options: CallOptions = {}): EchoCall<ClientWritableStream<Buffer>> {
    const { metadata, call } = optionsOf(options);
    return new EchoCall((done) => this.#stub.collect(metadata, call, done));
  }

  count(message: string, options: CallOptions = {}): EchoCall<ClientReadableStream<Buffer>> {
    const { metadata, call } = optionsOf(options);
    return new EchoCall(() => this.#stub.count(Buffer.from(message), metadata, call));
  }

  chat(options: CallOptions = {}): EchoCall<ClientDuplexStream<Buffer, Buffer>> {
    const { metadata, call } = optionsOf(options);
    return new EchoCall(() => this.#stub.chat(metadata, call));
  }

  close(): void {
    this.#stub.close();
  }
}

function optionsOf({ metadata = {}, deadlineMs }: CallOptions): { metadata: Metadata; call: object } {
  const made = new Metadata();
  for (const [name, values] of Object.entries(metadata)) {
    const list = typeof values === "string" || Buffer.isBuffer(values) ? [values] : values;
    for (const value of list) made.add(name, value);
  }
  return { metadata: made, call: deadlineMs === undefined ? {} : { deadline: Date.now() + deadlineMs } };
}
