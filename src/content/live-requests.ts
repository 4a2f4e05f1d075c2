import { TurnpikeError } from "../lib/errors.ts";
import { baseUrlOf } from "./api/gateway-address.ts";
import { type Upgrade } from "./listen.ts";
import { notSold } from "./live/live-browsers.ts";
import { LiveSocket } from "./live/live-socket.ts";
import { VIEW_HEADERS, VIEW_PAGE } from "./live/view/view-page.ts";
import { ViewSocket } from "./live/view/view-socket.ts";
import { BROWSER_SOCKET, VIEW_PATH } from "./operations/browser.ts";
import { isSwitch, protocolSecret } from "./operations/job-watchers.ts";
import { type Services } from "./operations/operation.ts";

/** Responds to a GET request. */
type Respond = (
  services: Pick<Services, "browser" | "live">,
  request: Request,
  upgrade: Upgrade | undefined,
) => Response;

/** The paths of browsers that clients and viewers connect to. */
export const LIVE_REQUESTS: readonly (readonly [path: string, respond: Respond])[] = [
  [BROWSER_SOCKET, controlled],
  [`${BROWSER_SOCKET}/json/version`, versionOf],
  [`${BROWSER_SOCKET}/json/version/`, versionOf],
  [VIEW_PATH, viewed],
];

function tokenIn(request: Request): string {
  return new URL(request.url).searchParams.get("token") ?? request.headers.get("x-browser-token") ?? "";
}

/** Lets a client control its browser by WebSocket. */
function controlled({ live }: Parameters<Respond>[0], request: Request, upgrade: Upgrade | undefined): Response {
  if (live === undefined) throw notSold();
  const one = live.withToken(tokenIn(request));
  if (request.headers.get("upgrade")?.toLowerCase() !== "websocket")
    throw new TurnpikeError("bad-request", "Cannot control the browser: this is a WebSocket of the DevTools protocol");
  if (!one.take()) throw new TurnpikeError("session-busy", "Cannot control the browser: another client does");
  if (upgrade?.(new LiveSocket(one)) === true) return new Response();
  one.leave();
  throw noHandshake();
}

/** The response by which clients of the DevTools protocol find the WebSocket of a browser. */
function versionOf({ live, browser: about }: Parameters<Respond>[0], request: Request): Response {
  if (live === undefined) throw notSold();
  const token = tokenIn(request);
  live.withToken(token);
  const base = baseUrlOf(request).replace(/^http/, "ws");
  return Response.json({
    Browser: `${about?.name ?? ""}/${about?.version ?? ""}`,
    "Protocol-Version": "1.3",
    webSocketDebuggerUrl: `${base}${BROWSER_SOCKET}?token=${token}`,
  });
}

/** The page for viewers of all browsers, and by WebSocket what one of the browsers shows. */
function viewed({ live }: Parameters<Respond>[0], request: Request, upgrade: Upgrade | undefined): Response {
  if (live === undefined) throw notSold();
  if (!isSwitch(request.headers)) return new Response(VIEW_PAGE, { headers: VIEW_HEADERS });
  const { browser, controls } = live.withViewToken(protocolSecret(request.headers));
  if (upgrade?.(new ViewSocket(browser.viewers, controls)) === true) return new Response();
  throw noHandshake();
}

function noHandshake(): TurnpikeError {
  return new TurnpikeError("bad-request", "Cannot switch to WebSocket: the handshake is not valid");
}
