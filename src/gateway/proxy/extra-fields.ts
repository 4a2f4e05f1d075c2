import { type RouteConfig } from "../config/config.ts";
import { type ForwardTarget } from "./target.ts";

type ExtraFields = Pick<ForwardTarget, "host" | "extraFields" | "extraNames">;

const NO_EXTRA_FIELDS: ExtraFields = { host: undefined, extraFields: "", extraNames: [] };

/** The fields of `upstream_headers`, and `host` as the Host of upstream requests if it is set. */
export function extraFields(own: RouteConfig["upstream_headers"], host: string | undefined): ExtraFields {
  const headers = host === undefined ? own : [...own, { name: "Host", value: host }];
  if (headers.length === 0) return NO_EXTRA_FIELDS;
  return {
    host: headers.findLast(isHost)?.value,
    extraFields: headers
      .filter((header) => !isHost(header))
      .map(({ name, value }) => `${name}: ${value}\r\n`)
      .join(""),
    extraNames: headers.map(({ name }) => name.toLowerCase()),
  };
}

type HeaderConfig = RouteConfig["upstream_headers"][number];

function isHost({ name }: HeaderConfig): boolean {
  return name.toLowerCase() === "host";
}
