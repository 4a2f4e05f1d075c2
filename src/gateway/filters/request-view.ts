import { fieldLine, type Fields } from "../../lib/http/fields.ts";
import { type Exchange } from "../exchange/exchange.ts";
import { NO_BODY, type RequestView } from "./own-abi/views.ts";
import { type FilterSettings } from "./runtime/runtime.ts";

/** A request's body, as far as it is known when a filter runs. */
export interface BodyView {
  /** The length of the whole body, in bytes. */
  readonly length: number;
  /** The first bytes. */
  readonly bytes: Uint8Array;
}

/** The view of a body that the filter does not read. */
export function unseenBody(length: number): BodyView {
  return { length: Math.max(length, 0), bytes: NO_BODY };
}

/** The filter's view of an exchange's request. Its texts are built when the filter asks for them. */
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
