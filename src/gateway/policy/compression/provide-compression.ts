import { type FeatureParts } from "../../features/feature-parts.ts";
import { type PolicyFeature } from "../policy.ts";
import type * as Compression from "./compression.ts";

/** Loaded with the first route that compresses responses (bench start). */
const compression = (): typeof Compression => require("./compression.ts");

/** Provides `compression`, with the values of a route in place of those of the whole gateway. */
export function provideCompression({ config: { compression: common } }: FeatureParts): PolicyFeature {
  return {
    policy(route) {
      const own = route?.compression;
      if (common === undefined && own === undefined) return undefined;
      return compression().createCompressionPolicy({ ...common, ...own });
    },
  };
}
