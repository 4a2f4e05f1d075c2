import { type EgressOptions } from "../egress/guard.ts";
import { type Extractor } from "../extractor/extractor.ts";
import { type SearchProvider } from "./web/provider.ts";
import { createBrave } from "./providers/brave.ts";
import { createDuckDuckGo } from "./providers/duckduckgo.ts";
import { createLocal, type LocalIndex } from "./providers/local.ts";
import { createMojeek } from "./providers/mojeek.ts";
import { createSearxng } from "./providers/searxng.ts";

/** The names of all providers, in the order in which they are tried by default. */
export const PROVIDER_NAMES = ["local", "searxng", "brave", "duckduckgo", "mojeek"] as const;

export type ProviderName = (typeof PROVIDER_NAMES)[number];

export interface ProviderDeps {
  readonly egress: EgressOptions;
  readonly extractor: Extractor;
  readonly userAgent: string;
  readonly searxngUrl: string;
  readonly braveKey: string;
  readonly index: LocalIndex;
  /** The addresses of the providers. The default is the real address of each. */
  readonly endpoints?: Partial<typeof ENDPOINTS>;
}

const ENDPOINTS = {
  brave: "https://api.search.brave.com/res/v1/web/search",
  duckduckgo: "https://html.duckduckgo.com/html/",
  mojeek: "https://www.mojeek.com/search",
};

/** All providers by name. */
export function createProviders(deps: ProviderDeps): Readonly<Record<ProviderName, SearchProvider>> {
  const endpoints = { ...ENDPOINTS, ...deps.endpoints };
  const { egress } = deps;
  return {
    local: createLocal(deps.index),
    searxng: createSearxng(deps.searxngUrl),
    brave: createBrave({ endpoint: endpoints.brave, key: deps.braveKey, egress }),
    duckduckgo: createDuckDuckGo({ ...deps, endpoint: endpoints.duckduckgo }),
    mojeek: createMojeek({ ...deps, endpoint: endpoints.mojeek }),
  };
}
