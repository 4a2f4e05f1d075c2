import { TurnpikeError } from "../../lib/errors.ts";
import { readBrand } from "./capture/brand.ts";
import { takePicture } from "./capture/picture.ts";
import { printPage } from "./capture/print.ts";
import { type CaptureHost } from "./capture/show-all.ts";
import { CdpError, type CdpFields } from "./program/cdp.ts";
import { type FetchedResponse, type OpenPage, type PageSource, type SnapshotOptions } from "../page/page.ts";
import { findClosedRoots } from "./closed-roots.ts";
import { type ContentWait, contentWaitScript } from "./content-wait.ts";
import { glimpseScript, readScript, sourceOf } from "./snapshot.ts";

/** Maximum number of characters of an error that a script threw. */
const MAX_REASON_LENGTH = 300;

/** Milliseconds before a script runs again, after a new document removed its script context. */
const RETRY_MS = 50;

export interface ScriptHost extends Omit<CaptureHost, "run"> {
  frame(): string;
  /** The document that was fetched for the tab, if the tab shows it at this address. */
  shown(url: string): FetchedResponse | undefined;
  /** The service's script context in the present document; undefined until it exists. */
  world: unknown;
}

/** A loaded page that can also wait for elements. */
export interface ScriptedPage extends Omit<OpenPage, "acted"> {
  /** Runs a script of the service in its own world. */
  run(expression: string): Promise<unknown>;
  /** Throws `invalid-parameters` if the selector is not valid. */
  assertSelector(selector: string): Promise<void>;
  waitFor(selector: string): Promise<void>;
  /**
   * Waits, for a limited time, while the page shows nothing. True if places of the page still show nothing, such as the rows of
   * a table.
   */
  waitForContent(wait: ContentWait): Promise<boolean>;
  /** True if the document has scripts, and more than the window shows. */
  mayShowMore(): Promise<boolean>;
  /** True if the page has an object of one of these classes of the browser. */
  hasObjects(classes: readonly string[]): Promise<boolean>;
  /** True if a part of the document has not arrived. The result comes after all earlier events. */
  isPartial(): Promise<boolean>;
}

/** A document that a script opened again also has the state "loading", but its response has an end. */
const IS_PARTIAL = `document.readyState === "loading" &&
  performance.getEntriesByType("navigation")[0]?.responseEnd === 0`;

const MAY_SHOW_MORE = "document.scripts.length > 0 && (document.scrollingElement?.scrollHeight ?? 0) > innerHeight";

/**
 * Checks at each change. It also checks a few times a second, because styles and properties can change without a
 * mutation.
 */
function waitScript(selector: string): string {
  return `new Promise((resolve) => {
    const found = () => {
      if (document.querySelector(${JSON.stringify(selector)}) === null) return;
      observer.disconnect();
      clearInterval(timer);
      resolve(true);
    };
    const observer = new MutationObserver(found);
    observer.observe(document, { childList: true, subtree: true, attributes: true, characterData: true });
    const timer = setInterval(found, 200);
    found();
  })`;
}

/**
 * The document of a tab. Scripts run in a separate script context ("isolated world"), which the page's scripts cannot
 * change.
 */
export function pageOf(tab: Omit<ScriptHost, "world">): ScriptedPage {
  const host: ScriptHost = { ...tab, world: undefined };
  const captured = {
    call: tab.call,
    deadline: tab.deadline,
    received: tab.received,
    run: (expression: string) => inOwnWorld(host, expression),
  };
  return {
    run: captured.run,
    mayShowMore: async () => (await inOwnWorld(host, MAY_SHOW_MORE)) === true,
    hasObjects: (classes) => hasObjects(host, classes),
    isPartial: async () => (await inOwnWorld(host, IS_PARTIAL)) === true,
    snapshot: (options = {}) => snapshot(host, options),
    glimpse: async (condition) => {
      // The script returns an object or null.
      const read = (await inOwnWorld(host, glimpseScript(condition))) as CdpFields | null;
      return read === null ? undefined : sourceOf(read, {}, (url) => host.shown(url));
    },
    evaluate: (expression) => evaluate(host, expression),
    picture: (request) => takePicture(captured, request),
    print: (request) => printPage(captured, request),
    brand: () => readBrand(captured.run),
    assertSelector: (selector) => assertSelector(host, selector),
    async waitFor(selector) {
      await inOwnWorld(host, waitScript(selector));
    },
    async waitForContent(wait) {
      return (await inOwnWorld(host, contentWaitScript(wait))) === true;
    },
  };
}

async function snapshot(host: ScriptHost, options: SnapshotOptions): Promise<PageSource> {
  // Creates the script context that stores the closed shadow trees.
  await inOwnWorld(host, "0");
  await findClosedRoots(host).catch((error: unknown) => {
    // Another document replaced this one, or the element is gone, so its tree cannot be read.
    if (!(error instanceof CdpError)) throw error;
  });
  // The script returns an object for every page.
  const read = (await inOwnWorld(host, readScript(options))) as CdpFields;
  return sourceOf(read, options.mark ?? {}, (url) => host.shown(url));
}

/** Asks the browser's heap, since scripts of the page hold the objects. */
async function hasObjects(host: ScriptHost, classes: readonly string[]): Promise<boolean> {
  const objectGroup = "turnpike-objects";
  const call: ScriptHost["call"] = (method, params) => host.call(method, params);
  try {
    for (const name of classes) {
      const prototype = await call("Runtime.evaluate", { expression: `${name}.prototype`, objectGroup });
      // The protocol gives a RemoteObject with each of these responses.
      const { objectId: prototypeObjectId } = prototype["result"] as CdpFields;
      if (typeof prototypeObjectId !== "string") continue;
      const { objects } = await call("Runtime.queryObjects", { prototypeObjectId, objectGroup });
      const { objectId } = objects as CdpFields;
      const functionDeclaration = "function () { return this.length; }";
      const counted = await call("Runtime.callFunctionOn", { objectId, functionDeclaration, returnByValue: true });
      if (Number(valueOf(counted)) > 0) return true;
    }
  } catch (error) {
    // The document was replaced, or the browser cannot do this.
    if (!(error instanceof CdpError)) throw error;
  } finally {
    await call("Runtime.releaseObjectGroup", { objectGroup }).catch(() => undefined);
  }
  return false;
}

async function assertSelector(host: ScriptHost, selector: string): Promise<void> {
  const script = `(() => {
    try { document.createDocumentFragment().querySelector(${JSON.stringify(selector)}); return true; }
    catch { return false; }
  })()`;
  if ((await inOwnWorld(host, script)) === true) return;
  throw new TurnpikeError("invalid-parameters", "Cannot wait for the selector: it is not a CSS selector", [
    { path: "selector", message: "is not a CSS selector" },
  ]);
}

/** Runs a script in the service's own world, again if the document changed during the run. */
async function inOwnWorld(host: ScriptHost, expression: string): Promise<unknown> {
  for (;;) {
    try {
      host.world ??= (await host.call("Page.createIsolatedWorld", { frameId: host.frame() }))["executionContextId"];
      const response = await host.call("Runtime.evaluate", {
        expression,
        contextId: host.world,
        awaitPromise: true,
        returnByValue: true,
      });
      if (response["exceptionDetails"] === undefined) return valueOf(response);
      throw new TurnpikeError("page-failed", "Cannot read the page: the browser cannot read its document");
    } catch (error) {
      host.world = undefined;
      if (!(error instanceof CdpError) || /longer than/.test(error.message)) throw error;
    }
    await host.deadline.sleep(RETRY_MS);
  }
}

function valueOf(response: CdpFields): unknown {
  // The protocol gives a RemoteObject as `result`.
  return (response["result"] as CdpFields)["value"];
}

async function evaluate(host: ScriptHost, expression: string): Promise<string> {
  const response = await host
    .call("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true })
    .catch((error: unknown) => {
      if (!(error instanceof CdpError)) throw error;
      throw new TurnpikeError("scrape-failed", `Cannot evaluate the script: ${protocolReason(error)}`);
    });
  if (response["exceptionDetails"] !== undefined) throw scriptError(response["exceptionDetails"]);
  // The protocol gives a RemoteObject as `result`.
  const result = response["result"] as CdpFields;
  if (typeof result["unserializableValue"] === "string") return result["unserializableValue"];
  const { value } = result;
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function protocolReason(error: CdpError): string {
  return error.message.replace(/^Cannot call [\w.]+: /, "");
}

/** A script that does not parse is the caller's error; a script that throws failed on this page. */
function scriptError(details: unknown): TurnpikeError {
  // The protocol gives ExceptionDetails. `exception` is a RemoteObject if a value was thrown.
  const { exception, text } = details as { exception?: { description?: string; value?: unknown }; text?: string };
  const words = exception?.description ?? JSON.stringify(exception?.value) ?? text ?? "an error";
  const [first = words, ...stack] = words.split("\n");
  const thrown = first.slice(0, MAX_REASON_LENGTH);
  // An error at run time has a stack; a script that does not parse never ran.
  if (thrown.startsWith("SyntaxError") && stack.length === 0) {
    return new TurnpikeError("invalid-parameters", "Cannot evaluate the script: it does not parse", [
      { path: "evaluate", message: thrown },
    ]);
  }
  return new TurnpikeError("scrape-failed", `Cannot evaluate the script: it threw ${thrown}`);
}
