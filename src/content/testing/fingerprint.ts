/** The properties of the browser that one global scope of a page reveals. */
export type Fingerprint = Readonly<Record<string, unknown>>;

/** Reads the browser's properties as a script of a bot-detecting site does, in a window or a worker. */
const COLLECT = `async function collect() {
  const scope = self, { navigator } = scope, seen = {};
  for (const name of ["userAgent", "appVersion", "platform", "vendor", "language", "hardwareConcurrency", "deviceMemory", "maxTouchPoints", "webdriver", "pdfViewerEnabled"]) seen[name] = navigator[name];
  seen.languages = [...navigator.languages];
  const hints = navigator.userAgentData;
  seen.brands = hints && hints.brands.map(({ brand, version }) => brand + " " + version);
  seen.hints = hints && await hints.getHighEntropyValues(["architecture", "bitness", "fullVersionList", "model", "platformVersion", "uaFullVersion"]);
  const { timeZone, locale } = Intl.DateTimeFormat().resolvedOptions();
  Object.assign(seen, { timeZone, locale, offset: new Date(2026, 0, 1).getTimezoneOffset(), date: new Date(2026, 0, 1).toString() });
  const canvas = () => scope.document ? Object.assign(document.createElement("canvas"), { width: 60, height: 20 }) : new OffscreenCanvas(60, 20);
  const gl = canvas().getContext("webgl"), info = gl && gl.getExtension("WEBGL_debug_renderer_info");
  seen.webgl = gl && [gl.getParameter(gl.VENDOR), gl.getParameter(gl.RENDERER), gl.getParameter(gl.VERSION), info && gl.getParameter(info.UNMASKED_VENDOR_WEBGL), info && gl.getParameter(info.UNMASKED_RENDERER_WEBGL)];
  const draw = async () => {
    const one = canvas(), context = one.getContext("2d");
    context.fillStyle = "#f60"; context.fillRect(0, 0, 40, 20); context.fillStyle = "#069"; context.font = "14px serif"; context.fillText("Toll \\u{1F600}", 2, 15);
    const pixels = [...context.getImageData(0, 0, 60, 20).data];
    const blob = one.convertToBlob ? await one.convertToBlob() : await new Promise((done) => one.toBlob(done));
    const again = canvas().getContext("2d");
    again.drawImage(await createImageBitmap(blob), 0, 0);
    const url = one.toDataURL ? one.toDataURL() : "";
    let hash = 0;
    for (const value of pixels) hash = (hash * 31 + value) | 0;
    return { hash, size: blob.size, flat: pixels.slice(0, 4).join(), opaque: pixels.filter((value, at) => at % 4 === 3 && value === 255).length, url: url.length };
  };
  const [first, second] = [await draw(), await draw()];
  seen.canvas = first;
  seen.canvasStable = JSON.stringify(first) === JSON.stringify(second);
  seen.permission = scope.Notification && Notification.permission;
  seen.asked = navigator.permissions && (await navigator.permissions.query({ name: "notifications" })).state;
  const owner = Object.getPrototypeOf(navigator);
  const getters = ["hardwareConcurrency", "deviceMemory", "plugins", "mimeTypes", "webdriver", "userAgent"].map((name) => Object.getOwnPropertyDescriptor(owner, name)).filter(Boolean);
  const functions = [...getters.map(({ get }) => get), gl && gl.getParameter, (scope.HTMLCanvasElement || OffscreenCanvas).prototype.getContext, scope.HTMLCanvasElement && HTMLCanvasElement.prototype.toDataURL, (scope.CanvasRenderingContext2D || OffscreenCanvasRenderingContext2D).prototype.getImageData, Function.prototype.toString].filter(Boolean);
  seen.unnatural = functions.filter((one) => Function.prototype.toString.call(one) !== "function " + one.name + "() { [native code] }").map(({ name }) => name);
  seen.constructible = functions.filter((one) => { try { Reflect.construct(Object, [], one); return true; } catch { return false; } }).map(({ name }) => name);
  seen.ownNavigator = Object.getOwnPropertyNames(navigator);
  seen.illegal = getters.filter(({ get }) => { try { get.call({}); return true; } catch (error) { return !(error instanceof TypeError); } }).length;
  if (!scope.document) return seen;
  seen.plugins = [...navigator.plugins].map(({ name }) => name);
  seen.mimeTypes = [...navigator.mimeTypes].map(({ type }) => type);
  seen.pluginTypes = [String(navigator.plugins), String(navigator.mimeTypes), String(navigator.plugins[0]), navigator.plugins[0] && navigator.plugins[0][0].type];
  seen.chrome = scope.chrome && Object.keys(scope.chrome);
  const { width, height, availWidth, availHeight, colorDepth } = screen;
  seen.screen = { width, height, availWidth, availHeight, colorDepth };
  seen.window = { outerWidth, outerHeight, innerWidth: innerWidth, devicePixelRatio, screenX, screenY };
  seen.hover = matchMedia("(hover: hover) and (pointer: fine)").matches;
  return seen;
}`;

/** A page that writes the fingerprints of itself, its own frame, a frame of another site and two workers into `#done`. */
export function fingerprintPage(otherOrigin: string): string {
  return `<!doctype html><title>Fingerprint</title><body><script>
${COLLECT}
const worker = (Kind) => new Promise((done) => {
  const source = ${JSON.stringify(`${COLLECT};`)} + (Kind === Worker ? "collect().then(postMessage, (e) => postMessage({ error: String(e) }))" : "onconnect = ({ ports: [port] }) => collect().then((seen) => port.postMessage(seen), (e) => port.postMessage({ error: String(e) }))");
  const made = new Kind(URL.createObjectURL(new Blob([source])));
  (made.port || made).onmessage = ({ data }) => done(data);
  made.port?.start();
});
const frame = (set) => new Promise((done) => {
  const made = document.createElement("iframe");
  addEventListener("message", ({ source, data }) => source === made.contentWindow && done(data));
  set(made);
  document.body.append(made);
});
const page = ${JSON.stringify(`<script>${COLLECT}; collect().then((seen) => parent.postMessage(seen, "*"), (e) => parent.postMessage({ error: String(e) }, "*"))`)} + "</" + "script>";
(async () => {
  const seen = {
    page: await collect(),
    frame: await frame((made) => { made.srcdoc = page; }),
    foreign: await frame((made) => { made.src = ${JSON.stringify(otherOrigin)} + "/fingerprint-frame"; }),
    worker: await worker(Worker),
    shared: await worker(SharedWorker),
  };
  const headers = await (await fetch("/headers")).json();
  document.body.append(Object.assign(document.createElement("p"), { id: "done", textContent: JSON.stringify({ ...seen, headers }) }));
})();
</script>`;
}

/** The frame of the other site. */
export const FINGERPRINT_FRAME = `<!doctype html><script>${COLLECT}; collect().then((seen) => parent.postMessage(seen, "*"), (e) => parent.postMessage({ error: String(e) }, "*"))</script>`;
