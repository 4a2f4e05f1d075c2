import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";
import { listenOnLoopback } from "../../../lib/testing/listen.ts";
import { type EgressOptions } from "../guard.ts";

/** An address that represents the public Internet; 127.0.0.1 represents the private network behind it. */
const PUBLIC = "127.0.0.2";
export const ATTACK_EGRESS: EgressOptions = {
  policy: { allowsAddress: (address) => address === PUBLIC, allowsPort: () => true },
  resolve: async (host) => (host === "page.test" ? [PUBLIC] : host === "inside.test" ? ["127.0.0.1"] : []),
};

const HTML = { "content-type": "text/html; charset=utf-8" };

/** Each script tries to reach `to` in one way. The page continues when all attempts that can settle have settled. */
const WAYS: Readonly<Record<string, string>> = {
  image: `new Image().src = to + "image"`,
  picture: `document.body.insertAdjacentHTML("beforeend", '<picture><source srcset="' + to + 'picture"><img></picture>')`,
  style: `document.head.insertAdjacentHTML("beforeend", '<link rel="stylesheet" href="' + to + 'style.css">')`,
  import: `document.head.insertAdjacentHTML("beforeend", '<style>@import url(' + to + 'import.css)</style>')`,
  font: `document.head.insertAdjacentHTML("beforeend", '<style>@font-face { font-family: f; src: url(' + to + 'font) } p { font-family: f }</style>')`,
  background: `document.body.style.background = "url(" + to + "background)"`,
  cursor: `document.body.style.cursor = "url(" + to + "cursor), auto"`,
  frame: `document.body.append(Object.assign(document.createElement("iframe"), { src: to + "frame" }))`,
  object: `document.body.append(Object.assign(document.createElement("object"), { data: to + "object" }))`,
  embed: `document.body.append(Object.assign(document.createElement("embed"), { src: to + "embed", type: "text/html" }))`,
  video: `document.body.append(Object.assign(document.createElement("video"), { src: to + "video", preload: "auto" }))`,
  track: `document.body.insertAdjacentHTML("beforeend", '<video><track default src="' + to + 'track"></video>')`,
  use: `document.body.insertAdjacentHTML("beforeend", '<svg><image href="' + to + 'svg-image"/><use href="' + to + 'use.svg#a"/></svg>')`,
  preload: `document.head.insertAdjacentHTML("beforeend", '<link rel="preload" as="fetch" crossorigin href="' + to + 'preload">')`,
  prefetch: `document.head.insertAdjacentHTML("beforeend", '<link rel="prefetch" href="' + to + 'prefetch">')`,
  modulepreload: `document.head.insertAdjacentHTML("beforeend", '<link rel="modulepreload" href="' + to + 'module.js">')`,
  preconnect: `document.head.insertAdjacentHTML("beforeend", '<link rel="preconnect" href="' + to + '"><link rel="dns-prefetch" href="' + to + '">')`,
  speculation: `document.head.append(Object.assign(document.createElement("script"), { type: "speculationrules", textContent: JSON.stringify({ prefetch: [{ urls: [to + "speculation"], eagerness: "immediate" }] }) }))`,
  manifest: `document.head.insertAdjacentHTML("beforeend", '<link rel="manifest" href="' + to + 'manifest"><link rel="icon" href="' + to + 'icon">')`,
  script: `document.head.append(Object.assign(document.createElement("script"), { src: to + "script.js" }))`,
  module: `import(to + "dynamic.js").catch(() => 0)`,
  fetch: `fetch(to + "fetch", { mode: "no-cors" }).catch(() => 0)`,
  keepalive: `fetch(to + "keepalive", { mode: "no-cors", keepalive: true, method: "POST", body: "x" }).catch(() => 0)`,
  request: `{ const r = new XMLHttpRequest(); r.open("GET", to + "xhr"); r.send(); }`,
  beacon: `navigator.sendBeacon(to + "beacon", "x")`,
  events: `new EventSource(to + "events")`,
  socket: `new WebSocket(to.replace("http", "ws") + "socket")`,
  transport: `{ try { new WebTransport(to.replace("http:", "https:") + "transport").ready.catch(() => 0); } catch {} }`,
  worker: `new Worker(URL.createObjectURL(new Blob(["fetch('" + to + "worker', {mode: 'no-cors'}); new WebSocket('" + to.replace("http", "ws") + "worker-socket')"])))`,
  "shared-worker": `new SharedWorker(URL.createObjectURL(new Blob(["fetch('" + to + "shared-worker', {mode: 'no-cors'})"])))`,
  "service-worker": `navigator.serviceWorker?.register("/sw.js?to=" + encodeURIComponent(to)).catch(() => 0)`,
  popup: `window.open(to + "popup")`,
  noopener: `window.open(to + "noopener", "_blank", "noopener")`,
  form: `{ const f = Object.assign(document.createElement("form"), { action: to + "form", target: "sink", method: "post" }); document.body.insertAdjacentHTML("beforeend", '<iframe name="sink"></iframe>'); document.body.append(f); f.submit(); }`,
  ping: `{ const a = Object.assign(document.createElement("a"), { href: "#x", ping: to + "ping" }); document.body.append(a); a.click(); }`,
  srcdoc: `document.body.append(Object.assign(document.createElement("iframe"), { srcdoc: '<img src="' + to + 'srcdoc"><meta http-equiv="refresh" content="0; url=' + to + 'srcdoc-refresh">' }))`,
  file: `document.body.append(Object.assign(document.createElement("iframe"), { src: "file:///etc/hostname" })); fetch("file:///etc/hostname").catch(() => 0)`,
};

const WEBRTC = `(async (to) => {
  const host = new URL(to).hostname, port = new URL(to).port;
  const peer = new RTCPeerConnection({ iceServers: [
    { urls: "stun:" + host + ":" + port },
    { urls: ["turn:" + host + ":" + port + "?transport=udp", "turn:" + host + ":" + port + "?transport=tcp", "turns:" + host + ":" + port + "?transport=tcp"], username: "u", credential: "c" },
  ] });
  peer.createDataChannel("x");
  await peer.setLocalDescription(await peer.createOffer());
  await new Promise((done) => { peer.onicegatheringstatechange = () => peer.iceGatheringState === "complete" && done(); setTimeout(done, 1500); });
})`;

/** A hostile site of the public network, and servers of the private network that it tries to reach. */
export interface AttackSite {
  /** The origin of the site, and one that browsers trust like HTTPS: only such pages have WebTransport. */
  readonly origin: string;
  readonly secureOrigin: string;
  /** The port of the private servers. */
  readonly insidePort: number;
  /** Connections and datagrams that reached the private network, by their first bytes. */
  readonly reached: readonly string[];
  /** The requested paths of the site. */
  readonly asked: readonly string[];
  close(): Promise<void>;
}

export async function startAttackSite(): Promise<AttackSite> {
  const reached: string[] = [];
  const asked: string[] = [];
  const inside = createServer((socket) => {
    const from = reached.push("a connection") - 1;
    socket.on("error", () => undefined);
    socket.once("data", (bytes) => {
      reached[from] = bytes.toString("latin1", 0, 60);
      socket.end("HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\n\r\nsecret");
    });
  });
  const insidePort = await listenOnLoopback(inside);
  const udp = createSocket("udp4").on("message", () => reached.push("a datagram"));
  // WebTransport goes to this port too.
  udp.bind(insidePort, "127.0.0.1");
  await once(udp, "listening");
  const outside = Bun.serve({
    hostname: PUBLIC,
    port: 0,
    fetch(request) {
      const url = new URL(request.url);
      asked.push(url.pathname.slice(1));
      if (url.pathname === "/sw.js") {
        const script = `fetch(${JSON.stringify(url.searchParams.get("to"))} + "service-worker", { mode: "no-cors" }).catch(() => 0)`;
        return new Response(script, { headers: { "content-type": "text/javascript" } });
      }
      if (url.pathname === "/redirect") return Response.redirect(url.searchParams.get("to") ?? "/", 302);
      if (url.pathname === "/") return page(url);
      return new Response("answered");
    },
  });
  return {
    origin: `http://page.test:${outside.port}`,
    secureOrigin: `http://${PUBLIC}:${outside.port}`,
    insidePort,
    reached,
    asked,
    async close() {
      await outside.stop(true);
      inside.close();
      udp.close();
    },
  };
}

function page(url: URL): Response {
  const to = JSON.stringify(url.searchParams.get("to") ?? "");
  const ways = url.searchParams.has("webrtc")
    ? `await ${WEBRTC}(to);`
    : Object.values(WAYS)
        .map((way) => `try { ${way} } catch {}`)
        .join("\n");
  return new Response(
    `<!doctype html><body><p>page</p><script type="module">const to = ${to};
     ${ways}
     await fetch("/settle").then((answer) => answer.text());
     document.body.insertAdjacentHTML("beforeend", "<p id=done>done</p>");</script>`,
    { headers: HTML },
  );
}

/** The URL of the page that attacks `to`. `more` is added to its query. */
export function attackUrl({ origin }: Pick<AttackSite, "origin">, to: string, more = ""): string {
  return `${origin}/?to=${encodeURIComponent(to)}${more}`;
}
