import { TurnpikeError } from "../../../lib/errors.ts";
import { type Fields } from "../../../lib/fields.ts";
import { respondWithError } from "../../local-response.ts";
import { GuardedBody } from "../auth/guarded-body.ts";
import { type Policy } from "../policy.ts";

/**
 * Refuses requests with two lines of a field by which the gateway decides: the upstream could read the other line. CGI and
 * its successors map `X-User` and `X_User` to one name, so the two count as one field, and only the configured spelling is
 * accepted. The policy removes such fields from trailers. Undefined without names.
 */
export function createDecidingFieldsPolicy(names: readonly string[]): Policy | undefined {
  if (names.length === 0) return undefined;
  const lowerNames = [...new Set(names.map((name) => name.toLowerCase()))];
  const spelled = new Set(lowerNames);
  const patterns = lowerNames.map((name) =>
    name.replaceAll(/[^a-z0-9]/g, String.raw`\$&`).replaceAll(/\\[-_]/g, "[-_]"),
  );
  const line = new RegExp(`^(?:${patterns.join("|")})(?=:)`, "gim");
  const error = new TurnpikeError(
    "bad-request",
    `send each of these fields once, in this spelling: ${names.join(", ")}`,
  );
  /** A codec gives the same text for a field section that is repeated. */
  let accepted: Fields = "";
  return {
    name: "deciding_fields",
    guards: true,
    forgets: true,
    request(exchange) {
      const { head } = exchange;
      if (head.fields !== accepted && isUnclear(head.fields, line, spelled)) {
        respondWithError(exchange, error);
        return "responded";
      }
      accepted = head.fields;
      if (head.bodyLength !== 0) exchange.body = new GuardedBody(exchange.body, lowerNames);
      return "continue";
    },
  };
}

/** True if another program could read one of the fields in another way. */
function isUnclear(fields: Fields, line: RegExp, spelled: ReadonlySet<string>): boolean {
  const seen = new Set<string>();
  for (const [name] of fields.matchAll(line)) {
    const lowerName = name.toLowerCase();
    const key = lowerName.replaceAll("_", "-");
    if (seen.has(key) || !spelled.has(lowerName)) return true;
    seen.add(key);
  }
  return false;
}
