import { type CdpFields } from "./cdp.ts";

const LANGUAGES = "en-US,en";

/** The main version of a browser; `product` is as Browser.getVersion names it. */
export function majorOf(product: string): string {
  return versionOf(product).split(".")[0] ?? "0";
}

/** The user agent of an ordinary browser of this main version. */
export function ordinaryUserAgent(major: string): string {
  return `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${major}.0.0.0 Safari/537.36`;
}

function versionOf(product: string): string {
  return /\/(\d+(?:\.\d+)*)/.exec(product)?.[1] ?? "0.0.0.0";
}

/** Systems whose browsers a user agent may name, with what `navigator.platform` and the client hints say there. */
const SYSTEMS = {
  windows: { sign: /Windows NT 10/, platform: "Win32", hint: "Windows", version: "15.0.0", architecture: "x86" },
  mac: { sign: /Macintosh/, platform: "MacIntel", hint: "macOS", version: "15.5.0", architecture: "arm" },
  linux: { sign: /X11; Linux/, platform: "Linux x86_64", hint: "Linux", version: "", architecture: "x86" },
} as const;

export type System = keyof typeof SYSTEMS;

/** What a visit's browser says that it is. */
export interface Identity {
  /** The parameters of Emulation.setUserAgentOverride. */
  readonly override: CdpFields;
  /** Undefined where the user agent names a system that is none of ours. */
  readonly system: System | undefined;
  /** Whether it is Chrome, which has an object `chrome` and client hints. */
  readonly chrome: boolean;
}

/**
 * Headless browsers name themselves in the user agent and send no Accept-Language; with this the header, the client
 * hints and `navigator` tell one story. A user agent of the caller gets client hints where it is Chrome's on a computer,
 * and stealth is asked for; else none are sent, which cannot contradict a user agent that we know nothing of.
 */
export function identityOf(product: string, userAgent: string | undefined, stealth = false): Identity {
  const version = versionOf(product);
  if (userAgent === undefined || userAgent === "") {
    const brand = stealth ? "Google Chrome" : "Chromium";
    const own = ordinaryUserAgent(majorOf(product));
    return { override: chromeOverride(own, "linux", version, brand), system: "linux", chrome: true };
  }
  const named = /\bChrome\/(\d{2,4})(\.[\d.]+)? (?:Safari\/537\.36)$/.exec(userAgent);
  const found = Object.entries(SYSTEMS).find(([, { sign }]) => sign.test(userAgent));
  // The keys of an object that is written out above.
  const system = found?.[0] as System | undefined;
  if (stealth && named !== null && system !== undefined) {
    const full = named[1] === majorOf(product) ? version : `${named[1]}.0.0.0`;
    return { override: chromeOverride(userAgent, system, full, "Google Chrome"), system, chrome: true };
  }
  const platform = stealth && system !== undefined ? { platform: SYSTEMS[system].platform } : {};
  return { override: { userAgent, acceptLanguage: LANGUAGES, ...platform }, system, chrome: false };
}

function chromeOverride(userAgent: string, system: System, version: string, brand: string): CdpFields {
  const { platform, hint, version: platformVersion, architecture } = SYSTEMS[system];
  const major = version.split(".")[0] ?? "0";
  return {
    userAgent,
    acceptLanguage: LANGUAGES,
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
/** Where the grease, Chromium and the brand stand. */
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

/** The brands of a version in the order and with the meaningless one that Chromium gives it (user_agent_utils.cc). */
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
