import { type TurnpikeError } from "../../../../lib/errors.ts";
import { type Fields, fieldValue, withoutFields } from "../../../../lib/http/fields.ts";
import { isServersFault, parseGrpcStatus } from "../../../../lib/http/grpc-status.ts";
import { changedHead } from "../../../exchange/exchange-state.ts";
import { type ResponseHead, type ResponseSink } from "../../../exchange/exchange.ts";
import { ResponseRelay } from "../../../exchange/response-relay.ts";
import { DEFERRAL, OVERRIDES } from "../protocol/response-fields.ts";

/** No client may see them. The gateway's own responses, such as the one to a sign-in, have the other fields about payments. */
const CHARGES = [OVERRIDES, DEFERRAL];

/** The response to a free request on a priced route. A request of a quota is given back if the server is at fault. */
export class FreeResponse extends ResponseRelay {
  #giveBack: (() => void) | undefined;
  #hasHead = false;

  constructor(sink: ResponseSink, giveBack?: () => void) {
    super(sink);
    this.#giveBack = giveBack;
  }

  start(head: ResponseHead): void {
    this.#hasHead = head.status >= 200 || head.status === 101;
    if (this.#hasHead && isServersFault(head)) this.#failed();
    this.sink.start(changedHead(head, { fields: withoutFields(head.fields, CHARGES) }));
  }

  override end(trailers: Fields): void {
    const grpcStatus = parseGrpcStatus(fieldValue(trailers, "grpc-status"));
    if (grpcStatus !== undefined && isServersFault({ status: 200, grpcStatus })) this.#failed();
    super.end(withoutFields(trailers, CHARGES));
  }

  override abort(error: TurnpikeError): void {
    // After the head, a client that reads slowly could be the reason.
    if (!this.#hasHead) this.#failed();
    super.abort(error);
  }

  #failed(): void {
    this.#giveBack?.();
    this.#giveBack = undefined;
  }
}
