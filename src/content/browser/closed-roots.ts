import { type CdpFields } from "./program/cdp.ts";

/**
 * Limits of the elements that are examined for closed shadow trees, the hosts that the browser is asked about, and the
 * depth of nested trees.
 */
const MAX_ELEMENTS = 20_000;
const MAX_HOSTS = 100;
const MAX_DEPTH = 4;

/** The tab to inspect. A world is a separate script context of the service in the document. */
export interface RootsHost {
  call(method: string, params: CdpFields): Promise<CdpFields>;
  readonly world: unknown;
}

/** The variable in that script context with the trees. The script that writes the page's HTML reads it. */
export const CLOSED_ROOTS = "turnpikeClosedRoots";
const CANDIDATES = "turnpikeHosts";

/**
 * An element that shows something although no script can see its content. Elements with other names cannot have a
 * shadow tree.
 */
const FIND = `(() => {
  const known = (globalThis.${CLOSED_ROOTS} ??= []);
  const asked = (globalThis.turnpikeAsked ??= new WeakSet());
  const able = /^(?:article|aside|blockquote|body|div|footer|h[1-6]|header|main|nav|p|section|span)$/;
  const isHost = (element) => {
    if (element.shadowRoot !== null || asked.has(element)) return false;
    if (element.localName.includes("-")) return element.matches(":defined");
    return able.test(element.localName) && element.childNodes.length === 0 && element.clientHeight >= 8;
  };
  const hosts = [];
  let left = ${MAX_ELEMENTS};
  const open = [document, ...known];
  for (let root = open.shift(); root !== undefined; root = open.shift()) {
    for (const element of root.querySelectorAll("*")) {
      if ((left -= 1) < 0 || hosts.length >= ${MAX_HOSTS}) break;
      if (element.shadowRoot !== null) open.push(element.shadowRoot);
      else if (isHost(element)) hosts.push(element);
    }
  }
  for (const host of hosts) asked.add(host);
  globalThis.${CANDIDATES} = hosts;
  return hosts.length;
})()`;

/** Finds the closed shadow trees of a document with the browser's inspector, and stores them in the service's world. */
export async function findClosedRoots(tab: RootsHost): Promise<void> {
  for (let depth = 0; depth < MAX_DEPTH; depth += 1) {
    const count = Number(resultOf(await evaluate(tab, FIND))["value"]);
    if (count === 0) return;
    const found = await Promise.all(Array.from({ length: count }, (_, at) => closedRootOf(tab, at)));
    const roots = found.filter((root) => root !== undefined);
    if (roots.length === 0) return;
    await tab.call("Runtime.callFunctionOn", {
      functionDeclaration: `function (...roots) { globalThis.${CLOSED_ROOTS}.push(...roots); }`,
      executionContextId: tab.world,
      arguments: roots.map((objectId) => ({ objectId })),
    });
  }
}

async function closedRootOf(tab: RootsHost, at: number): Promise<string | undefined> {
  const { objectId } = resultOf(await evaluate(tab, `globalThis.${CANDIDATES}[${at}]`, false));
  const { node } = await tab.call("DOM.describeNode", { objectId, depth: 0, pierce: true });
  // The protocol gives a Node with this response, whose shadow roots are Nodes.
  const roots = (node as { shadowRoots?: readonly { backendNodeId: number; shadowRootType?: string }[] }).shadowRoots;
  const closed = roots?.find(({ shadowRootType }) => shadowRootType === "closed");
  if (closed === undefined) return undefined;
  const { backendNodeId } = closed;
  const { object } = await tab.call("DOM.resolveNode", { backendNodeId, executionContextId: tab.world });
  // The protocol gives a RemoteObject with this response.
  const id = (object as CdpFields)["objectId"];
  return typeof id === "string" ? id : undefined;
}

function evaluate(tab: RootsHost, expression: string, returnByValue = true): Promise<CdpFields> {
  return tab.call("Runtime.evaluate", { expression, contextId: tab.world, returnByValue });
}

function resultOf(response: CdpFields): CdpFields {
  // The protocol gives a RemoteObject as `result`.
  return response["result"] as CdpFields;
}
