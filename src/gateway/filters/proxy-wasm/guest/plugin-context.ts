import { BUFFER, MAP } from "./enums.ts";
import { type Context, type ContextBuffer } from "./context.ts";
import { type FieldList } from "./field-list.ts";
import { type Plugin } from "./plugin.ts";

/** The result of a call, while the filter's callback for it runs. */
export interface CallResult {
  fields?: FieldList;
  trailers?: FieldList;
  body?: ContextBuffer;
  initialMetadata?: FieldList;
  trailingMetadata?: FieldList;
  message?: ContextBuffer;
}

/** The plugin's own context: its configuration, and the response to the call whose callback runs. */
export class PluginContext implements Context {
  readonly id: number;
  readonly exchange = undefined;
  readonly wishes = undefined;
  readonly calls = undefined;
  call: CallResult = {};
  /** The status of the gRPC call that has ended last. */
  status = { code: 0, message: "" };
  /** True once the module has been initialised, and can call upstreams. */
  mayCall = false;
  readonly #plugin: Plugin;

  constructor({ plugin }: { readonly plugin: Plugin }, id: number) {
    this.id = id;
    this.#plugin = plugin;
  }

  fields(kind: number): FieldList | undefined {
    const { call } = this;
    switch (kind) {
      case MAP.callHeaders:
        return call.fields;
      case MAP.callTrailers:
        return call.trailers;
      case MAP.grpcInitialMetadata:
        return call.initialMetadata;
      case MAP.grpcTrailingMetadata:
        return call.trailingMetadata;
      default:
        return undefined;
    }
  }

  buffer(kind: number): ContextBuffer | undefined {
    if (kind === BUFFER.callBody) return this.call.body;
    if (kind === BUFFER.grpcMessage) return this.call.message;
    const { config, vmConfig } = this.#plugin.settings;
    if (kind === BUFFER.pluginConfiguration) return new FixedBytes(Buffer.from(config));
    return kind === BUFFER.vmConfiguration ? new FixedBytes(Buffer.from(vmConfig)) : undefined;
  }

  done(): boolean {
    return false;
  }
}

/** Bytes that a filter can only read. */
export class FixedBytes implements ContextBuffer {
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get length(): number {
    return this.#bytes.length;
  }

  view(start: number, length: number): Uint8Array {
    return this.#bytes.subarray(start, start + length);
  }
}
