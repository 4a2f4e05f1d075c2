import { type Identity } from "../program/identity.ts";
import { type Profile } from "./profile.ts";

/** Pixels of a window above the page: tabs, address bar and bookmarks. */
const FRAME_HEIGHT = 87;

/**
 * Overrides properties that the DevTools protocol has no setting for. It runs before all scripts of the page, in
 * windows and workers. Native functions are called first, so that they throw as usual. Proxies replace them, so that
 * their source text stays the native one.
 */
const DISGUISE = `((profile) => {
  const scope = globalThis, { Reflect, Proxy, WeakMap, Object } = scope;
  const natives = new WeakMap();
  const behind = (native, apply) => {
    const proxy = new Proxy(native, { apply });
    natives.set(proxy, native);
    return proxy;
  };
  const replace = (owner, name, part, apply) => {
    const found = owner && Object.getOwnPropertyDescriptor(owner, name);
    if (!found || !found[part]) return;
    Object.defineProperty(owner, name, { ...found, [part]: behind(found[part], apply) });
  };
  const answer = (owner, name, change) => replace(owner, name, "get", (native, self, args) => change(Reflect.apply(native, self, args), self));
  const shown = (native, self, args) => Reflect.apply(native, natives.get(self) || self, args);
  replace(scope.Function.prototype, "toString", "value", shown);

  const navigatorOf = (scope.Navigator || scope.WorkerNavigator).prototype;
  answer(navigatorOf, "hardwareConcurrency", () => profile.cores);
  answer(navigatorOf, "deviceMemory", () => profile.memory);
  if (!profile.chrome) delete navigatorOf.userAgentData;
  if (!scope.document) {
    // CDP sets only some of these properties in workers.
    answer(navigatorOf, "userAgent", () => profile.userAgent);
    answer(navigatorOf, "appVersion", () => profile.userAgent.replace(/^Mozilla\\//, ""));
    answer(navigatorOf, "platform", (value) => profile.platform ?? value);
  }
  answer(scope.Notification, "permission", (value) => value === "denied" ? "default" : value);
  answer(scope.NetworkInformation && scope.NetworkInformation.prototype, "rtt", (value) => value || 50);

  const VENDOR = 0x9245, RENDERER = 0x9246;
  for (const kind of ["WebGLRenderingContext", "WebGL2RenderingContext"]) {
    replace(scope[kind] && scope[kind].prototype, "getParameter", "value", (native, self, args) => {
      const value = Reflect.apply(native, self, args);
      if (value === null) return value;
      return args[0] === VENDOR ? profile.gpu.vendor : args[0] === RENDERER ? profile.gpu.renderer : value;
    });
  }

  // Changes a canvas slightly, as noise: for one colour in sixteen, pixels at edges differ by one in one channel. The
  // same pixels change during the whole visit.
  const noise = (pixels) => {
    const { data, width } = pixels;
    for (let at = 4; at < data.length; at += 4) {
      if (data[at + 3] === 0 || (at / 4) % width === 0) continue;
      if (data[at] === data[at - 4] && data[at + 1] === data[at - 3] && data[at + 2] === data[at - 2]) continue;
      const colour = (data[at] << 16) | (data[at + 1] << 8) | data[at + 2];
      const hash = Math.imul(colour ^ profile.seed, 0x9e3779b1) >>> 0;
      if (hash >>> 28 === 0) data[at + (hash % 3)] ^= 1;
    }
    return pixels;
  };
  const MAX_PIXELS = 4000000;
  const read = {};
  for (const kind of ["CanvasRenderingContext2D", "OffscreenCanvasRenderingContext2D"]) {
    const owner = scope[kind] && scope[kind].prototype;
    if (!owner) continue;
    read[kind] = owner.getImageData;
    replace(owner, "getImageData", "value", (native, self, args) => {
      const pixels = Reflect.apply(native, self, args);
      return pixels.width * pixels.height > MAX_PIXELS || !(pixels.data instanceof scope.Uint8ClampedArray) ? pixels : noise(pixels);
    });
  }
  const writers = scope.HTMLCanvasElement
    ? [[scope.HTMLCanvasElement.prototype, "toDataURL"], [scope.HTMLCanvasElement.prototype, "toBlob"], [scope.OffscreenCanvas.prototype, "convertToBlob"]]
    : [[scope.OffscreenCanvas.prototype, "convertToBlob"]];
  const noisy = (canvas) => {
    const { width, height } = canvas;
    if (width * height === 0 || width * height > MAX_PIXELS) return canvas;
    const copy = canvas instanceof scope.OffscreenCanvas ? new scope.OffscreenCanvas(width, height) : Object.assign(scope.document.createElement("canvas"), { width, height });
    const context = copy.getContext("2d");
    context.drawImage(canvas, 0, 0);
    const kind = canvas instanceof scope.OffscreenCanvas ? "OffscreenCanvasRenderingContext2D" : "CanvasRenderingContext2D";
    context.putImageData(noise(Reflect.apply(read[kind], context, [0, 0, width, height])), 0, 0);
    return copy;
  };
  for (const [owner, name] of writers) {
    replace(owner, name, "value", (native, self, args) => {
      let canvas = self;
      // Anything but a canvas, and a canvas with another site's picture, fails in the native function as it should.
      try { canvas = noisy(self); } catch {}
      return Reflect.apply(native, canvas, args);
    });
  }
  if (!scope.document) return;

  const fakes = new WeakMap();
  const fake = (kind, fields, items, names) => {
    const made = Object.create(scope[kind].prototype);
    items.forEach((item, at) => Object.defineProperty(made, at, { value: item, enumerable: true, configurable: true }));
    items.forEach((item, at) => Object.defineProperty(made, names[at], { value: item, configurable: true }));
    fakes.set(made, { ...fields, length: items.length, item: (at) => items[at >>> 0] ?? null, namedItem: (name) => items[names.indexOf(String(name))] ?? null, refresh: () => undefined });
    return made;
  };
  for (const kind of ["PluginArray", "MimeTypeArray", "Plugin", "MimeType"]) {
    const owner = scope[kind].prototype;
    for (const [name, { get }] of Object.entries(Object.getOwnPropertyDescriptors(owner))) {
      if (name === "constructor") continue;
      replace(owner, name, get ? "get" : "value", (native, self, args) => {
        const fields = fakes.get(self);
        if (!fields) return Reflect.apply(native, self, args);
        return get ? fields[name] : fields[name](...args);
      });
    }
  }
  const description = "Portable Document Format", types = ["application/pdf", "text/pdf"];
  if (profile.chrome && scope.navigator.plugins.length === 0) {
    const plugins = ["PDF Viewer", "Chrome PDF Viewer", "Chromium PDF Viewer", "Microsoft Edge PDF Viewer", "WebKit built-in PDF"].map((name) => {
      const mimes = types.map((type) => fake("MimeType", { type, suffixes: "pdf", description }, [], []));
      const plugin = fake("Plugin", { name, filename: "internal-pdf-viewer", description }, mimes, types);
      for (const mime of mimes) fakes.get(mime).enabledPlugin = plugin;
      return plugin;
    });
    const lists = {
      plugins: fake("PluginArray", {}, plugins, plugins.map((plugin) => fakes.get(plugin).name)),
      mimeTypes: fake("MimeTypeArray", {}, types.map((_, at) => plugins[0][at]), types),
    };
    for (const name of ["plugins", "mimeTypes"]) answer(navigatorOf, name, (list, self) => self === scope.navigator ? lists[name] : list);
    answer(navigatorOf, "pdfViewerEnabled", () => true);
  }
  const { screen, bars, top, position } = profile, screenOf = scope.Screen.prototype;
  const sizes = { width: screen.width, height: screen.height, availWidth: screen.width, availHeight: screen.height - bars, availTop: top, availLeft: 0 };
  for (const [name, least] of Object.entries(sizes)) answer(screenOf, name, (value) => value > least ? value : least);
  answer(scope, "outerHeight", (value) => value + ${FRAME_HEIGHT});
  const place = { screenX: position.x, screenY: position.y + top, screenLeft: position.x, screenTop: position.y + top };
  for (const [name, value] of Object.entries(place)) answer(scope, name, () => value);
  if (!profile.chrome || "chrome" in scope) return;
  const started = scope.performance.timeOrigin / 1000, { now } = scope.Date, page = scope.performance;
  const methods = {
    loadTimes() { return { requestTime: started, startLoadTime: started, commitLoadTime: started + 0.1, finishDocumentLoadTime: started + 0.3, finishLoadTime: started + 0.4, firstPaintTime: started + 0.2, firstPaintAfterLoadTime: 0, navigationType: "Other", wasFetchedViaSpdy: true, wasNpnNegotiated: true, npnNegotiatedProtocol: "h2", wasAlternateProtocolAvailable: false, connectionInfo: "h2" }; },
    csi() { return { onloadT: now(), startE: Math.round(started * 1000), pageT: page.now(), tran: 15 }; },
    getDetails() { return null; },
    getIsInstalled() { return false; },
    runningState() { return "cannot_run"; },
  };
  // Chrome's own have no name in their source, as bound functions.
  for (const method of Object.values(methods)) natives.set(method, method.bind());
  const { loadTimes, csi, ...more } = methods;
  const states = { InstallState: { DISABLED: "disabled", INSTALLED: "installed", NOT_INSTALLED: "not_installed" }, RunningState: { CANNOT_RUN: "cannot_run", READY_TO_RUN: "ready_to_run", RUNNING: "running" } };
  const value = { loadTimes, csi, app: { isInstalled: false, ...more, ...states } };
  Object.defineProperty(scope, "chrome", { value, writable: true, enumerable: true, configurable: false });
})`;

/** The script that makes windows and workers report the properties of this computer and this browser. */
export function disguiseScript(profile: Profile, { chrome, override }: Identity): string {
  const { userAgent, platform } = override;
  return `${DISGUISE}(${JSON.stringify({ ...profile, chrome, userAgent, platform })})`;
}
