import { boolean, number, oneOf, strictObject } from "./recorded-schema.ts";
import { names, ours, section, text } from "./kinds.ts";

const enabled = boolean();
const format = oneOf(["combined", "json"]);
const path = text.meta(names("log"));
const sampleRate = number().min(0).max(100);

export const accessLog = section({
  enabled: enabled.default(true).describe("Write a line for every request."),
  format: format.default("combined").describe("Apache combined, or one JSON object a line."),
  path: path.default("stderr").describe("`stderr`, `stdout` or a file."),
  sample_rate: sampleRate.default(100).describe("Percentage of requests that are logged."),
}).meta(ours("The access log of all routes."));

export const routeAccessLog = strictObject({
  enabled: enabled.exactOptional().describe("Overrides `access_log.enabled`."),
  format: format.exactOptional().describe("Overrides `access_log.format`."),
  path: path.exactOptional().describe("Overrides `access_log.path`."),
  sample_rate: sampleRate.exactOptional().describe("Overrides `access_log.sample_rate`."),
}).meta(ours("Overrides of `access_log` for this route."));
