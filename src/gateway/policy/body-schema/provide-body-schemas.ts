import { type FeatureParts } from "../../features/feature-parts.ts";
import { type PolicyFeature } from "../policy.ts";
import type * as BodySchemas from "./body-schema.ts";

/** Loaded with the first route that has a schema (bench start). */
const bodySchemas = (): typeof BodySchemas => require("./body-schema.ts");

/** Provides `routes[].body_schema`. */
export function provideBodySchemas({ config: { limits }, bodies }: FeatureParts): PolicyFeature {
  return {
    policy(route) {
      if (route?.body_schema === undefined) return undefined;
      const { body_schema, max_body_bytes = limits.max_body_bytes } = route;
      return bodySchemas().createBodySchemaPolicy({ body_schema, max_body_bytes }, { memory: bodies });
    },
  };
}
