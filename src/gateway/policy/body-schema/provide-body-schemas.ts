import { type FeatureParts } from "../../features/feature-parts.ts";
import { isOperationReference } from "../../config/operation-schemas.ts";
import { type Policy, type PolicyFeature } from "../policy.ts";
import type * as BodySchemas from "./body-schema.ts";

/** Loaded with the first route that has a schema (bench start). */
const bodySchemas = (): typeof BodySchemas => require("./body-schema.ts");

/** Provides `routes[].body_schema`. */
export function provideBodySchemas({ config: { limits }, bodies }: FeatureParts): PolicyFeature {
  return {
    policy(route) {
      if (route?.body_schema === undefined) return undefined;
      const { body_schema, max_body_bytes = limits.max_body_bytes } = route;
      const make = () => bodySchemas().createBodySchemaPolicy({ body_schema, max_body_bytes }, { memory: bodies });
      return isOperationReference(body_schema) ? lazily(make) : make();
    },
  };
}

/** A policy that is made for its first request. */
function lazily(make: () => Policy): Policy {
  let made: Policy | undefined;
  return { name: "body_schema", request: (exchange) => (made ??= make()).request(exchange) };
}
