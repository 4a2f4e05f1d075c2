import { type RequestHead } from "../../../exchange/exchange.ts";

/** The parts of the resource URLs in a route's challenges; an empty string is not set. */
export interface ResourceLocation {
  /** `routes[].x402.resource_url`: the URL for every request. */
  readonly fixed: string;
  /** `x402.public_url`, no slash at the end. */
  readonly publicUrl: string;
  /** The beginning of the route's own URL: `publicUrl`, or the URL of the first listener. */
  readonly baseUrl: string;
  /** The route has its own host, which can differ from the one in `publicUrl`. */
  readonly hasHost: boolean;
}

/** Characters of the longest URL in a challenge: the limit of x402's own clients. */
const MAX_URL_LENGTH = 2048;
/** Characters that URL parsers encode, or that could end the text around a URL. */
const UNSAFE = /[^\x21-\x7e]|["'<>\\^`{|}]/g;

type Requested = Pick<RequestHead, "scheme" | "authority" | "path" | "query">;

/** The URLs that can stand for a request in its challenge, the best one first. */
export function requestedUrls(location: ResourceLocation, head: Requested): readonly string[] {
  if (location.fixed !== "") return [location.fixed];
  const whole = encoded(baseOf(location, head) + head.path);
  return [whole + encoded(head.query), whole].filter((url) => url.length <= MAX_URL_LENGTH);
}

/** The configured name of the gateway; without one, the name in the client's request. Only this client gets the URL. */
function baseOf({ publicUrl, baseUrl, hasHost }: ResourceLocation, { scheme, authority }: Requested): string {
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
