import { type IncomingMessage, request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { isIP } from "node:net";
import { TurnpikeError } from "../../lib/errors.ts";
import { EGRESS_LIMITS } from "../egress/limits.ts";
import { egressError, portOf } from "../egress/guard.ts";
import { type FetchedDocument, type FetchedResponse } from "../page/page.ts";
import { type Visit } from "../page/visit.ts";

/** Redirects that a document may lie behind, as in browsers. */
const MAX_REDIRECTS = 20;

const REDIRECT = new Set([301, 302, 303, 307, 308]);

/** Fetches the document of a visit through its egress guard. */
export async function fetchDocument(visit: Visit): Promise<FetchedDocument> {
  const redirects: FetchedResponse[] = [];
  let url: URL = visit.request.url;
  for (;;) {
    const response = await visit.deadline.race(fetchOnce(url, visit));
    const location = response.headers.find(([name]) => name.toLowerCase() === "location")?.[1];
    if (!REDIRECT.has(response.statusCode) || location === undefined || !URL.canParse(location, url.href)) {
      return { ...response, redirects, complete: true };
    }
    redirects.push(response);
    if (redirects.length > MAX_REDIRECTS) {
      throw new TurnpikeError("page-failed", `Cannot load the page: it redirects more than ${MAX_REDIRECTS} times`);
    }
    url = new URL(location, url.href);
  }
}

async function fetchOnce(url: URL, visit: Visit): Promise<FetchedResponse> {
  const addresses = await visit.egress.addressesOf(url.hostname, portOf(url));
  if (typeof addresses === "string") throw egressError(addresses);
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const [address = ""] = addresses;
  const send = url.protocol === "https:" ? httpsRequest : httpRequest;
  const outgoing = send(url, {
    agent: false,
    headers: { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" },
    lookup: (_host, _options, done) => done(null, [{ address, family: isIP(address) }]),
  });
  outgoing.on("response", resolve);
  outgoing.on("error", () => reject(egressError("unreachable")));
  outgoing.end();
  const incoming = await promise;
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of incoming) {
    // The stream was given no encoding, so its chunks are buffers.
    const bytes = chunk as Buffer;
    length += bytes.length;
    if (length > EGRESS_LIMITS.receivedBytes) {
      incoming.destroy();
      throw egressError("too-much");
    }
    chunks.push(bytes);
  }
  const headers: [string, string][] = [];
  for (let at = 0; at < incoming.rawHeaders.length; at += 2) {
    headers.push([incoming.rawHeaders[at] ?? "", incoming.rawHeaders[at + 1] ?? ""]);
  }
  return { url: url.href, statusCode: incoming.statusCode ?? 0, headers, body: Buffer.concat(chunks) };
}
