import {
  type CallGroup,
  type CallRefusal,
  type GrpcCallRequest,
  type GrpcOutcome,
  type GrpcRequest,
  type GrpcStream,
  type HttpCallOutcome,
  type HttpCallRequest,
  type OpenCall,
  type Pairs,
} from "../../calls/call.ts";
import { FieldList } from "./field-list.ts";
import { type Runner } from "./runner.ts";
import { FixedBytes } from "./plugin-context.ts";

const GRPC_OK = 0;
const LAST_ID = 0x7fff_ffff;
const NOTHING_KEPT: ReadonlySet<string> = new Set();
const NO_BYTES = new Uint8Array();

/** The upstream calls of one instance that are in progress, by the ids that the filter uses. */
export class CallTable {
  readonly #instance: Runner;
  readonly #calls = new Map<number, OpenCall>();
  readonly #streams = new Map<number, GrpcStream>();
  #lastId = 0;

  constructor(instance: Runner) {
    this.#instance = instance;
  }

  /** Begins a request. Returns its id, or the reason for a refusal. */
  http(group: CallGroup, request: HttpCallRequest): number | CallRefusal {
    const id = this.#nextId();
    return this.#add(
      id,
      group.http(request, (outcome) => this.#responded(id, outcome)),
    );
  }

  grpc(group: CallGroup, request: GrpcCallRequest): number | CallRefusal {
    const id = this.#nextId();
    return this.#add(
      id,
      group.grpc(request, (outcome) => this.#received(id, outcome)),
    );
  }

  grpcStream(group: CallGroup, request: GrpcRequest): number | CallRefusal {
    const id = this.#nextId();
    const { root, callbacks } = this.#instance;
    const stream = group.grpcStream(request, {
      initialMetadata: (fields) => {
        root.call.initialMetadata = listOf(fields);
        const { grpcInitialMetadata: told } = callbacks;
        if (told !== undefined) this.#tell("receive_initial_metadata", () => told(root.id, id, fields.length));
      },
      message: (bytes) => this.#message(id, bytes),
      trailingMetadata: (fields) => {
        root.call.trailingMetadata = listOf(fields);
        const { grpcTrailingMetadata: told } = callbacks;
        if (told !== undefined) this.#tell("receive_trailing_metadata", () => told(root.id, id, fields.length));
      },
      closed: (status, message) => this.#closed(id, status, message),
    });
    if (typeof stream === "string") return stream;
    this.#streams.set(id, stream);
    return id;
  }

  /** A stream on which the filter sends messages. */
  stream(id: number): GrpcStream | undefined {
    return this.#streams.get(id);
  }

  /** Cancels a call; the filter receives nothing more from it. Returns false if there is no such call. */
  cancel(id: number): boolean {
    const call = this.#calls.get(id) ?? this.#streams.get(id);
    this.#calls.delete(id);
    this.#streams.delete(id);
    call?.cancel();
    return call !== undefined;
  }

  close(): void {
    for (const id of [...this.#calls.keys(), ...this.#streams.keys()]) this.cancel(id);
  }

  #nextId(): number {
    do {
      this.#lastId = (this.#lastId % LAST_ID) + 1;
    } while (this.#calls.has(this.#lastId) || this.#streams.has(this.#lastId));
    return this.#lastId;
  }

  #add(id: number, call: OpenCall | CallRefusal): number | CallRefusal {
    if (typeof call === "string") return call;
    this.#calls.set(id, call);
    return id;
  }

  #responded(id: number, outcome: HttpCallOutcome): void {
    this.#calls.delete(id);
    const { root, callbacks } = this.#instance;
    const { httpCallResponse: told } = callbacks;
    if (told === undefined) return;
    const isResponse = outcome.kind === "response";
    const fields = isResponse ? outcome.fields : [];
    const trailers = isResponse ? outcome.trailers : [];
    const body = isResponse ? outcome.body : NO_BYTES;
    root.call = { fields: listOf(fields), trailers: listOf(trailers), body: new FixedBytes(body) };
    this.#instance.run(root, "proxy_on_http_call_response", () =>
      told(root.id, id, fields.length, body.length, trailers.length),
    );
    root.call = {};
  }

  #received(id: number, { status, message, reply, initialMetadata, trailingMetadata }: GrpcOutcome): void {
    this.#calls.delete(id);
    const { call } = this.#instance.root;
    call.initialMetadata = listOf(initialMetadata);
    call.trailingMetadata = listOf(trailingMetadata);
    if (status === GRPC_OK) this.#message(id, reply ?? NO_BYTES);
    else this.#closed(id, status, message);
    this.#instance.root.call = {};
  }

  #message(id: number, bytes: Uint8Array): void {
    const { root, callbacks } = this.#instance;
    const { grpcReceive: told } = callbacks;
    root.call.message = new FixedBytes(bytes);
    if (told !== undefined) this.#tell("receive", () => told(root.id, id, bytes.length));
  }

  #closed(id: number, status: number, message: string): void {
    this.#streams.delete(id);
    const { root, callbacks } = this.#instance;
    const { grpcClose: told } = callbacks;
    root.status = { code: status, message };
    if (told !== undefined) this.#tell("close", () => told(root.id, id, status));
  }

  #tell(what: string, callback: () => number | undefined): void {
    this.#instance.run(this.#instance.root, `proxy_on_grpc_${what}`, callback);
    this.#instance.root.call = {};
  }
}

/** The fields as a list. A response to a call has its pseudo-header fields before the others. */
function listOf(pairs: Pairs): FieldList {
  const pseudo = pairs.filter(([name]) => name.startsWith(":"));
  const fields = pairs.filter(([name]) => !name.startsWith(":")).map(([name, value]) => `${name}: ${value}\r\n`);
  return new FieldList({ fields: fields.join(""), pseudo, kept: NOTHING_KEPT });
}
