import * as z from "zod";
import { text } from "./kinds.ts";

const trafficShare = z
  .strictObject({
    upstream: text.describe("Name of an upstream."),
    weight: z.int().min(0).max(1_000_000).describe("Share, relative to the others."),
  })
  .describe("One upstream's share.");

/** `routes[].traffic_split`. */
export const trafficSplit = z
  .array(trafficShare)
  .describe("Shares of several upstreams, in place of `upstream`, for selection.");
