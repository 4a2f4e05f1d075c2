import { isIP } from "node:net";
import { type Found } from "./discovery.ts";
import { parsedJson } from "../../../lib/parsed-json.ts";
import { MAX_PORT } from "../../../lib/net/port.ts";
import { ownMember } from "../../../lib/is-object.ts";

/** The content of a catalog response. `unusable` counts the entries without a usable server. */
export interface CatalogResponse {
  readonly found: readonly Found[];
  readonly unusable: number;
}

const HOST_NAME = /^(?=.{1,253}$)[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_.])?$/;
const MAX_WEIGHT = 65_535;

/** Reads a response of Consul's `/v1/health/service/NAME`; undefined if the body is not such a response. */
export function readCatalogResponse(body: Buffer): CatalogResponse | undefined {
  const entries = parsedJson(body.toString("utf8"));
  if (!Array.isArray(entries)) return undefined;
  const found = entries.map(serverOf);
  const usable = found.filter((server) => server !== undefined);
  return { found: usable, unusable: found.length - usable.length };
}

/** The service's own address, or the address of its node if the service has no address. */
function serverOf(entry: unknown): Found | undefined {
  const service = ownMember(entry, "Service");
  const address = ownMember(service, "Address") || ownMember(ownMember(entry, "Node"), "Address");
  const port = ownMember(service, "Port");
  if (typeof address !== "string" || (isIP(address) === 0 && !HOST_NAME.test(address))) return undefined;
  if (!isWhole(port, MAX_PORT)) return undefined;
  const weight = ownMember(ownMember(service, "Weights"), "Passing");
  return { endpoint: { address, port }, weight: isWhole(weight, MAX_WEIGHT) ? weight : 1 };
}

function isWhole(value: unknown, most: number): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= most;
}
