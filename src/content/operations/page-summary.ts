import { messageOf } from "../../lib/caught.ts";
import { type PageRequest } from "../page/page.ts";
import { type ReadPage } from "../page-reader/page-reader.ts";
import { type Services } from "./operation.ts";

/**
 * The page with a summary by the language model, if its task asks for one and the service has a model. If the model fails, the
 * summary remains the sentences of the page.
 */
export async function withSummary(
  page: ReadPage,
  { signal = new AbortController().signal, timeoutMs }: Pick<PageRequest, "signal" | "timeoutMs">,
  { resolver: { summaryModel }, log }: Pick<Services, "resolver" | "log">,
): Promise<ReadPage> {
  const { extraction, source } = page;
  const { summaryText: text = "" } = extraction.forms ?? {};
  if (extraction.forms === undefined || text === "" || summaryModel === undefined) return page;
  const question = { url: source.finalUrl, title: extraction.title, text };
  try {
    const summary = await summaryModel.summarise(question, AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]));
    return { ...page, extraction: { ...extraction, forms: { ...extraction.forms, summary, summaryBy: "model" } } };
  } catch (error) {
    signal.throwIfAborted();
    log("warn", `Cannot ask the language model for a summary: ${messageOf(error)}`);
    return page;
  }
}
