import { type TurnpikeError } from "../../../lib/errors.ts";
import { type Fields, fieldValue } from "../../../lib/http/fields.ts";
import { type RequestHead, type ResponseHead } from "../../exchange/exchange.ts";
import { type OwnOrigin, Subrequest, type SubrequestSink } from "../subrequest.ts";

/** A client, and what it receives. It takes data only while `takes` is true. */
export class TestClient implements SubrequestSink {
  readonly exchange: Subrequest;
  readonly interim: number[] = [];
  head: ResponseHead | undefined;
  body = "";
  /** The lengths of the pieces of the body. */
  readonly pieces: number[] = [];
  takes = true;
  trailers: Fields | undefined;
  error = "";
  errorFields = "";

  constructor(head: Partial<RequestHead> = {}, origin: Partial<OwnOrigin> = {}) {
    const addresses = { peerAddress: "192.0.2.1", clientAddress: "192.0.2.1" };
    const whole: RequestHead = {
      method: "GET",
      scheme: "http",
      authority: "a.test",
      path: "/",
      query: "",
      fields: "",
      payment: "",
      bodyLength: 0,
      expectContinue: false,
      via: "",
      forwardedFor: "",
      isGrpc: false,
      upgrade: "",
      ...head,
    };
    this.exchange = new Subrequest(
      { id: "id-1", protocol: "HTTP/1.1", ...addresses, session: undefined, beganAt: 0, ...origin },
      whole,
      this,
    );
  }

  start(head: ResponseHead): void {
    if (head.status < 200) this.interim.push(head.status);
    else this.head = head;
  }

  data(chunk: Uint8Array, start = 0, end = chunk.length): boolean {
    this.body += Buffer.from(chunk.subarray(start, end)).toString("latin1");
    this.pieces.push(end - start);
    return this.takes;
  }

  end(trailers: Fields): void {
    this.trailers = trailers;
  }

  abort(error: TurnpikeError): void {
    this.error = `aborted: ${error.code}`;
  }

  fail(error: TurnpikeError): void {
    this.error = error.code;
  }

  get status(): number | undefined {
    return this.head?.status;
  }

  get isEnded(): boolean {
    return this.trailers !== undefined;
  }

  /** The Cache-Status of its response, without this cache's name. */
  get how(): string {
    return fieldValue((this.head?.fields ?? "") + this.exchange.addedFields, "cache-status")?.slice(10) ?? "";
  }

  field(name: string): string | undefined {
    return fieldValue(this.head?.fields ?? "", name);
  }
}
