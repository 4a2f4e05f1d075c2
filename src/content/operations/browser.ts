import { boolean, object, type Output, strictObject, string } from "../../lib/schema.ts";
import { notSold, viewTokenOf } from "../live/live-browsers.ts";
import { type LiveBrowser } from "../live/live-browser.ts";
import { type JobOperation } from "./job-requests.ts";
import { type OperationResult, postOperation } from "./operation.ts";
import { madeText } from "./session-parameters.ts";
import { whole } from "./text.ts";

/** The path of the WebSockets of browsers. */
export const BROWSER_SOCKET = "/browser";
/** The path of the page on which people watch a browser, and of its WebSockets. */
export const VIEW_PATH = `${BROWSER_SOCKET}/view`;
/** Minutes of one payment. */
const MAX_MINUTES = 240;

const body = strictObject({
  minutes: whole(1, MAX_MINUTES).describe("Minutes"),
  browser: madeText.optional().describe("One that is to run longer"),
  token: madeText.optional(),
}).openapi("BrowserRequest");

const state = object({
  id: string().describe("Name of the browser"),
  connected: boolean().describe("True while a client controls it"),
  created_at: string().openapi({ format: "date-time" }),
  expires_at: string().openapi({ format: "date-time", description: "Time at which it ends" }),
}).openapi("BrowserState", { description: "The state of a browser" });

// A schema that extends another one would be "allOf", which the typed clients cannot express.
const response = object({
  ...state.shape,
  token: string().describe("The secret of the browser"),
  connect: string().describe("Path of the WebSocket that speaks the DevTools protocol"),
  view: string().describe("Path of a page on which people watch the browser. Its token, after #, gives no control"),
  control: string().describe(
    "The same page with another token, with which people also click, scroll and type in the browser's pages",
  ),
}).openapi("BrowserResponse", { description: "A browser that runs" });

const EXAMPLE = {
  id: "6f4922f45568161a8cdf4ad2299f6d23",
  connected: false,
  created_at: "2026-01-31T09:00:00.000Z",
  expires_at: "2026-01-31T09:10:00.000Z",
} as const satisfies Output<typeof state>;
const TOKEN = "kq3vYw1hWJ8m1m1s7m0aVg6pQxg2yT9d";

/** The members of the response that contain the token of a browser, or one that is made of it. */
function addressesOf(token: string): Pick<Output<typeof response>, "token" | "connect" | "view" | "control"> {
  return {
    token,
    connect: `${BROWSER_SOCKET}?token=${token}`,
    view: `${VIEW_PATH}#${viewTokenOf(token)}`,
    control: `${VIEW_PATH}#${viewTokenOf(token, true)}`,
  };
}

function stateOf({ id, isConnected, createdAt, expiresAt }: LiveBrowser): Output<typeof state> {
  const [created, expires] = [createdAt, expiresAt].map((ms) => new Date(ms).toISOString());
  return { id, connected: isConnected, created_at: created ?? "", expires_at: expires ?? "" };
}

/** `POST /browsers`: a browser for some minutes, controlled by the DevTools protocol. */
export const browser = postOperation(
  {
    name: "browser",
    path: "/browsers",
    price: "$0.01",
    summary: "Start a browser for Puppeteer or Playwright",
    description:
      "`connect` speaks the DevTools protocol. It ends after the paid minutes, and after five minutes without a client. With `browser` and `token`, a " +
      "running browser runs longer. People watch it at `view`, and act in its pages at `control`. It has no files and no downloads, and loads pages of the public web.",
    body,
    example: { minutes: 10 },
    success: {
      status: 201,
      description: "The browser",
      schema: response,
      example: { ...EXAMPLE, ...addressesOf(TOKEN) },
    },
    failures: ["invalid-parameters", "not-found", "overloaded", "browser-unavailable"],
  },
  async ({ minutes, browser: id, token: given = "" }, { live }, { payment, unproven }): Promise<OperationResult> => {
    if (live === undefined) throw notSold();
    const { browser: one, token } =
      id === undefined
        ? await live.add(minutes, payment, !unproven)
        : live.extend({ id, token: given, minutes, payment });
    return { json: { ...stateOf(one), ...addressesOf(token) }, status: 201 };
  },
);

const about = {
  path: "/browsers/{id}",
  secret: "browserToken",
  failures: ["not-found", "browser-unavailable"],
} as const;
const success = { schema: state, example: EXAMPLE };

/** The requests about browsers. */
export const BROWSER_OPERATIONS: readonly JobOperation[] = [
  {
    ...about,
    name: "browser_status",
    method: "get",
    summary: "Return the state of a browser",
    description: "Returns the times of the browser.",
    success: { ...success, description: "The state" },
    run: async (request, { live }) => ({ json: stateOf(found(request, live)) }),
  },
  {
    ...about,
    name: "browser_end",
    method: "delete",
    summary: "End a browser",
    description: "Ends the browser at once.",
    success: { ...success, description: "The state before that" },
    async run(request, { live }) {
      const one = found(request, live);
      const json = stateOf(one);
      one.end();
      await one.ended;
      return { json };
    },
  },
];

type About = Parameters<JobOperation["run"]>;

function found({ id, headers }: About[0], live: About[1]["live"]): LiveBrowser {
  if (live === undefined) throw notSold();
  return live.find(id, headers.get("x-browser-token") ?? "");
}
