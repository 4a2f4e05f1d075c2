import * as z from "zod";
import { headerName, headerValue, ours, secret } from "./kinds.ts";

function rulesOf(value: typeof headerValue) {
  const line = z
    .strictObject({ name: headerName.describe("Header name."), value: value.describe("Header value.") })
    .describe("One header.");
  return z.strictObject({
    set: z.array(line).default([]).describe("Sent in place of all lines of the same name."),
    add: z.array(line).default([]).describe("Sent beside what is there."),
    remove: z.array(headerName).default([]).describe("Not sent."),
  });
}

const requestRules = rulesOf(headerValue.meta(secret("field")));
/** Every client sees their values. */
const responseRules = rulesOf(headerValue);

/** `routes[].headers`: what is changed of heads on their way. */
export const headerRules = z
  .strictObject({
    request: requestRules
      .prefault({})
      .describe("What the upstream gets; after all policies, before `upstream_headers`."),
    response: responseRules
      .prefault({})
      .describe("What the client gets, whoever answers: `Server` and `X-Powered-By` of upstreams can be removed."),
  })
  .meta(
    ours("Headers that are set, added and removed; not those by which HTTP works, nor those that the gateway sets."),
  );
