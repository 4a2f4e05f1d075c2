import { strictObject } from "../../lib/schema.ts";
import { needsValue } from "./field-rules.ts";
import { CAPTURE_HEADERS, captureResponse, notShown, shownRequest } from "./capture-response.ts";
import { type OperationResult, postOperation } from "./operation.ts";
import { DEFAULT_QUALITY, pictureParameters } from "./picture-parameters.ts";
import { PAGE_FAILURES, pageParameters, pageRequest, PAGE_RULES, SHOWN_RULE } from "./page-parameters.ts";
import { SESSION_FAILURES, sessionParameters, SESSION_RULES } from "./session-parameters.ts";

const body = strictObject({
  ...pageParameters,
  ...sessionParameters,
  ...pictureParameters,
}).openapi("ScreenshotRequest");

export const screenshot = postOperation(
  {
    name: "screenshot",
    path: "/screenshot",
    price: "$0.01",
    summary: "Take a picture of a page",
    description:
      "Loads the page in a browser and takes a picture of exactly `width` by `height` pixels, or of the whole page with " +
      "`full_page`. `selector` only delays the picture until its element exists. A page behind a bot challenge or a " +
      "consent wall is an error, and so is an empty page. Header fields of the response have the page's final address " +
      "and its engine.",
    body,
    rules: [...PAGE_RULES, ...SESSION_RULES, SHOWN_RULE, needsValue("quality", "format", "jpeg", "webp")],
    example: { url: "https://example.com/", format: "png", full_page: true },
    success: {
      description: "The picture",
      contentType: "image/png",
      file: "screenshot",
      otherTypes: ["image/jpeg", "image/webp"],
      headers: CAPTURE_HEADERS,
    },
    failures: [...PAGE_FAILURES, ...SESSION_FAILURES],
  },
  async (input, { pages }, { signal, elapsedMs }): Promise<OperationResult> => {
    const { format, full_page: fullPage, width, height, quality } = input;
    const request = { ...shownRequest(pageRequest(input, signal)), window: { width, height, fullPage } };
    return await pages.show(
      request,
      async (page, source) => {
        const picture = { format, quality: quality ?? DEFAULT_QUALITY, fullPage, width, height };
        const { bytes, truncated } = await page.picture(picture);
        return captureResponse({ bytes, contentType: `image/${format}`, source, truncated }, elapsedMs());
      },
      (source) => {
        throw notShown(source);
      },
    );
  },
);
