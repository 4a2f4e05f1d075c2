import { type RemoteSettings } from "../../content/browser/remote/remote-browser.ts";
import { type Config } from "../../gateway/config/config.ts";
import { contentBrowser } from "../../gateway/config/schema/content-browser.ts";
import { codeOf, messageOf } from "../../lib/caught.ts";
import { readRegularFile } from "../../lib/files/read-regular-file.ts";
import { StartError } from "../common/start-error.ts";

/** Bytes of the file of `content.browser.tls_ca_path`; a larger one is refused. */
const MAX_CA_BYTES = 1024 * 1024;

type Environment = Readonly<Record<string, string | undefined>>;
export type BrowserConfig = Config["content"]["browser"];

/** The remote browser of `content.browser`, if any. Throws StartError, never with the URL: it may be secret. */
export function remoteBrowserOf(config: BrowserConfig, environment: Environment): RemoteSettings | undefined {
  const endpoint = endpointOf(config, environment);
  if (endpoint === undefined) return undefined;
  return {
    endpoint,
    maxPages: config.max_pages,
    proxyAddress: config.proxy_address,
    allowedAddresses: config.allowed_addresses,
    ca: config.tls_ca_path === "" ? undefined : readCertificates(config.tls_ca_path),
  };
}

function endpointOf({ endpoint, endpoint_env: variable }: BrowserConfig, environment: Environment): URL | undefined {
  if (variable === "") return endpoint === "" ? undefined : new URL(endpoint);
  const text = environment[variable]?.trim() ?? "";
  if (text === "") {
    throw new StartError(`content.browser.endpoint_env: the environment variable ${variable} is not set`);
  }
  if (contentBrowser.safeParse({ endpoint: text }).success) return new URL(text);
  throw new StartError(
    `content.browser.endpoint_env: the value of ${variable} is not a ws://, wss://, http:// or https:// URL without a fragment`,
  );
}

function readCertificates(path: string): string {
  try {
    return readRegularFile(path, MAX_CA_BYTES).toString("utf8");
  } catch (error) {
    throw new StartError(`Cannot read content.browser.tls_ca_path "${path}" (${codeOf(error) ?? messageOf(error)})`);
  }
}
