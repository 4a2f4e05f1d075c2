import { identityOf } from "../browser/program/identity.ts";

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
  const { userAgent, userAgentMetadata: metadata } = identityOf(`Chrome/${version}`, undefined).override;
  if (metadata === undefined) return { userAgent, hints: [] };
  const brands = metadata.brands.map(({ brand, version: major }) => `"${brand}";v="${major}"`);
  return {
    userAgent,
    // The low-entropy hints that Chromium sends with every request (User-Agent Client Hints §4).
    hints: [`sec-ch-ua: ${brands.join(", ")}`, "sec-ch-ua-mobile: ?0", `sec-ch-ua-platform: "${metadata.platform}"`],
  };
}
