import { unknown, type ZodOptional, type ZodUnknown } from "../../lib/schema.ts";

/** Options that have no effect here, with the values with which nothing is asked for. Other values are refused. */
export type Refused = Readonly<Record<string, readonly unknown[]>>;

export const REFUSED_PAGE: Refused = {
  auditMetadata: [],
  blockAds: [true],
  domainTools: [false],
  fastMode: [false],
  lockdown: [false],
  minAge: [],
  profile: [],
  redactPII: [false],
  skipTlsVerification: [false],
  threatProtection: [],
  toolDetail: [],
  useMock: [],
};

/** For scrapes and jobs, and not for `scrapeOptions`. */
export const REFUSED_BODY: Refused = { zeroDataRetention: [false] };

export const REFUSED_CRAWL: Refused = {
  ...REFUSED_BODY,
  ignoreRobotsTxt: [false],
  prompt: [],
  regexOnFullURL: [false],
  robotsUserAgent: [],
};

export const REFUSED_BATCH: Refused = { ...REFUSED_BODY, appendToId: [] };

export const REFUSED_MAP: Refused = { auditMetadata: [], ignoreCache: [false], location: [], threatProtection: [] };

export const REFUSED_SEARCH: Refused = {
  categories: [[]],
  country: [],
  domainTools: [false],
  enterprise: [[]],
  highlights: [false],
  ignoreInvalidURLs: [true, false],
  location: [],
  sources: [["web"], [{ type: "web" }]],
  threatProtection: [],
  toolDetail: [],
};

export const REFUSED_EXTRACT: Refused = {
  ...REFUSED_BODY,
  agent: [],
  allowExternalLinks: [false],
  enableWebSearch: [false],
  ignoreSitemap: [true, false],
  includeSubdomains: [false],
  systemPrompt: [],
  threatProtection: [],
  webhook: [],
};

/** The schemas of options that are refused. */
export function refusing(refused: Refused) {
  const entries = Object.entries(refused).map(([name, neutral]) => {
    const isNeutral = (value: unknown) => neutral.some((one) => Bun.deepEquals(one, value));
    return [
      name,
      unknown()
        .refine((value) => value === undefined || isNeutral(value), "is not supported here")
        .optional(),
    ];
  });
  // Each name has a schema of this kind.
  return Object.fromEntries(entries) as Record<string, ZodOptional<ZodUnknown>>;
}
