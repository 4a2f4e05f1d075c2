/**
 * Builds the pages of the frameworks with their own compilers, once, into `built.json.br`. Run it in a copy of this folder in
 * which `npm ci` has run: `bun build.mts`.
 */
import { brotliCompressSync, constants } from "node:zlib";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { transformAsync } from "@babel/core";
import { compile as compileSvelte } from "svelte/compiler";
import { compile as compileVue } from "@vue/compiler-dom";
import { PARAGRAPHS, TITLE } from "./src/text.js";
import { PROGRAMS } from "./src/small.js";
import { COMPONENTS } from "./src/svelte.js";
import { SCENES as VUE, SETUP } from "./src/vue.js";

/** The site's files by their paths. */
const files: Record<string, string> = {};

const work = join(import.meta.dirname, "work");
rmSync(work, { recursive: true, force: true });
mkdirSync(work, { recursive: true });
writeFileSync(join(work, "text.js"), readFileSync("src/text.js"));

const REACT_SCENES = [
  "plain",
  "toggle",
  "theme",
  "accordion",
  "login",
  "like",
  "price",
  "rows",
  "appended",
  "nothing",
  "late",
  "slow",
  "store",
  "timer",
];
/** Scenes that show nothing before their time. */
const BARE = new Set(["late", "slow"]);

function page(head: string, body: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${TITLE}</title><meta name="viewport" content="width=device-width">${head}</head><body>${body}</body></html>`;
}

interface Bundle {
  readonly framework: string;
  /** Programs by the scenes' names: one that takes over what the server rendered, one that renders alone. */
  readonly entries: Readonly<Record<string, string>>;
  readonly conditions?: readonly string[];
}

/** Bundles the programs of one framework together, so that they share what they have in common. */
async function bundle({ framework, entries, conditions = [] }: Bundle): Promise<ReadonlyMap<string, string>> {
  const paths = Object.entries(entries).map(([name, code]) => {
    const path = join(work, `${framework}-${name}.js`);
    writeFileSync(path, code);
    return path;
  });
  const result = await Bun.build({
    entrypoints: paths,
    splitting: true,
    minify: true,
    target: "browser",
    conditions: [...conditions, "production", "browser"],
    define: {
      "process.env.NODE_ENV": '"production"',
      __VUE_OPTIONS_API__: "false",
      __VUE_PROD_DEVTOOLS__: "false",
      __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: "false",
    },
    naming: { entry: "[name]-[hash].js", chunk: "chunk-[hash].js" },
  });
  const found = new Map<string, string>();
  for (const output of result.outputs) {
    const name = output.path.split("/").at(-1) ?? "";
    files[`/${framework}/assets/${name}`] = await output.text();
    if (output.kind === "entry-point")
      found.set(name.slice(framework.length + 1).replace(/-\w+\.js$/, ""), `/${framework}/assets/${name}`);
  }
  return found;
}

function put(
  framework: string,
  scene: string,
  {
    script,
    markup,
    head = "",
    root = "root",
  }: { script: string | undefined; markup: string; head?: string; root?: string },
): void {
  if (script === undefined) throw new Error(`Cannot find the program of ${framework}/${scene}`);
  files[`/${framework}/${scene}`] = page(
    `${head}<script type="module" crossorigin src="${script}"></script>`,
    `<div id="${root}">${markup}</div>`,
  );
}

/** A module for each scene, as files of pages are: what they share stands at the beginning. */
function partsOf(source: string): [scene: string, code: string][] {
  const [head = "", ...parts] = source.split(/^(?=export function )/m);
  return parts.map((part) => [/^export function (\w+)/.exec(part)?.[1] ?? "", head + part]);
}

async function react(framework: "react" | "preact"): Promise<void> {
  const source = readFileSync("src/react.jsx", "utf8");
  const scenes = REACT_SCENES.filter((scene) => framework === "react" || scene !== "store");
  // The hooks of Preact have no external stores.
  const own =
    framework === "react" ? source : source.replace(', useSyncExternalStore } from "react"', ' } from "preact/hooks"');
  const components: Record<string, () => unknown> = {};
  for (const [scene, code] of partsOf(own)) {
    const path = join(work, `${framework}-c-${scene}.jsx`);
    writeFileSync(path, `/** @jsxImportSource ${framework} */\n${code}`);
    Object.assign(components, await import(path));
  }
  const render = async (scene: string): Promise<string> => {
    if (framework === "react") {
      const { renderToString } = await import("react-dom/server");
      const { createElement } = await import("react");
      return renderToString(createElement(components[scene] as never));
    }
    const { renderToString } = await import("preact-render-to-string");
    const { h } = await import("preact");
    return renderToString(h(components[scene] as never, null));
  };
  const entries: Record<string, string> = {};
  for (const scene of scenes) {
    const take = `import { ${scene} as App } from "./${framework}-c-${scene}.jsx";`;
    const root = 'document.getElementById("root")';
    entries[scene] =
      framework === "react"
        ? `import { createElement } from "react"; import { hydrateRoot } from "react-dom/client"; ${take} hydrateRoot(${root}, createElement(App));`
        : `import { h, hydrate } from "preact"; ${take} hydrate(h(App, null), ${root});`;
    if (scene === "plain" || BARE.has(scene)) {
      entries[`${scene}Alone`] =
        framework === "react"
          ? `import { createElement } from "react"; import { createRoot } from "react-dom/client"; ${take} createRoot(${root}).render(createElement(App));`
          : `import { h, render } from "preact"; ${take} render(h(App, null), ${root});`;
    }
  }
  const scripts = await bundle({ framework, entries });
  for (const scene of scenes) put(framework, scene, { script: scripts.get(scene), markup: await render(scene) });
  for (const scene of ["plain", "late", "slow"])
    put(framework, `${scene}-alone`, { script: scripts.get(`${scene}Alone`), markup: "" });
}

async function vue(): Promise<void> {
  const entries: Record<string, string> = {};
  const markup: Record<string, string> = {};
  const { createSSRApp } = await import("vue");
  const { renderToString } = await import("@vue/server-renderer");
  for (const [scene, [template, setup]] of Object.entries(VUE)) {
    const { code } = compileVue(template, {
      mode: "module",
      prefixIdentifiers: true,
      hoistStatic: true,
      cacheHandlers: true,
    });
    writeFileSync(join(work, `vue-c-${scene}.js`), `${SETUP}${code}\nexport default { setup: ${setup}, render };`);
    const module = (await import(join(work, `vue-c-${scene}.js`))) as { default: object };
    markup[scene] = await renderToString(createSSRApp(module.default));
    entries[scene] =
      `import { createSSRApp } from "vue"; import App from "./vue-c-${scene}.js"; createSSRApp(App).mount("#root");`;
    if (scene === "plain" || BARE.has(scene))
      entries[`${scene}Alone`] = entries[scene].replaceAll("createSSRApp", "createApp");
  }
  const scripts = await bundle({ framework: "vue", entries });
  for (const scene of Object.keys(VUE)) put("vue", scene, { script: scripts.get(scene), markup: markup[scene] ?? "" });
  for (const scene of ["plain", "late", "slow"])
    put("vue", `${scene}-alone`, { script: scripts.get(`${scene}Alone`), markup: "" });
}

async function svelte(): Promise<void> {
  const entries: Record<string, string> = {};
  const markup: Record<string, string> = {};
  const { render } = await import("svelte/server");
  for (const [scene, source] of Object.entries(COMPONENTS)) {
    const name = scene.charAt(0).toUpperCase() + scene.slice(1);
    for (const generate of ["server", "client"] as const) {
      const { js } = compileSvelte(source as string, { generate, name, filename: `${name}.svelte`, dev: false });
      writeFileSync(join(work, `svelte-${generate}-${scene}.js`), js.code);
    }
    const module = (await import(join(work, `svelte-server-${scene}.js`))) as { default: never };
    markup[scene] = render(module.default).body;
    entries[scene] =
      `import { hydrate } from "svelte"; import App from "./svelte-client-${scene}.js"; hydrate(App, { target: document.getElementById("root") });`;
    if (scene === "plain" || BARE.has(scene)) entries[`${scene}Alone`] = entries[scene].replaceAll("hydrate", "mount");
  }
  const scripts = await bundle({ framework: "svelte", entries });
  for (const scene of Object.keys(COMPONENTS))
    put("svelte", scene, { script: scripts.get(scene), markup: markup[scene] ?? "" });
  for (const scene of ["plain", "late", "slow"])
    put("svelte", `${scene}-alone`, { script: scripts.get(`${scene}Alone`), markup: "" });
}

async function solid(): Promise<void> {
  const source = readFileSync("src/solid.jsx", "utf8");
  for (const generate of ["ssr"]) {
    const out = await transformAsync(source, {
      babelrc: false,
      configFile: false,
      presets: [["babel-preset-solid", { generate, hydratable: true }]],
    });
    writeFileSync(join(work, `solid-${generate}.js`), out?.code ?? "");
  }
  for (const [scene, code] of partsOf(source)) {
    const out = await transformAsync(code, {
      babelrc: false,
      configFile: false,
      presets: [["babel-preset-solid", { generate: "dom", hydratable: true }]],
    });
    writeFileSync(join(work, `solid-c-${scene}.js`), out?.code ?? "");
  }
  const server = Bun.spawnSync([
    process.execPath,
    "--conditions=node",
    "-e",
    `
    const { renderToString, generateHydrationScript } = await import("solid-js/web");
    const scenes = await import(${JSON.stringify(join(work, "solid-ssr.js"))});
    const made = Object.fromEntries(Object.entries(scenes).map(([name, scene]) => [name, renderToString(() => scene({}))]));
    console.log(JSON.stringify({ made, head: generateHydrationScript() }));`,
  ]);
  // The program above writes this.
  const { made, head } = JSON.parse(server.stdout.toString()) as { made: Record<string, string>; head: string };
  const entries: Record<string, string> = {};
  for (const scene of Object.keys(made)) {
    const take = `import { createComponent, hydrate, render } from "solid-js/web"; import { ${scene} as App } from "./solid-c-${scene}.js";`;
    entries[scene] = `${take} hydrate(() => createComponent(App, {}), document.getElementById("root"));`;
    if (scene === "plain" || BARE.has(scene))
      entries[`${scene}Alone`] = `${take} render(() => createComponent(App, {}), document.getElementById("root"));`;
  }
  const scripts = await bundle({ framework: "solid", entries });
  for (const scene of Object.keys(made))
    put("solid", scene, { script: scripts.get(scene), markup: made[scene] ?? "", head });
  for (const scene of ["plain", "late", "slow"])
    put("solid", `${scene}-alone`, { script: scripts.get(`${scene}Alone`), markup: "" });
}

async function small(): Promise<void> {
  const article = `<h1>${TITLE}</h1>${PARAGRAPHS.map((text) => `<p>${text}</p>`).join("")}`;
  const frameworks = new Set(Object.keys(PROGRAMS).map((name) => name.split("/")[0] ?? ""));
  for (const framework of frameworks) {
    const own = Object.entries(PROGRAMS).filter(([name]) => name.startsWith(`${framework}/`));
    const scripts = await bundle({
      framework,
      entries: Object.fromEntries(own.map(([name, { code }]) => [name.split("/")[1] ?? "", code])),
    });
    for (const [name, { body }] of own) {
      const script = scripts.get(name.split("/")[1] ?? "");
      files[`/${name}`] = page(
        "",
        `${body.replace("ARTICLE", article)}<script type="module" src="${script}"></script>`,
      );
    }
  }
}

/** What the tools of whole frameworks have built: `meta/NAME/` is the folder that they write. */
function meta(): void {
  for (const name of readdirSync("meta")) {
    const folder = join("meta", name);
    for (const path of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
      if (!/\.(?:html|js|css)$/.test(path)) continue;
      const at = `/${path.replace(/(?:\/?index)?\.html$/, "")}`;
      files[at] = readFileSync(join(folder, path), "utf8");
    }
  }
}

await react("react");
await react("preact");
await vue();
await svelte();
await solid();
await small();
meta();
const packed = brotliCompressSync(JSON.stringify(files), {
  params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 },
});
writeFileSync("built.json.br", packed);
console.log(
  `${Object.keys(files).length} files, ${JSON.stringify(files).length} characters, ${packed.length} bytes packed`,
);
