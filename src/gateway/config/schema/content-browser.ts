import { isAddress } from "../../../lib/net/networks.ts";
import { array, strictObject, string } from "./recorded-schema.ts";
import { cidr, count, filePath, optionalEnvironmentName, ours, secret } from "./kinds.ts";

/** An absolute ws, wss, http or https URL without fragment. */
function isEndpoint(value: string): boolean {
  return /^(?:wss?|https?):\/\//i.test(value) && URL.canParse(value) && !value.includes("#");
}

/** `content.browser`: a browser that others run. */
export const contentBrowser = strictObject({
  endpoint: string()
    .refine(
      (url) => url === "" || isEndpoint(url),
      "expected a ws://, wss://, http:// or https:// URL without fragment",
    )
    .default("")
    .meta(secret("url"))
    .describe(
      "URL of a remote browser: the WebSocket of its DevTools protocol (`wss://pool.internal/?token=...`), or its debugging port (`http://10.0.0.9:9222`).",
    ),
  endpoint_env: optionalEnvironmentName
    .default("")
    .describe("Environment variable with this URL, if it has a secret. Excludes `endpoint`."),
  tls_ca_path: filePath
    .default("")
    .describe("File of PEM certificates that `wss` and `https` trust instead of the system's."),
  max_pages: count(8, 1, 1000).describe("Pages open in the remote browser at the same time."),
  proxy_address: string()
    .refine((address) => address === "" || isAddress(address), "expected an IP address")
    .default("")
    .describe("IP address of this machine for the remote browser. Empty: that of the connection to the endpoint."),
  allowed_addresses: array(cidr)
    .max(64)
    .default([])
    .describe("Addresses and networks that may use these proxies. Empty: the address of the endpoint."),
})
  .refine(({ endpoint, endpoint_env: variable }) => endpoint === "" || variable === "", {
    message: "`endpoint` and `endpoint_env` exclude each other",
    path: ["endpoint_env"],
  })
  .prefault({})
  .meta(ours("A remote browser. Without `endpoint` and `endpoint_env`, a local one is used."));
