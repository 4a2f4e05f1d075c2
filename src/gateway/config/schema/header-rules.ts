import { array, strictObject } from "./recorded-schema.ts";
import { headerName, headerValue, ours, secret } from "./kinds.ts";

function rulesOf(value: typeof headerValue) {
  const line = strictObject({
    name: headerName.describe("Field name."),
    value: value.describe("Field value."),
  }).describe("One header field.");
  return strictObject({
    set: array(line).default([]).describe("Fields that replace all lines of the same name."),
    add: array(line).default([]).describe("Fields that are added to the existing lines."),
    remove: array(headerName).default([]).describe("Fields that are removed."),
  });
}

const requestRules = rulesOf(headerValue.meta(secret("field")));
const responseRules = rulesOf(headerValue.meta(secret("responseField")));

export const headerRules = strictObject({
  request: requestRules
    .prefault({})
    .describe("Rules for upstream requests, after all policies and before `upstream_headers`."),
  response: responseRules.prefault({}).describe("Rules for all responses of the route."),
}).meta(ours("Header fields to set, add and remove."));
