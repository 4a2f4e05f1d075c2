import { type ExtractionTask } from "../extraction/tree/extraction.ts";
import { sectionedText } from "../extraction/plain-text.ts";
import { PageReader, type PageReaderDeps, type ReadPage } from "../page-reader/page-reader.ts";
import { type PageRequest } from "../page/page.ts";
import { robotsDirectives } from "../sites/robots-directives.ts";
import { type SearchService } from "./search-service.ts";

const KINDS: ReadonlySet<ExtractionTask["kind"]> = new Set(["markdown", "text", "article"]);

/** Reads pages and passes them to the search index. The index keeps them if the operator has enabled that. */
export class RememberingReader extends PageReader {
  readonly #remember: SearchService["remember"];

  constructor(deps: PageReaderDeps, remember: SearchService["remember"]) {
    super(deps);
    this.#remember = remember;
  }

  override async read(request: PageRequest, task: ExtractionTask): Promise<ReadPage> {
    const read = await super.read(request, task);
    if ((request.session ?? request.own ?? request.steps) !== undefined) return read;
    const { extraction, source } = read;
    const url = URL.parse(source.finalUrl);
    const field = source.headers.filter(([name]) => name.toLowerCase() === "x-robots-tag").map(([, value]) => value);
    const whole = source.complete && (source.statusCode ?? 200) === 200 && extraction.content !== "";
    if (KINDS.has(task.kind) && whole && url !== null && !robotsDirectives("", field).noindex) {
      url.hash = "";
      url.username = "";
      url.password = "";
      const text = task.kind === "text" ? extraction.content : sectionedText(extraction.content);
      const { title, language, published } = extraction;
      this.#remember({ url: url.href, title, text, language, published });
    }
    return read;
  }
}
