import { changedHead } from "../exchange/exchange-state.ts";
import { eachField, fieldLine, type Fields, fieldValue, withoutFields } from "../../lib/http/fields.ts";
import { type ResponseHead, type ResponseSink } from "../exchange/exchange.ts";
import { ResponseRelay } from "../exchange/response-relay.ts";

/** The field that a response can have several times, as separate values (RFC 6265 §3). */
const COOKIE = "set-cookie";

/** Adds a filter's staged fields. They replace fields of the same name; `set-cookie` is added. */
export function withStaged(fields: Fields, staged: Fields): Fields {
  if (staged === "") return fields;
  const names = [...eachField(staged)].map(([name]) => name.toLowerCase()).filter((name) => name !== COOKIE);
  return withoutFields(fields, names) + staged;
}

/** The head of an error with staged fields. The error's own fields describe its body, and stay. */
function errorWithStaged(head: ResponseHead, staged: Fields): ResponseHead {
  let { fields } = head;
  for (const [name, value] of eachField(staged)) {
    if (fieldValue(head.fields, name.toLowerCase()) === undefined) fields += fieldLine(name, value);
  }
  return fields === head.fields ? head : changedHead(head, { fields });
}

/** A final head with the fields that a filter has staged for the request. */
export function stagedHead(head: ResponseHead, staged: Fields): ResponseHead {
  if (staged === "") return head;
  if (head.error !== undefined) return errorWithStaged(head, staged);
  return changedHead(head, { fields: withStaged(head.fields, staged) });
}

/** A sink that puts the staged fields into the response's final head, whatever its source. */
export class StagedEdit extends ResponseRelay {
  readonly #staged: Fields;

  constructor(sink: ResponseSink, staged: Fields) {
    super(sink);
    this.#staged = staged;
  }

  start(head: ResponseHead): void {
    const isFinal = head.status >= 200 || head.status === 101;
    this.sink.start(isFinal ? stagedHead(head, this.#staged) : head);
  }
}
