import { parsedJson } from "../../lib/parsed-json.ts";
import type * as z from "zod";
import { type ContentOptions } from "../../content/content-options.ts";
import { type OwnProxy, proxyOf } from "../../content/egress/own-proxy.ts";
import { type ModelOptions } from "../../content/resolve/model/model-options.ts";
import { contentBrowser } from "../../gateway/config/schema/content-browser.ts";
import { contentBrowsers } from "../../gateway/config/schema/content-browsers.ts";
import { contentFiles } from "../../gateway/config/schema/content-files.ts";
import { contentJobs } from "../../gateway/config/schema/content-jobs.ts";
import { contentPageCache } from "../../gateway/config/schema/content-page-cache.ts";
import { contentProxies } from "../../gateway/config/schema/content-proxies.ts";
import { contentResolve } from "../../gateway/config/schema/content-resolve.ts";
import { contentSearch } from "../../gateway/config/schema/content-search.ts";
import { messageOf } from "../../lib/caught.ts";
import { openConfiguredJobs, openConfiguredPages } from "../../store/open/configured-store.ts";
import { type PageStore, type PageStoreOptions } from "../../store/page-store.ts";
import { StartError } from "../common/start-error.ts";
import { remoteBrowserOf } from "./browser-options.ts";

/** The command of the first process of a cell. */
const CELL_COMMAND = "browser-cell";
const MB = 1024 * 1024;

type Environment = Readonly<Record<string, string | undefined>>;
type JsonFlag = "browser" | "browsers" | "proxies" | "page-cache" | "files" | "jobs" | "search" | "resolve";

/**
 * Turns the parts of `content` that the flags of these names have as JSON into options of the content service. Keys and
 * URLs with secrets are from the environment. Throws StartError, never with a secret.
 */
export function configuredOptions(json: Readonly<Record<JsonFlag, string>>, environment: Environment) {
  const part = <T>(flag: JsonFlag, schema: z.ZodType<T>): T => parsed(`--${flag}`, json[flag], schema);
  const { postgres, ...jobs } = part("jobs", contentJobs);
  const live = part("browsers", contentBrowsers);
  const { model } = part("resolve", contentResolve);
  // Extractors are data of clients, as jobs and sessions are, and in the same database.
  const openWith =
    (connections: number) =>
    (store: PageStoreOptions): PageStore => {
      const pages = opened(() => openConfiguredPages({ ...postgres, pool_size: connections }, store));
      if (pages === undefined) throw new StartError("Cannot share pages: content.jobs.postgres has no url");
      return pages;
    };
  const cache = part("page-cache", contentPageCache);
  const command = [process.execPath, Bun.main, CELL_COMMAND];
  return {
    remoteBrowser: remoteBrowserOf(part("browser", contentBrowser), environment),
    live: live.enabled ? { max: live.max, maxMinutes: live.max_minutes, command } : undefined,
    proxies: proxiesOf(part("proxies", contentProxies), environment),
    pageCache: {
      maxBytes: cache.max_mb * MB,
      versionBytes: cache.versions_mb * MB,
      hitPrice: cache.hit_price_percent,
      ...(cache.shared ? { open: openWith(postgres.pool_size) } : {}),
    },
    ...(postgres.url === "" ? {} : { openExtractors: openWith(1) }),
    files: filesOf(part("files", contentFiles)),
    jobs: {
      maxRunMs: jobs.max_run_s * 1000,
      keptMs: jobs.results_ttl_s * 1000,
      hostIntervalMs: jobs.host_interval_ms,
      maxJobBytes: jobs.max_job_mb * MB,
      maxBytes: jobs.max_mb * MB,
    },
    jobStore: opened(() => openConfiguredJobs(postgres)),
    search: searchOf(part("search", contentSearch), environment),
    model: model === undefined ? undefined : modelOf(model, environment),
  } satisfies Partial<ContentOptions>;
}

function parsed<T>(flag: string, json: string, schema: z.ZodType<T>): T {
  const value = parsedJson(json);
  if (value === undefined) throw new StartError(`Cannot use ${flag}: it is not JSON`);
  const { data, error } = schema.safeParse(value);
  if (error === undefined) return data;
  const [issue] = error.issues;
  const what = issue?.code === "invalid_type" ? `must be of type ${issue.expected}` : (issue?.message ?? "");
  throw new StartError(`Cannot use ${flag}: ${issue?.path.join(".") || "it"} ${what}`);
}

function opened<T>(open: () => T): T {
  try {
    return open();
  } catch (error) {
    throw new StartError(messageOf(error));
  }
}

/** The proxies of `content.proxies` by their names. Throws StartError, never with a URL: it may be secret. @internal */
export function proxiesOf(
  listed: z.output<typeof contentProxies>,
  environment: Environment,
): ReadonlyMap<string, OwnProxy> {
  return new Map(
    listed.map(({ name, url_env: variable }) => {
      const proxy = proxyOf(environment[variable]?.trim() ?? "", true);
      if (proxy !== undefined) return [name, proxy] as const;
      throw new StartError(`content.proxies "${name}": the value of ${variable} is not an http:// or socks5:// URL`);
    }),
  );
}

function filesOf({ max_upload_mb, ocr }: z.output<typeof contentFiles>): NonNullable<ContentOptions["files"]> {
  const { enabled, languages, max_pages: maxPages, timeout_s, max_megapixels, concurrency, text_price_percent } = ocr;
  const reading = { languages, maxPages, timeoutMs: timeout_s * 1000, maxPixels: max_megapixels * 1e6, concurrency };
  return { maxUploadBytes: max_upload_mb * MB, textPrice: text_price_percent, ...(enabled ? { ocr: reading } : {}) };
}

function searchOf(
  config: z.output<typeof contentSearch>,
  environment: Environment,
): NonNullable<ContentOptions["search"]> {
  return {
    providers: config.providers,
    searxngUrl: config.searxng_url,
    braveKey: config.brave_key_env === "" ? "" : (environment[config.brave_key_env] ?? "").trim(),
    parallel: config.parallel,
    providerTimeoutMs: config.provider_timeout_ms,
    cacheMs: config.cache_ttl_s * 1000,
    userAgent: config.user_agent,
    indexFetched: config.index_fetched,
    indexMaxBytes: config.index_max_mb * MB,
  };
}

type ModelConfig = NonNullable<z.output<typeof contentResolve>["model"]>;

function modelOf(model: ModelConfig, environment: Environment): ModelOptions {
  const key = model.key_env === "" ? "" : (environment[model.key_env] ?? "").trim();
  if (model.key_env !== "" && !/^[\x21-\x7e]+$/.test(key)) {
    throw new StartError(
      `Cannot use the language model: the environment variable ${model.key_env} (content.resolve.model.key_env) is not set, or is not a key`,
    );
  }
  return {
    protocol: model.protocol,
    baseUrl: model.base_url,
    model: model.model,
    key,
    responseFormat: model.response_format,
    tokensField: model.tokens_field,
    maxInputTokens: model.max_input_tokens,
    maxOutputTokens: model.max_output_tokens,
    maxTokensPerQuestion: model.max_tokens_per_question,
    maxTokensPerDay: model.max_tokens_per_day,
    timeoutMs: model.timeout_ms,
    fallback: model.fallback,
  };
}
