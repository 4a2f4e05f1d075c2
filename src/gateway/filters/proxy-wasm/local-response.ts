import { type Fields, fieldValue } from "../../../lib/http/fields.ts";
import { grpcMessage } from "../../../lib/http/grpc-status.ts";
import { type LocalResponse } from "./guest/context.ts";
import { plainFields } from "./response-head.ts";

const LEAST_STATUS = 200;
const LAST_STATUS = 599;

/** The fields of a response that a filter sends, or the reason if it cannot be sent. */
export function localFields(local: LocalResponse, isGrpc: boolean): { readonly fields: Fields } | string {
  const { status, fields, body, grpcStatus } = local;
  if (status < LEAST_STATUS || status > LAST_STATUS) return `responds with the status ${status}`;
  const list = plainFields("");
  for (const [name, value] of fields) if (!name.startsWith(":")) list.add(name, value);
  if (list.error !== undefined) return list.error;
  if (isGrpc && grpcStatus >= 0) {
    const message = grpcMessage(Buffer.from(body).toString());
    return {
      fields: `content-type: application/grpc\r\ngrpc-status: ${grpcStatus}\r\ngrpc-message: ${message}\r\n${list.fields}`,
    };
  }
  // The default type of Envoy's host.
  const type = body.length > 0 && fieldValue(list.fields, "content-type") === undefined;
  return { fields: type ? `content-type: text/plain\r\n${list.fields}` : list.fields };
}
