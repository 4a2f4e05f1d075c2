import { number, type Output, strictObject } from "../../lib/schema.ts";
import { TurnpikeError } from "../../lib/errors.ts";
import { MAX_CAPTURE_BYTES, type PrintRequest } from "../page/capture.ts";
import { type PageSource } from "../page/page.ts";
import { CAPTURE_HEADERS, captureResponse, notShown, shownRequest } from "./capture-response.ts";
import { type OperationResult, invalidParameters, postOperation } from "./operation.ts";
import { PAGE_FAILURES, pageParameters, pageRequest, PAGE_RULES, SHOWN_RULE } from "./page-parameters.ts";
import { SESSION_FAILURES, sessionParameters, SESSION_RULES } from "./session-parameters.ts";
import { flag } from "./text.ts";

/**
 * Inches of the paper, and inches that margins must leave. PDF readers support no page above 200 inches (ISO 32000-1,
 * Annex C).
 */
const MIN_PAPER = 0.5;
const MAX_PAPER = 200;
const MIN_PRINTED = 0.5;
const MAX_MARGIN = 100;
const DEFAULT_MARGIN = 0.4;

const paper = number().min(MIN_PAPER).max(MAX_PAPER);

function margin(side: string) {
  return number().min(0).max(MAX_MARGIN).optional().describe(`${side} margin in inches; ${DEFAULT_MARGIN} by default`);
}

const body = strictObject({
  ...pageParameters,
  ...sessionParameters,
  landscape: flag().describe("Landscape orientation"),
  print_background: flag(true).describe("Print background colours and images"),
  scale: number().min(0.1).max(2).default(1).describe("Render scale"),
  paper_width: paper.default(8.5).describe("Paper width in inches"),
  paper_height: paper.default(11).describe("Paper height in inches"),
  margin_top: margin("Top"),
  margin_bottom: margin("Bottom"),
  margin_left: margin("Left"),
  margin_right: margin("Right"),
}).openapi("PdfRequest");

type Input = Output<typeof body>;

/** The print that a request without parameters gets. */
export function defaultPrint(): PrintRequest {
  return printRequest(body.parse({ url: "https://site.invalid/" }));
}

export const pdf = postOperation(
  {
    name: "pdf",
    path: "/pdf",
    price: "$0.01",
    summary: "Print a page as a PDF document",
    description:
      "Loads the page in a browser and prints it. A URL that is a PDF document itself is passed through unchanged. A " +
      "page behind a bot challenge or a consent wall is an error, and so is an empty page. Header fields of the response " +
      "have the page's final address and its engine.",
    body,
    rules: [...PAGE_RULES, ...SESSION_RULES, SHOWN_RULE],
    example: { url: "https://example.com/", paper_width: 8.27, paper_height: 11.69 },
    success: { description: "The document", contentType: "application/pdf", file: "page", headers: CAPTURE_HEADERS },
    failures: [...PAGE_FAILURES, ...SESSION_FAILURES],
  },
  async (input, { pages }, { signal, elapsedMs }): Promise<OperationResult> => {
    const print = printRequest(input);
    const contentType = "application/pdf";
    return await pages.show(
      shownRequest(pageRequest(input, signal)),
      async (page, source) => {
        const bytes = await page.print(print);
        return captureResponse({ bytes, contentType, source, truncated: false }, elapsedMs());
      },
      (source) => {
        const bytes = documentOf(source);
        return captureResponse({ bytes, contentType, source, truncated: false }, elapsedMs());
      },
    );
  },
);

function printRequest(input: Input): PrintRequest {
  const print = {
    landscape: input.landscape,
    printBackground: input.print_background,
    scale: input.scale,
    paperWidth: input.paper_width,
    paperHeight: input.paper_height,
    marginTop: input.margin_top ?? DEFAULT_MARGIN,
    marginBottom: input.margin_bottom ?? DEFAULT_MARGIN,
    marginLeft: input.margin_left ?? DEFAULT_MARGIN,
    marginRight: input.margin_right ?? DEFAULT_MARGIN,
  };
  const [width, height] = input.landscape
    ? [print.paperHeight, print.paperWidth]
    : [print.paperWidth, print.paperHeight];
  assertRoom(width - print.marginLeft - print.marginRight, ["margin_left", "margin_right"], input);
  assertRoom(height - print.marginTop - print.marginBottom, ["margin_top", "margin_bottom"], input);
  return print;
}

/** Names the margins that the caller gave, or the paper if the caller gave none. */
function assertRoom(inches: number, margins: readonly (keyof Input)[], input: Input): void {
  if (inches >= MIN_PRINTED) return;
  const given = margins.filter((name) => input[name] !== undefined);
  const along = margins.includes("margin_left") === input.landscape ? "paper_height" : "paper_width";
  const message = `must leave at least ${MIN_PRINTED} inches to print on`;
  throw invalidParameters((given.length > 0 ? given : [along]).map((path) => ({ path, message })));
}

/** The bytes of a document that is already a PDF. */
export function documentOf(source: PageSource): Uint8Array<ArrayBuffer> {
  const { body: bytes } = source;
  // Readers search for the marker in the first kilobyte.
  const isPdf = typeof bytes !== "string" && Buffer.from(bytes.subarray(0, 1024)).includes("%PDF-");
  if (!isPdf) throw notShown(source);
  if (bytes.length > MAX_CAPTURE_BYTES) {
    throw new TurnpikeError("page-failed", `Cannot pass the document on: it has more than ${MAX_CAPTURE_BYTES} bytes`);
  }
  return bytes;
}
