/** Uses of pages that sites allow or deny: three of content signals and RSL, and text and data mining. */
export const AI_USES = ["search", "ai-input", "ai-train", "tdm"] as const;
export type AiUse = (typeof AI_USES)[number];

/** The terms that a site states for the use of a page by AI. */
export interface AiTerms {
  /** Content-Signal of robots.txt: whether a use is allowed. Uses without a statement are absent. */
  readonly signals?: Readonly<Record<string, boolean>>;
  /** TDM Reservation Protocol: whether the rights for text and data mining are reserved, and the address of a policy. */
  readonly tdm_reserved?: boolean;
  readonly tdm_policy?: string;
  /** The address of an RSL licence. */
  readonly license?: string;
  /** Uses that the licence does not grant without payment, if it was read. */
  readonly license_denies?: readonly AiUse[];
}

/** Characters of an address. */
const MAX_ADDRESS = 2_048;

/** The terms in a response's header fields (TDM-Reservation, TDM-Policy, Link). */
export function termsOfFields(headers: readonly (readonly [name: string, value: string])[], base: string): AiTerms {
  const valueOf = (wanted: string) => headers.find(([name]) => name.toLowerCase() === wanted)?.[1].trim();
  const links = headers.filter(([name]) => name.toLowerCase() === "link").map(([, value]) => value);
  // RFC 8288: other parameters may come before the relation.
  const license = links.flatMap((link) => link.split(/,\s*(?=<)/)).find((link) => LICENSE.test(link));
  return tdmTerms(valueOf("tdm-reservation"), valueOf("tdm-policy"), license && /<([^>]*)>/.exec(license)?.[1], base);
}

const LICENSE = /^(?=.*;\s*rel="?(?:[^";]* )?license\b)(?=.*application\/rsl\+xml)/i;

/** The terms from the TDM values and the address of an RSL licence of a page or a file. */
export function tdmTerms(
  reservation: string | undefined,
  policy: string | undefined,
  license: string | undefined,
  base: string,
): AiTerms {
  const [policyUrl, licenseUrl] = [policy, license].map((address) => addressOf(address, base));
  return {
    ...(reservation === "1" || reservation === "0" ? { tdm_reserved: reservation === "1" } : {}),
    ...(policyUrl === undefined ? {} : { tdm_policy: policyUrl }),
    ...(licenseUrl === undefined ? {} : { license: licenseUrl }),
  };
}

/** The absolute address; undefined if it is not of the web, or too long. */
function addressOf(address: string | undefined, base: string): string | undefined {
  const url = address === undefined || address === "" ? null : URL.parse(address, base);
  return url !== null && /^https?:$/.test(url.protocol) && url.href.length <= MAX_ADDRESS ? url.href : undefined;
}

/** The first of the operator's uses that the terms deny. */
export function deniedUse(terms: AiTerms, uses: readonly AiUse[]): AiUse | undefined {
  const { signals = {}, tdm_reserved: isReserved = false, license_denies: denied = [] } = terms;
  return uses.find((use) => signals[use] === false || denied.includes(use) || (use === "tdm" && isReserved));
}
