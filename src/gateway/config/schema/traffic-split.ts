import * as z from "zod";
import { count, headerName, ours, text } from "./kinds.ts";

const trafficShare = z
  .strictObject({
    upstream: text.describe("Name of an upstream."),
    weight: z.int().min(0).max(1_000_000).describe("Share, relative to the others; 0 gets nothing."),
  })
  .describe("One upstream's share.");

/** `routes[].traffic_split`. */
export const trafficSplit = z
  .array(trafficShare)
  .describe(
    "Shares of several upstreams, in place of `upstream`, for selection; an empty list leaves it in its place.",
  );

/** 400 days: browsers keep no cookie for longer (RFC 6265bis §5.5). */
const MAX_COOKIE_AGE_S = 34_560_000;

/** RFC 6265 §4.1.1: a cookie's name is a token. */
const cookieName = headerName;

const stickyCookie = z
  .strictObject({
    name: cookieName.default("turnpike_split").describe("Name of the cookie, which upstreams do not get to see."),
    max_age_s: count(2_592_000, 1, MAX_COOKIE_AGE_S).describe(
      "Seconds that a client keeps it, counted from its first request.",
    ),
  })
  .describe("A cookie of the gateway's own.");

/** `routes[].traffic_split_sticky`. */
export const trafficSplitSticky = z
  .strictObject({
    header: headerName
      .exactOptional()
      .describe("Request header whose value chooses; a request without it is dealt like any other."),
    cookie: stickyCookie.exactOptional(),
  })
  .meta(
    ours("Sends a client to the same share of `traffic_split` again, known by a `header` or by a `cookie` set for it."),
  );
