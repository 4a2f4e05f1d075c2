import { type Fields, fieldLine } from "../../lib/http/fields.ts";
import { respond } from "../exchange/local-response.ts";
import { type Exchange } from "../exchange/exchange.ts";

export interface FixedResponseSettings {
  readonly status: number;
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly body: string;
}

const TEXT = fieldLine("Content-Type", "text/plain; charset=utf-8");

/** Responds to every request of a route with the same response. */
export class FixedResponse {
  readonly #status: number;
  readonly #fields: Fields;
  readonly #body: Uint8Array;

  constructor({ status, headers, body }: FixedResponseSettings) {
    const isTyped = body === "" || headers.some(({ name }) => name.toLowerCase() === "content-type");
    this.#status = status;
    this.#fields = headers.map(({ name, value }) => fieldLine(name, value)).join("") + (isTyped ? "" : TEXT);
    this.#body = Buffer.from(body);
  }

  serve(exchange: Exchange): void {
    respond(exchange, this.#status, this.#fields, this.#body);
  }
}
