import { TurnpikeError } from "../../../lib/errors.ts";
import { compileSchema, type Schema, TooCostly } from "../../../lib/json-schema/compile-schema.ts";
import { JsonError, readJson } from "../../../lib/json-schema/read-json.ts";
import { operationSchema } from "../../config/operation-schemas.ts";
import { respondWithError, CannedError } from "../../exchange/local-response.ts";
import { type Exchange } from "../../exchange/exchange.ts";
import { type BodyMemory, GatheredBody } from "../gathered-body.ts";
import { jsonBounds, jsonTypeError } from "../json-body.ts";
import { type Decision, type Policy } from "../policy.ts";

/** The parts of a route's configuration that the policy reads. */
export interface BodySchemaConfig {
  /** A JSON Schema of draft 2020-12. */
  readonly body_schema: object;
  /** Bytes. A value above 1 MiB has no effect. */
  readonly max_body_bytes: number;
}

export interface BodySchemaDeps {
  /** The worker's buffers. Requests of strangers must not displace kept responses, which are paid for. */
  readonly memory: BodyMemory;
}

const NO_BODY = new CannedError("invalid-parameters", "a JSON body is required");
/** Methods that usually have no body, and do not need one. */
const NEEDS_NONE: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "DELETE"]);

/** Refuses bodies that do not fit the route's schema. Throws `SchemaError` for a bad schema. Decision 0511. */
export function createBodySchemaPolicy(config: BodySchemaConfig, { memory }: BodySchemaDeps): Policy {
  const schema = compileSchema(config.body_schema, { checksFormats: true, known: operationSchema });
  const bounds = jsonBounds(config.max_body_bytes, memory);
  return {
    name: "body_schema",
    request(exchange) {
      const { head } = exchange;
      // gRPC messages are not JSON, and a tunnel has no body.
      if (head.isGrpc || head.upgrade !== "") return "continue";
      if (head.bodyLength === 0) return NEEDS_NONE.has(head.method) ? "continue" : refuse(exchange, NO_BODY);
      const refusal = jsonTypeError(head);
      if (refusal !== undefined) return refuse(exchange, refusal);
      const body = new GatheredBody(exchange, bounds);
      const error = body.gather();
      if (error instanceof Promise) return error.then((late) => decide(exchange, { schema, body, error: late }));
      return decide(exchange, { schema, body, error });
    },
  };
}

interface Gathered {
  readonly schema: Schema;
  readonly body: GatheredBody;
  /** Why the body could not be read. */
  readonly error: TurnpikeError | undefined;
}

function decide(exchange: Exchange, { schema, body, error }: Gathered): Decision {
  if (exchange.gone) return "responded";
  if (error !== undefined) return refuse(exchange, error);
  const { method } = exchange.head;
  const isEmpty = body.bytes.length === 0;
  // For a body of unknown length, only its end shows that it is empty.
  const refusal = isEmpty && NEEDS_NONE.has(method) ? undefined : isEmpty ? NO_BODY : problemOf(schema, body.bytes);
  if (refusal !== undefined) return refuse(exchange, refusal);
  body.replace();
  return "continue";
}

function refuse(exchange: Exchange, error: TurnpikeError): Decision {
  if (!exchange.gone) respondWithError(exchange, error);
  return "responded";
}

function problemOf(schema: Schema, bytes: Uint8Array): TurnpikeError | undefined {
  try {
    const problems = schema.problemsOf(readJson(bytes));
    const [first] = problems;
    if (first === undefined) return undefined;
    // Clients often show only the detail.
    const detail = `the body does not fit the schema of this route: ${first.path || "it"} ${first.message}`;
    return new TurnpikeError("invalid-parameters", detail, problems);
  } catch (error) {
    if (!(error instanceof JsonError) && !(error instanceof TooCostly)) throw error;
    const what =
      error instanceof JsonError ? "the body is not JSON that this route accepts" : "the body takes too long to check";
    return new TurnpikeError("invalid-parameters", `${what}: ${error.message}`, [{ path: "", message: error.message }]);
  }
}
