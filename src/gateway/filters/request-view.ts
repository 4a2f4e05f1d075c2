import { fieldLine, type Fields } from "../../lib/fields.ts";
import { type Exchange } from "../exchange.ts";
import { NO_BODY, type RequestView } from "./own-abi/views.ts";
import { type FilterSettings } from "./runtime.ts";

/** What is known of a request's body when a filter runs. */
export interface BodyView {
  /** Of the whole body, in bytes. */
  readonly length: number;
  /** The first bytes. */
  readonly bytes: Uint8Array;
}

/** The body of a request whose filter looks at none. */
export function unseenBody(length: number): BodyView {
  return { length: Math.max(length, 0), bytes: NO_BODY };
}

/** What a filter sees of an exchange's request. Its texts are put together once they are asked for. */
export class ExchangeView implements RequestView {
  readonly method: string;
  readonly bodyLength: number;
  readonly body: Uint8Array;
  readonly #exchange: Exchange;
  readonly #settings: FilterSettings;
  #fields: Fields | undefined;

  constructor(exchange: Exchange, settings: FilterSettings, body: BodyView) {
    this.method = exchange.head.method;
    this.bodyLength = body.length;
    this.body = body.bytes;
    this.#exchange = exchange;
    this.#settings = settings;
  }

  get path(): string {
    const { head } = this.#exchange;
    return head.path + this.#settings.visibleQuery(head);
  }

  get fields(): Fields {
    return (this.#fields ??= this.#allFields());
  }

  /** The client's fields, and those that codecs and the gateway keep apart from them. */
  #allFields(): Fields {
    const { head, clientAddress } = this.#exchange;
    const length = this.bodyLength > 0 ? fieldLine("Content-Length", String(this.bodyLength)) : "";
    const own = fieldLine("Host", head.authority) + fieldLine("X-Real-IP", clientAddress) + length;
    return own + this.#settings.visibleFields(head);
  }
}
