import { type Policy } from "../policy/policy.ts";

/** A route's policies by name; one that the configuration does not ask for is undefined, and costs nothing. */
export interface RoutePolicies {
  /** Nothing is worked for, and nothing goes out, that is not paid for. */
  readonly payment: Policy | undefined;
}

/** The order in which they run. Sinks that they put before the response see it in the reverse order. */
const ORDER: readonly (keyof RoutePolicies)[] = ["payment"];

/** A route's chain, composed once. */
export function routePolicies(policies: RoutePolicies): Policy[] {
  return ORDER.flatMap((name) => policies[name] ?? []);
}
