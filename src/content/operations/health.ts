import { array, boolean, literal, object, oneOf, type Output, string } from "../../lib/schema.ts";
import { type ErrorCode, TurnpikeError } from "../../lib/errors.ts";
import { VERSION } from "../../lib/process/version.ts";
import { FONT_KINDS } from "../fonts/font-kinds.ts";
import { type Operation, type Services } from "./operation.ts";

const provider = object({
  name: string(),
  state: oneOf(["closed", "open", "half-open"]),
  last_failure: string().optional().describe("Why its newest request failed; absent if it succeeded"),
});

const response = object({
  status: literal("ok"),
  version: string().describe("Version of Turnpike"),
  browser: object({
    name: string(),
    version: string(),
    sandboxed: boolean().describe("Whether pages run in a sandbox"),
  })
    .nullable()
    .describe("null: this machine has no browser, and pages that need one fail"),
  fonts: object({
    missing: array(oneOf(FONT_KINDS)).describe("Kinds of text for which no font is installed"),
  }).optional(),
  search: array(provider).describe("Search providers; a provider that is open (its circuit breaker) is not queried"),
}).openapi("Health", { description: "The state of the service and of the programs and providers that it uses" });

/** `GET /health`: 200 if pages can be loaded and searches work, else 503 with the reasons. */
export const health: Operation = {
  name: "health",
  method: "get",
  path: "/health",
  price: undefined,
  summary: "Report whether the service works",
  description:
    "Responds with 200 if pages can be loaded and a search provider works, otherwise with 503 and the reasons. The " +
    "reported state is at most one second old. Free. Missing fonts are listed, and do not cause a 503.",
  body: undefined,
  example: undefined,
  success: {
    description: "The service is healthy",
    schema: response,
    example: {
      status: "ok",
      version: VERSION,
      browser: { name: "HeadlessChrome", version: "153.0.8010.0", sandboxed: true },
      fonts: { missing: [] },
      search: [{ name: "duckduckgo", state: "closed" }],
    },
  },
  failures: ["browser-unavailable", "search-unavailable"],
  async run(_body, services) {
    const { search } = services;
    const { failure, missingFonts } = await services.browserHealth();
    const reasons: (readonly [ErrorCode, string | undefined])[] = [
      ["browser-unavailable", failure],
      ["search-unavailable", search.failure()],
    ];
    const failed = reasons.filter(([, reason]) => reason !== undefined);
    const [first] = failed;
    if (first !== undefined) throw new TurnpikeError(first[0], failed.map(([, reason]) => reason).join("; "));
    const fonts = missingFonts === undefined ? {} : { fonts: { missing: missingFonts } };
    const facts = { status: "ok", version: VERSION, browser: browserFacts(services.browser) };
    return { json: { ...facts, ...fonts, search: search.states() } };
  },
};

function browserFacts(browser: Services["browser"]): Output<typeof response>["browser"] {
  return browser === undefined ? null : { name: browser.name, version: browser.version, sandboxed: browser.sandboxed };
}
