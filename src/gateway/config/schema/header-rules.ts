import * as z from "zod";
import { headerName, headerValue, ours } from "./kinds.ts";

const line = z
  .strictObject({ name: headerName.describe("Header name."), value: headerValue.describe("Header value.") })
  .describe("One header.");

const rules = z.strictObject({
  set: z.array(line).default([]).describe("Sent in place of all lines of the same name."),
  add: z.array(line).default([]).describe("Sent beside what is there."),
  remove: z.array(headerName).default([]).describe("Not sent."),
});

/** `routes[].headers`: what is changed of heads on their way. */
export const headerRules = z
  .strictObject({
    request: rules.prefault({}).describe("What the upstream gets; after all policies, before `upstream_headers`."),
    response: rules
      .prefault({})
      .describe("What the client gets, whoever answers: `Server` and `X-Powered-By` of upstreams can be removed."),
  })
  .meta(
    ours("Headers that are set, added and removed; not those by which HTTP works, nor those that the gateway sets."),
  );
