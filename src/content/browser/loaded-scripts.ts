import { CdpError, type CdpFields } from "./program/cdp.ts";

/** Maximum number of scripts of a page whose requests are known. Further ones cannot be read. */
const MAX_KNOWN_SCRIPTS = 200;

/**
 * Parameters of Network.enable with which the browser keeps the text of scripts: at most this many bytes of all responses,
 * and of one of them.
 */
export const BUFFERED = { maxTotalBufferSize: 8 * 1024 * 1024, maxResourceBufferSize: 512 * 1024 };

type Call = (method: string, params: CdpFields) => Promise<CdpFields>;

/** The external scripts that a tab's page has loaded, by the events of the Network domain. */
export class LoadedScripts {
  readonly #call: Call;
  /** Requests by the URLs of their responses. */
  readonly #requests = new Map<string, string>();

  constructor(call: Call) {
    this.#call = call;
  }

  onEvent(method: string, { type, requestId, response }: CdpFields): void {
    if (method !== "Network.responseReceived" || type !== "Script") return;
    if (this.#requests.size >= MAX_KNOWN_SCRIPTS) return;
    // The protocol gives a Response with this event.
    this.#requests.set(String((response as CdpFields)["url"]), String(requestId));
  }

  /** The text of a script. Empty if the page did not load it, or if the browser no longer has it. */
  async textAt(url: string): Promise<string> {
    const requestId = this.#requests.get(url);
    if (requestId === undefined) return "";
    try {
      const { body, base64Encoded } = await this.#call("Network.getResponseBody", { requestId });
      return base64Encoded === true ? Buffer.from(String(body), "base64").toString() : String(body);
    } catch (error) {
      if (!(error instanceof CdpError)) throw error;
      return "";
    }
  }
}
