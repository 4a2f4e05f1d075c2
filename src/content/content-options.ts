import { type Log } from "./browser/program/browser-opener.ts";
import { type RemoteSettings } from "./browser/remote/remote-browser.ts";
import { type OcrOptions } from "./ocr/ocr.ts";
import { type ModelFigures } from "./figures/model-figures.ts";
import { type JobSettings } from "./jobs/job-settings.ts";
import { type PageStore, type PageStoreOptions } from "../store/page-store.ts";
import { type JobStore } from "../store/jobs/job-store.ts";
import { type ContentAddress, type Protection } from "./listen.ts";
import { type LiveSettings } from "./live/live-browsers.ts";
import { type McpHttpOptions } from "./mcp/mcp-http.ts";
import { type LearnedTemplate } from "../store/template-store.ts";
import { type OwnProxy } from "./egress/own-proxy.ts";
import { type ModelOptions } from "./resolve/model/model-options.ts";
import { type AiUse } from "./page/ai-terms.ts";
import { type SearchOptions } from "./search/search-service.ts";

export interface ContentOptions {
  readonly listen: ContentAddress;
  /** Absent: no token and no TLS. */
  readonly protection?: Protection;
  /** The folder in which the browser is unpacked and has its profiles. */
  readonly stateDir: string;
  /** Allows pages on private and loopback addresses and on any port. */
  readonly allowPrivate: boolean;
  readonly browserPath?: string;
  /** A browser that others run, which is used in place of one of this machine. */
  readonly remoteBrowser?: RemoteSettings | undefined;
  /** Tells the gateway to charge for a page that used up its visit's time itself. */
  readonly chargeTimeouts?: boolean;
  /** Absent options are as in SEARCH_DEFAULTS. */
  readonly search?: Partial<SearchOptions>;
  /**
   * The pages that callers share: bytes of all, and the percentage of the price for one; and the bytes of the versions
   * that are compared. Default: off.
   */
  readonly pageCache?: {
    readonly maxBytes: number;
    readonly hitPrice: number;
    readonly versionBytes?: number;
    /** Opens the stores of both, if other machines share them. Default: files of the state folder. */
    readonly open?: ((options: PageStoreOptions) => PageStore) | undefined;
  };
  /** Opens the store of learned extractors, if other machines share it. Default: a file of the state folder. */
  readonly openExtractors?: ((options: PageStoreOptions) => PageStore) | undefined;
  /** Default: as in FILE_DEFAULTS, without OCR. */
  readonly files?: FileOptions;
  /** Browsers that are sold by the minute, and the command that runs the first process of their cells. Undefined: none is sold. */
  readonly live?: (LiveSettings & { readonly command: readonly string[] }) | undefined;
  /** Serves Firecrawl's API too. */
  readonly firecrawl?: boolean;
  /** Serves the documents by which programs find the service. Default: true. */
  readonly discovery?: boolean;
  /** Absent bounds are as in JOB_DEFAULTS. */
  readonly jobs?: Partial<JobSettings>;
  /** The jobs that the services of a fleet share. Undefined: they are in a file of the state folder. */
  readonly jobStore?: JobStore | undefined;
  /** Uses that are made of pages: a page whose site denies one of them is refused. Default: none. */
  readonly aiUses?: readonly AiUse[];
  /** Proxies that callers may choose by these names. */
  readonly proxies?: ReadonlyMap<string, OwnProxy>;
  /** The language model that reads sources for /resolve. Undefined: the embedded analyst reads them. */
  readonly model?: ModelOptions | undefined;
  /** Serves MCP at /mcp too, by calls to this gateway. */
  readonly mcp?: Pick<McpHttpOptions, "gatewayUrl" | "hosts"> | undefined;
  /** Called at the start and when a call of the language model has ended. Never throws. */
  readonly onModelUsed?: (figures: ModelFigures) => void;
  /** Called with what the service learns of a template of pages. Never throws. */
  readonly onCompared?: (template: LearnedTemplate) => void;
  readonly log: Log;
}

/** Bytes of an upload, the percentage of the price of `/parse` without OCR, and OCR if there is any. */
export interface FileOptions {
  readonly maxUploadBytes: number;
  readonly textPrice: number;
  readonly ocr?: OcrOptions;
}
