import {
  array,
  discriminatedUnion,
  literal,
  number,
  object,
  oneOf,
  type Output,
  strictObject,
  string,
} from "../../lib/schema.ts";
import { type PageAction } from "../page/action.ts";
import { type PageRequest } from "../page/page.ts";
import { type ReadAction } from "../page-reader/page-reader.ts";
import { excludes, type FieldRule, members, needs, required, when } from "./field-rules.ts";
import { invalidParameters } from "./operation.ts";
import { DEFAULT_QUALITY, pictureParameters } from "./picture-parameters.ts";
import { text, flag, whole } from "./text.ts";

/** Steps of a request, those that take the page's content, and seconds of all waits for a time. */
const MAX_ACTIONS = 50;
const MAX_SCRAPES = 10;
const MAX_WAIT_MS = 60_000;
/** Seconds of one step. */
const MAX_STEP_S = 60;
const DEFAULT_STEP_S = 10;
/** Characters of a selector, of a text and of a script; values of a list. */
const MAX_SELECTOR_LENGTH = 2_000;
const MAX_TEXT_LENGTH = 10_000;
const MAX_SCRIPT_LENGTH = 100_000;
const MAX_KEY_LENGTH = 50;
const MAX_VALUES = 50;
const MAX_SCROLLS = 200;
/** Clicks in one place: a triple click selects a paragraph. */
const MAX_CLICKS = 3;

const selector = text(MAX_SELECTOR_LENGTH, 1);
const timeout = { timeout: number().min(0.1).max(MAX_STEP_S).default(DEFAULT_STEP_S) };

const { width: _width, height: _height, ...stepPicture } = pictureParameters;

const action = discriminatedUnion("type", [
  strictObject({
    type: literal("click"),
    selector,
    all: flag().describe("Each element that matches, up to 20"),
    button: oneOf(["left", "right", "middle"]).default("left"),
    clicks: whole(1, MAX_CLICKS).default(1),
    ...timeout,
  }).openapi("ClickAction"),
  strictObject({ type: literal("hover"), selector, ...timeout }).openapi("HoverAction"),
  strictObject({ type: literal("fill"), selector, text: text(MAX_TEXT_LENGTH), ...timeout }).openapi("FillAction"),
  strictObject({ type: literal("write"), text: text(MAX_TEXT_LENGTH), ...timeout }).openapi("WriteAction"),
  strictObject({ type: literal("press"), key: text(MAX_KEY_LENGTH, 1), ...timeout }).openapi("PressAction"),
  strictObject({
    type: literal("select"),
    selector,
    values: array(text(MAX_TEXT_LENGTH)).min(1).max(MAX_VALUES).describe("Values or texts of options"),
    ...timeout,
  }).openapi("SelectAction"),
  strictObject({
    type: literal("scroll"),
    selector: selector.optional().describe("Element that is scrolled; by default the page"),
    direction: oneOf(["down", "up"]).default("down"),
    times: whole(1, MAX_SCROLLS).optional().describe("Windows; by default to the end, also of a list that grows"),
    ...timeout,
  }).openapi("ScrollAction"),
  strictObject({
    type: literal("wait"),
    milliseconds: whole(0, MAX_WAIT_MS).optional().describe("Not counted in the timeouts"),
    selector: selector.optional(),
    state: oneOf(["visible", "attached", "gone"]).optional(),
    text: text(MAX_TEXT_LENGTH, 1).optional(),
    quiet: literal(true).optional().describe("Until no request was in progress for half a second"),
    ...timeout,
  }).openapi("WaitAction"),
  strictObject({ type: literal("screenshot"), ...stepPicture, ...timeout }).openapi("ScreenshotAction"),
  strictObject({ type: literal("scrape"), ...timeout }).openapi("ScrapeAction"),
  strictObject({ type: literal("evaluate"), script: text(MAX_SCRIPT_LENGTH, 1), ...timeout }).openapi("EvaluateAction"),
]);

type Action = Output<typeof action>;

export const actionParameters = {
  actions: array(action)
    .min(1)
    .max(MAX_ACTIONS)
    .optional()
    .openapi({
      description: "Steps in a browser before the page is read; each has a timeout in seconds",
      example: [
        { type: "click", selector: "#more" },
        { type: "wait", selector: ".item" },
      ],
    }),
  action_screenshot: flag().describe("Add a picture of the page to the error of a step"),
};

const ENDS = ["milliseconds", "selector", "text", "quiet"];

export const ACTION_RULES: readonly FieldRule[] = [
  members({
    actions: {
      contains: required("type", { const: "scrape" }),
      minContains: 0,
      maxContains: MAX_SCRAPES,
      items: when("type", "wait", {
        anyOf: ENDS.map((end) => ({ required: [end] })),
        allOf: [
          ...ENDS.map((end) => excludes(end, ...ENDS.filter((other) => other !== end))),
          needs("state", "selector"),
        ],
      }),
    },
  }),
];

const actionResult = object({
  type: string(),
  url: string().describe("Address of the page after the step"),
  title: string(),
  value: string().optional().describe("Result of a script, as text or JSON"),
  content: string().optional().describe("The page at that time as Markdown"),
  height: number().optional().describe("Pixels of the page after a scroll"),
  screenshot: object({ content_type: string(), base64: string() }).optional(),
  dialogs: array(object({ type: string(), message: string() }))
    .readonly()
    .optional()
    .describe("Dialogs, which were dismissed"),
  windows: array(string()).readonly().optional().describe("Windows that the page wanted to open; none is opened"),
}).openapi("ActionResult", { description: "What a step has made" });

/** The results of steps in a response. */
export const actionsSchema = array(actionResult)
  .readonly()
  .optional()
  .describe("What each step has made, in their order");

/** The member `actions` of a response. */
export function actionsPart(acted: readonly ReadAction[] | undefined): { actions?: Output<typeof actionsSchema> } {
  if (acted === undefined || acted.length === 0) return {};
  const actions = acted.map(({ picture, html: _html, ...result }) => ({
    ...result,
    ...(picture === undefined
      ? {}
      : { screenshot: { content_type: picture.contentType, base64: Buffer.from(picture.bytes).toString("base64") } }),
  }));
  return { actions };
}

/** The steps of a request. Throws `invalid-parameters` if they are too many together. */
export function stepsOf({
  actions,
  action_screenshot: pictureOfFailure,
}: {
  readonly actions?: readonly Action[] | undefined;
  readonly action_screenshot: boolean;
}): PageRequest["steps"] {
  if (actions === undefined) return undefined;
  const waits = actions.reduce((sum, one) => sum + (one.type === "wait" ? (one.milliseconds ?? 0) : 0), 0);
  if (waits > MAX_WAIT_MS) {
    const message = `must wait for at most ${MAX_WAIT_MS} milliseconds together`;
    throw invalidParameters([{ path: "actions", message }]);
  }
  return { actions: actions.map(stepOf), pictureOfFailure };
}

function stepOf(given: Action): PageAction {
  const timeoutMs = given.timeout * 1000;
  switch (given.type) {
    case "wait":
      return awaited(given);
    case "scroll":
      return { type: "scroll", timeoutMs, selector: given.selector, direction: given.direction, times: given.times };
    case "screenshot": {
      const { format, quality = DEFAULT_QUALITY, full_page: fullPage } = given;
      return { type: "screenshot", timeoutMs, picture: { format, quality, fullPage, ...WINDOW } };
    }
    case "click":
    case "evaluate":
    case "fill":
    case "hover":
    case "press":
    case "scrape":
    case "select":
    case "write": {
      const { timeout: _timeout, ...step } = given;
      return { ...step, timeoutMs };
    }
    default:
      throw new Error(`Unknown step '${String(given satisfies never)}'`);
  }
}

/** The window of a step's picture, if the request has no viewport. */
const WINDOW = { width: 1280, height: 720 };

type Awaited = PageAction & { readonly type: "wait" };

function awaited({
  milliseconds: ms,
  selector: wanted,
  state = "visible",
  text: words,
  timeout: seconds,
}: Extract<Action, { type: "wait" }>): Awaited {
  const timeoutMs = seconds * 1000;
  if (ms !== undefined) return { type: "wait", timeoutMs: ms + timeoutMs, ms };
  if (words !== undefined) return { type: "wait", timeoutMs, text: words };
  if (wanted === undefined) return { type: "wait", timeoutMs, quiet: true };
  return { type: "wait", timeoutMs, selector: wanted, state };
}
