import { type RequestHead } from "../../exchange/exchange.ts";
import { type CallRefusal, type GrpcRequest } from "./call.ts";
import { OWN_HEAD } from "../../proxy/subrequest.ts";
import { callAuthority, soundFields } from "./call-head.ts";

/** grpc/grpc, doc/PROTOCOL-HTTP2.md: names of a service, its package and its method. */
const NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,255}$/;
/** Fields that the protocol itself sets. Other metadata with the prefix `grpc-`, for tags and traces, is not among them. */
const OWN_FIELDS: ReadonlySet<string> = new Set([
  "content-type",
  "grpc-accept-encoding",
  "grpc-encoding",
  "grpc-message",
  "grpc-status",
  "grpc-timeout",
  "user-agent",
]);

/** The head of a gRPC call; without `ms` it has no deadline. It neither sends nor asks for compression. */
export function grpcHead(
  { service, method, metadata }: GrpcRequest,
  ms: number | undefined,
): RequestHead | CallRefusal {
  if (!NAME.test(service) || !NAME.test(method)) return "bad-request";
  const own = metadata.filter(([name]) => !OWN_FIELDS.has(name.toLowerCase()));
  const sound = soundFields(own);
  if (typeof sound === "string") return sound;
  // The gateway sets the other pseudo-header fields.
  const authority = callAuthority(sound.pseudo, "");
  if (authority === undefined) return "bad-request";
  const timeout = ms === undefined ? "" : `grpc-timeout: ${Math.ceil(ms)}m\r\n`;
  return {
    ...OWN_HEAD,
    method: "POST",
    authority,
    path: `/${service}/${method}`,
    query: "",
    fields: `content-type: application/grpc\r\n${timeout}${sound.fields}`,
    bodyLength: -1,
    isGrpc: true,
  };
}
