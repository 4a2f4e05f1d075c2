import { type CdpFields } from "../browser/program/cdp.ts";

/** The decision on a call: it is passed on, perhaps with other parameters, or its response is an error. */
export type Verdict = { readonly params: CdpFields } | { readonly error: string };

/** Domains that concern the pages of one browser, and nothing of the machine. */
const DOMAINS = new Set([
  ..."Accessibility Animation Audits CacheStorage CSS Debugger DOM DOMDebugger DOMSnapshot DOMStorage Emulation".split(
    " ",
  ),
  ..."EventBreakpoints Fetch HeapProfiler IndexedDB Input Inspector LayerTree Log Media Network Overlay Page".split(
    " ",
  ),
  ..."Performance PerformanceTimeline Preload Profiler Runtime Schema Security ServiceWorker Storage WebAudio WebMCP".split(
    " ",
  ),
]);

/** Calls of those domains that name files of the machine, make requests apart from a page, or raise a limit. */
const DENIED = new Set([
  ..."DOM.setFileInputFiles DOM.getFileInfo Network.loadNetworkResource Page.handleFileChooser".split(" "),
  ..."Page.addCompilationCache Page.produceCompilationCache Storage.overrideQuotaForOrigin".split(" "),
]);

/** Calls of other domains. */
const OTHERS = new Set([
  ..."Browser.getVersion Browser.getWindowForTarget Browser.getWindowBounds Browser.setWindowBounds".split(" "),
  ..."Browser.grantPermissions Browser.resetPermissions Browser.setPermission Browser.cancelDownload IO.read IO.close".split(
    " ",
  ),
  ..."Target.activateTarget Target.attachToBrowserTarget Target.attachToTarget Target.autoAttachRelated".split(" "),
  ..."Target.closeTarget Target.createBrowserContext Target.createTarget Target.detachFromTarget".split(" "),
  ..."Target.disposeBrowserContext Target.getBrowserContexts Target.getTargetInfo Target.getTargets".split(" "),
  ..."Target.setAutoAttach Target.setDiscoverTargets".split(" "),
]);

/** Calls that attach to targets. Without `flatten`, the messages of a session would be texts within messages. */
const FLAT = new Set(["Target.attachToTarget", "Target.autoAttachRelated", "Target.setAutoAttach"]);

/** Calls with an address that a page is to show or a request is to go to. */
const ADDRESSED = new Set([
  "Fetch.continueRequest",
  "Network.continueInterceptedRequest",
  "Page.navigate",
  "Target.createTarget",
]);
const ADDRESS = /^(?:https?:|data:|about:blank(?:[?#]|$)|$)/i;

/** Parameters of new browser contexts that would go around the rules of egress, or of origins. */
const CONTEXT = ["proxyServer", "proxyBypassList", "originsWithUniversalNetworkAccess"];

/** Decides on a call of a client. The wall is the cell: this list only refuses calls that a client does not need. */
export function verdictOn(method: string, params: CdpFields): Verdict {
  // Clients set a folder for downloads in each context. A browser for clients has no downloads.
  if (method === "Browser.setDownloadBehavior" || method === "Page.setDownloadBehavior") {
    const { downloadPath: _, ...rest } = params;
    return { params: { ...rest, behavior: "deny" } };
  }
  const domain = method.split(".", 1)[0] ?? "";
  if (!(OTHERS.has(method) || (DOMAINS.has(domain) && !DENIED.has(method))))
    return { error: `${method} is not allowed` };
  const isEnd = method === "Target.setAutoAttach" && params["autoAttach"] === false;
  if (FLAT.has(method) && !isEnd && params["flatten"] !== true) return { error: `${method} needs flatten` };
  if (method === "Input.dispatchDragEvent" && hasFiles(params["data"])) return { error: `${method} takes no files` };
  const { url } = params;
  if (ADDRESSED.has(method) && url !== undefined && !(typeof url === "string" && ADDRESS.test(url.trim())))
    return { error: `${method} takes only addresses of http, https and data, and about:blank` };
  const name = method === "Target.createBrowserContext" ? CONTEXT.find((one) => params[one] !== undefined) : undefined;
  return name === undefined ? { params } : { error: `${method} takes no ${name}` };
}

/** Whether files of the machine are dragged: the page on which they are dropped can read them. */
function hasFiles(data: unknown): boolean {
  if (typeof data !== "object" || data === null || !("files" in data)) return false;
  return !(Array.isArray(data.files) && data.files.length === 0);
}
