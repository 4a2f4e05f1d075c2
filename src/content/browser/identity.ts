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

/**
 * The parameters of Emulation.setUserAgentOverride. Headless browsers name themselves in the user agent and send no
 * Accept-Language; with these the header, the client hints and `navigator` tell one story.
 */
export function identityOf(product: string, userAgent: string | undefined, stealth = false): CdpFields {
  if (userAgent !== undefined && userAgent !== "") {
    // Without metadata no client hints are sent, which cannot contradict a user agent that we know nothing of.
    return { userAgent, acceptLanguage: LANGUAGES };
  }
  const version = versionOf(product);
  const major = majorOf(product);
  const vendor = stealth ? "Google Chrome" : "Chromium";
  const brands = (full: string) => [
    { brand: "Not=A?Brand", version: full === major ? "24" : "24.0.0.0" },
    { brand: "Chromium", version: full },
    ...(stealth ? [{ brand: vendor, version: full }] : []),
  ];
  return {
    userAgent: ordinaryUserAgent(major),
    acceptLanguage: LANGUAGES,
    platform: "Linux x86_64",
    userAgentMetadata: {
      brands: brands(major),
      fullVersionList: brands(version),
      platform: "Linux",
      platformVersion: "",
      architecture: "x86",
      bitness: "64",
      model: "",
      mobile: false,
    },
  };
}
