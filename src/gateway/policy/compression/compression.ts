import { fieldValue } from "../../../lib/http/fields.ts";
import { type CompressionConfig } from "../../config/config.ts";
import { COMPRESSION_DEFAULTS } from "../../config/schema/compression.ts";
import { type Policy } from "../policy.ts";
import { CompressingResponse } from "./compressing-response.ts";
import { withStrongForms } from "./entity-tags.ts";
import { createMediaTypeMatch } from "./media-type-match.ts";
import { negotiateCoding } from "../../../lib/http/negotiate-coding.ts";
import { forbidsTransforms, Plan, type RouteRules } from "./plan.ts";
import { type Slots, WORKER_SLOTS } from "./slots.ts";

/**
 * Compresses responses in a coding that the client accepts by Accept-Encoding (RFC 9110 §12.5.3). Undefined if
 * compression is switched off. Responses that are already encoded pass unchanged.
 */
export function createCompressionPolicy(config: CompressionConfig, slots: Slots = WORKER_SLOTS): Policy | undefined {
  const { enabled, min_bytes: minBytes, types, encodings } = { ...COMPRESSION_DEFAULTS, ...config };
  if (!enabled || types.length === 0 || encodings.length === 0) return undefined;
  const rules: RouteRules = { minBytes, matches: createMediaTypeMatch(types), slots };
  return {
    name: "compression",
    runsOnLocalReply: true,
    request(exchange) {
      const { head } = exchange;
      if (head.isGrpc || head.upgrade !== "") return "continue";
      const { fields } = head;
      const acceptEncoding = fieldValue(fields, "accept-encoding");
      const mayChange = acceptEncoding !== undefined && !forbidsTransforms(fields);
      const coding = mayChange ? negotiateCoding(acceptEncoding, encodings) : undefined;
      void new CompressingResponse(exchange, new Plan(rules, coding, fields));
      head.fields = withStrongForms(fields);
      return "continue";
    },
  };
}
