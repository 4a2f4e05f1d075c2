import { fieldLine } from "../../../lib/http/fields.ts";
import { asksCredentials } from "../../config/guards.ts";
import { respond, respondWithError } from "../../exchange/local-response.ts";
import { type Exchange, type RequestHead } from "../../exchange/exchange.ts";
import { appendFields, removeFields } from "../../exchange/head-fields.ts";
import { type Decision, type Policy } from "../policy.ts";
import { respondToPreflight, isPreflight } from "../preflight.ts";
import { hasBearer } from "./bearer.ts";
import { GuardedBody } from "./guarded-body.ts";
import { type Auth, createMethod, identityNames, methodsIn } from "./create-method.ts";
import { withoutIdentity } from "./identity-fields.ts";
import { type KeySetDeps } from "./jwks.ts";
import { type Admitted, type Method, type Outcome, type Refused } from "./method.ts";

/** The `auth` of a route, with the fields that it must remove from requests. */
export interface AuthConfig {
  readonly auth: Auth;
  /** Names, in lower case, of the fields by which any route of the configuration describes clients to upstreams. */
  readonly identityNames: readonly string[];
}

/** Fields that clients also send for other purposes. They are removed only on the route that sets them. */
const CLIENTS_OWN: ReadonlySet<string> = new Set(["authorization", "cookie"]);

/** The policy of a route that authenticates its clients, with the keys that it fetches. */
export interface AuthPolicy extends Policy {
  close(): void;
}

/** Admits a request of an authenticated client. Undefined if there is nothing to require or to protect. */
export function createAuthPolicy({ auth, identityNames: names }: AuthConfig, deps: KeySetDeps): AuthPolicy | undefined {
  if (auth.type === "none" && names.every((name) => CLIENTS_OWN.has(name))) return undefined;
  const own = identityNames(auth);
  const forged = [...new Set([...own, ...names.filter((name) => !CLIENTS_OWN.has(name))])];
  const method = createMethod(auth, deps);
  const verifiesTokens = methodsIn(auth).some(({ type }) => type === "jwt");
  const guards = asksCredentials(auth);
  const gate = { method, forged, verifiesTokens };
  return {
    name: "auth",
    guards: true,
    request(exchange) {
      exchange.isAuthorized = false;
      if (guards && isPreflight(exchange)) {
        // A preflight has no credentials. The fields that scripts can use are configured by `cors`.
        respondToPreflight(exchange, "");
        return "responded";
      }
      const outcome = method.check(exchange);
      return outcome instanceof Promise ? decideAfter(gate, exchange, outcome) : decide(gate, exchange, outcome);
    },
    close: () => method.close(),
  };
}

interface Gate {
  readonly method: Method;
  /** Fields that only the gateway sends to the upstream. */
  readonly forged: readonly string[];
  readonly verifiesTokens: boolean;
}

async function decideAfter(gate: Gate, exchange: Exchange, pending: Promise<Outcome>): Promise<Decision> {
  return decide(gate, exchange, await pending);
}

function decide(gate: Gate, exchange: Exchange, outcome: Outcome): Decision {
  if (outcome.kind === "admitted") {
    admit(gate, exchange, outcome);
    return "continue";
  }
  // Presented credentials must not be in a log.
  gate.method.take(exchange.head);
  if (!exchange.gone) refuse(exchange, outcome);
  return "responded";
}

function admit(gate: Gate, exchange: Exchange, { by, consumer, fields }: Admitted): void {
  const { head } = exchange;
  by.take(head);
  removeClaims(gate, head, by);
  appendFields(head, fields);
  guardBody(gate, exchange);
  exchange.consumer = consumer;
  exchange.isAuthorized = true;
}

/** Removes the client's own fields that the upstream would trust. */
function removeClaims({ forged, verifiesTokens }: Gate, head: RequestHead, by: Method): void {
  if (forged.length > 0) head.fields = withoutIdentity(head.fields, forged);
  // The upstream of a route that verifies tokens would trust any token, so an unverified token is removed.
  if (verifiesTokens && by.type !== "jwt" && hasBearer(head)) removeFields(head, ["authorization"]);
}

function guardBody({ forged }: Gate, exchange: Exchange): void {
  if (forged.length > 0 && exchange.head.bodyLength !== 0) exchange.body = new GuardedBody(exchange.body, forged);
}

function refuse(exchange: Exchange, { error, challenges, response: passed }: Refused): void {
  const lines = challenges.map((challenge) => fieldLine("WWW-Authenticate", challenge)).join("");
  if (passed === undefined || exchange.head.isGrpc)
    respondWithError(exchange, error, error.status === 401 ? lines : "");
  else respond(exchange, passed.status, passed.fields + (passed.status === 401 ? lines : ""), passed.body);
}
