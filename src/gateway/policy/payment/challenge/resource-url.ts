import { type RequestHead } from "../../../exchange.ts";

/** What the resource URLs of a route's challenges are made of; empty strings are not set. */
export interface ResourcePlace {
  /** `routes[].x402.resource_url`: the URL for every request. */
  readonly fixed: string;
  /** `x402.public_url`, no slash at the end. */
  readonly publicUrl: string;
  /** What the URL of the route itself starts with: `publicUrl`, else the first listener's own URL. */
  readonly baseUrl: string;
  /** The route is of a host of its own, which `publicUrl` need not name. */
  readonly hasHost: boolean;
}

/** The longest URL that a challenge names, in characters: x402's own limit on the clients here. */
const MAX_URL_LENGTH = 2048;
/** Characters that URL parsers encode, or that could end the place that a URL is shown in. */
const UNSAFE = /[^\x21-\x7e]|["'<>\\^`{|}]/g;

type Requested = Pick<RequestHead, "scheme" | "authority" | "path" | "query">;

/** The URLs that may stand for a request in its challenge, the best first. */
export function requestedUrls(place: ResourcePlace, head: Requested): readonly string[] {
  if (place.fixed !== "") return [place.fixed];
  const whole = encoded(baseOf(place, head) + head.path);
  return [whole + encoded(head.query), whole].filter((url) => url.length <= MAX_URL_LENGTH);
}

/** By configuration where it says what the gateway is called; else as the client calls it, which tells nobody but the client. */
function baseOf({ publicUrl, baseUrl, hasHost }: ResourcePlace, { scheme, authority }: Requested): string {
  if (authority === "") return baseUrl;
  if (publicUrl === "") return `${scheme}://${authority}`;
  return hasHost ? `${publicUrl.slice(0, publicUrl.indexOf(":"))}://${authority}` : publicUrl;
}

function encoded(text: string): string {
  return text.replace(UNSAFE, (character) =>
    character.charCodeAt(0) > 0xff
      ? encodeURIComponent(character)
      : `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`,
  );
}
