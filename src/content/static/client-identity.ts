import { identityOf, ordinaryUserAgent } from "../browser/program/identity.ts";

/** The client that requests documents: a browser's user agent, and the matching client hints. */
export interface ClientIdentity {
  readonly userAgent: string;
  /** Whole header lines; empty if the user agent is unknown. */
  readonly hints: readonly string[];
}

/** A version of Chromium for a service without a browser. */
const USUAL_VERSION = "153.0.0.0";

/** The client identity of the browser with this version, so that a site sees the same client from both engines. */
export function clientIdentityOf(version = USUAL_VERSION): ClientIdentity {
  const { override } = identityOf(`Chrome/${version}`, undefined);
  const { userAgent, userAgentMetadata: metadata } = override;
  const major = version.split(".")[0] ?? "";
  return {
    userAgent: typeof userAgent === "string" ? userAgent : ordinaryUserAgent(major),
    hints: hintsOf(metadata),
  };
}

/** The low-entropy hints that Chromium sends with every request (User-Agent Client Hints §4). */
function hintsOf(metadata: unknown): string[] {
  if (typeof metadata !== "object" || metadata === null) return [];
  if (!("brands" in metadata && Array.isArray(metadata.brands) && "platform" in metadata)) return [];
  const brands = metadata.brands.map(brandText).filter((text) => text !== "");
  return [
    `sec-ch-ua: ${brands.join(", ")}`,
    "sec-ch-ua-mobile: ?0",
    `sec-ch-ua-platform: "${String(metadata.platform)}"`,
  ];
}

function brandText(entry: unknown): string {
  if (typeof entry !== "object" || entry === null || !("brand" in entry && "version" in entry)) return "";
  return `"${String(entry.brand)}";v="${String(entry.version)}"`;
}
