import { type TurnpikeError } from "../../../lib/errors.ts";
import { type Fields } from "../../../lib/http/fields.ts";
import { type BodySink, type RequestBody } from "../../exchange/exchange.ts";
import { withoutIdentity } from "./identity-fields.ts";

/** A request body without identity fields in its trailers, which some servers merge into the head. */
export class GuardedBody implements RequestBody {
  readonly #body: RequestBody;
  readonly #forged: readonly string[];

  constructor(body: RequestBody, forged: readonly string[]) {
    this.#body = body;
    this.#forged = forged;
  }

  get complete(): boolean {
    return this.#body.complete ?? false;
  }

  readTo(sink: BodySink): void {
    const forged = this.#forged;
    this.#body.readTo({
      data: (chunk: Uint8Array, start?: number, end?: number) => sink.data(chunk, start, end),
      end: (trailers: Fields) => sink.end(trailers === "" ? "" : withoutIdentity(trailers, forged)),
      abort: (error: TurnpikeError) => sink.abort(error),
    });
  }

  pause(): void {
    this.#body.pause();
  }

  resume(): void {
    this.#body.resume();
  }

  liftLimits(): void {
    this.#body.liftLimits?.();
  }
}
