import { type CdpFields } from "./cdp.ts";

const LANGUAGES = "en-US,en";

/** The main version of a browser. `product` is in the format of Browser.getVersion. */
export function majorOf(product: string): string {
  return versionOf(product).split(".")[0] ?? "0";
}

/** The user agent of an ordinary browser with this main version. */
export function ordinaryUserAgent(major: string): string {
  return `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${major}.0.0.0 Safari/537.36`;
}

function versionOf(product: string): string {
  return /\/(\d+(?:\.\d+)*)/.exec(product)?.[1] ?? "0.0.0.0";
}

/** Operating systems in user agents, with the matching `navigator.platform` and client hints. */
const SYSTEMS = {
  windows: { sign: /Windows NT 10/, platform: "Win32", hint: "Windows", version: "15.0.0", architecture: "x86" },
  mac: { sign: /Macintosh/, platform: "MacIntel", hint: "macOS", version: "15.5.0", architecture: "arm" },
  linux: { sign: /X11; Linux/, platform: "Linux x86_64", hint: "Linux", version: "", architecture: "x86" },
} as const;

/** An operating system that a user agent can name. */
export type System = keyof typeof SYSTEMS;

/** A user agent, and its client hints if it is Chrome. */
interface UserAgentOverride extends CdpFields {
  readonly userAgent: string;
  readonly userAgentMetadata?: CdpFields & {
    readonly brands: readonly { readonly brand: string; readonly version: string }[];
    readonly platform: string;
  };
}

export interface Identity {
  /** The parameters of Emulation.setUserAgentOverride. */
  readonly override: UserAgentOverride;
  /** Undefined if the user agent names an unknown operating system. */
  readonly system: System | undefined;
  /** True for Chrome, which has an object `chrome` and client hints. */
  readonly chrome: boolean;
}

/**
 * Headless browsers name themselves in the user agent and send no Accept-Language. With this identity the header field,
 * the client hints and `navigator` agree. A caller's user agent gets client hints if it is that of Chrome on a computer
 * and stealth is requested. Otherwise none are sent, because they could contradict an unknown user agent.
 */
export function identityOf(
  product: string,
  userAgent: string | undefined,
  {
    stealth = false,
    languages = LANGUAGES,
  }: { readonly stealth?: boolean; readonly languages?: string | undefined } = {},
): Identity {
  const version = versionOf(product);
  if (userAgent === undefined || userAgent === "") {
    const brand = stealth ? "Google Chrome" : "Chromium";
    const own = ordinaryUserAgent(majorOf(product));
    return { override: chromeOverride(own, "linux", { version, brand, languages }), system: "linux", chrome: true };
  }
  const named = /\bChrome\/(\d{2,4})(\.[\d.]+)? (?:Safari\/537\.36)$/.exec(userAgent);
  const found = Object.entries(SYSTEMS).find(([, { sign }]) => sign.test(userAgent));
  // It is a key of the object above.
  const system = found?.[0] as System | undefined;
  if (stealth && named !== null && system !== undefined) {
    const full = named[1] === majorOf(product) ? version : `${named[1]}.0.0.0`;
    return {
      override: chromeOverride(userAgent, system, { version: full, brand: "Google Chrome", languages }),
      system,
      chrome: true,
    };
  }
  const platform = stealth && system !== undefined ? { platform: SYSTEMS[system].platform } : {};
  return { override: { userAgent, acceptLanguage: languages, ...platform }, system, chrome: false };
}

function chromeOverride(
  userAgent: string,
  system: System,
  { version, brand, languages }: { readonly version: string; readonly brand: string; readonly languages: string },
): UserAgentOverride {
  const { platform, hint, version: platformVersion, architecture } = SYSTEMS[system];
  const major = version.split(".")[0] ?? "0";
  return {
    userAgent,
    acceptLanguage: languages,
    platform,
    userAgentMetadata: {
      brands: brandsOf(major, brand, (known) => known.split(".")[0] ?? ""),
      fullVersionList: brandsOf(version, brand, (known) => known),
      fullVersion: version,
      platform: hint,
      platformVersion,
      architecture,
      bitness: "64",
      model: "",
      mobile: false,
    },
  };
}

const GREASE_MARKS = [" ", "(", ":", "-", ".", "/", ")", ";", "=", "?", "_"] as const;
const GREASE_VERSIONS = ["8.0.0.0", "99.0.0.0", "24.0.0.0"] as const;
/** The positions of the grease brand, Chromium and the browser's brand. */
const ORDERS = [
  [0, 1, 2],
  [0, 2, 1],
  [1, 0, 2],
  [1, 2, 0],
  [2, 0, 1],
  [2, 1, 0],
] as const;

function markAt(place: number): string {
  return GREASE_MARKS[place % GREASE_MARKS.length] ?? "";
}

/** The brands of a version, with the grease brand and the order that Chromium uses (user_agent_utils.cc). */
function brandsOf(
  version: string,
  brand: string,
  shown: (version: string) => string,
): { brand: string; version: string }[] {
  const seed = Number(version.split(".")[0]);
  const grease = {
    brand: `Not${markAt(seed)}A${markAt(seed + 1)}Brand`,
    version: shown(GREASE_VERSIONS[seed % GREASE_VERSIONS.length] ?? ""),
  };
  const chromium = { brand: "Chromium", version: shown(version) };
  const entries = [grease, chromium, ...(brand === "Chromium" ? [] : [{ brand, version: shown(version) }])];
  const order = ORDERS[seed % ORDERS.length] ?? ORDERS[0];
  if (entries.length < order.length) return seed % 2 === 0 ? entries : entries.toReversed();
  return order.map((_, place) => entries[order.findIndex((at) => at === place)] ?? grease);
}
