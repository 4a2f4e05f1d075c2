import { changedHead } from "../../exchange/exchange-state.ts";
import { type Fields } from "../../../lib/http/fields.ts";
import { HOP_BY_HOP_FIELDS } from "../../../lib/http/field-roles.ts";
import { type ResponseHead } from "../../exchange/exchange.ts";
import { FieldList } from "./guest/field-list.ts";

const KEPT: ReadonlySet<string> = new Set([...HOP_BY_HOP_FIELDS, "x-request-id"]);
const STATUS = /^[2-5]\d\d$/;
const SWITCHED = 101;

/** The fields of a response as its filter sees them. */
export function responseFields({ status, fields, bodyLength }: ResponseHead): FieldList {
  return new FieldList({
    fields,
    told: bodyLength >= 0 && status !== SWITCHED ? `content-length: ${bodyLength}\r\n` : "",
    pseudo: [[":status", String(status)]],
    kept: KEPT,
  });
}

/** The head with the filter's changes, or the reason if it cannot be sent. */
export function changedResponse(head: ResponseHead, list: FieldList): ResponseHead | string {
  if (list.error !== undefined) return list.error;
  if (!list.isChanged) return head;
  const text = list.pseudo(":status") ?? "";
  const status = Number(text);
  if (status === head.status) return changedHead(head, { fields: list.fields });
  if (!STATUS.test(text) || head.status === SWITCHED) return `sets the status ${JSON.stringify(text.slice(0, 32))}`;
  return changedHead(head, { status, reason: "", fields: list.fields });
}

/** Fields of a local response, and of trailers. */
export function plainFields(fields: Fields): FieldList {
  return new FieldList({ fields, kept: KEPT });
}
