import { join } from "node:path";
import { type BunPlugin } from "bun";

const ROOT = join(import.meta.dir, "..");
const CONSOLE = "src/gateway/admin/console";

const LANGUAGE = "domEnv ? nav.language : 'en-US'";

/** Browsers with an odd locale name languages that no formatter takes, and uPlot fails with the whole page then. */
const englishPlots: BunPlugin = {
  name: "english-plots",
  setup(build) {
    build.onLoad({ filter: /\/uPlot\.esm\.js$/ }, async ({ path }) => {
      const source = await Bun.file(path).text();
      if (!source.includes(LANGUAGE))
        throw new Error(`Cannot build the console: '${path}' asks for no language any more`);
      return { contents: source.replace(LANGUAGE, "'en-US'"), loader: "js" };
    });
  },
};

const PAYER = "src/payments/browser";

/** The scripts of the pages on which a browser's wallet pays, which are part of those pages. */
export async function payScripts(): Promise<readonly (readonly [path: string, text: string])[]> {
  const built = await Bun.build({
    entrypoints: ["pay", "pay-test"].map((name) => join(ROOT, PAYER, `page/${name}.ts`)),
    target: "browser",
    // Its names must not become those of the page.
    format: "iife",
    minify: true,
    naming: "[name].[ext]",
  });
  return await outputsIn(`${PAYER}/dist`, built);
}

/** The admin console's script and style sheet, bundled and minified: the gateway serves them as they are. */
export async function consoleBuild(): Promise<readonly (readonly [path: string, text: string])[]> {
  const built = await Bun.build({
    entrypoints: [join(ROOT, CONSOLE, "page/console.tsx"), join(ROOT, CONSOLE, "page/style/console.css")],
    target: "browser",
    format: "esm",
    minify: true,
    tsconfig: join(ROOT, CONSOLE, "page/tsconfig.json"),
    define: { "process.env.NODE_ENV": '"production"' },
    naming: "[name].[ext]",
    plugins: [englishPlots],
  });
  return await outputsIn(`${CONSOLE}/dist`, built);
}

async function outputsIn(
  folder: string,
  { outputs }: Bun.BuildOutput,
): Promise<readonly (readonly [string, string])[]> {
  return await Promise.all(
    outputs.map(async (output) => [`${folder}/${output.path.replace(/^.*\//, "")}`, await output.text()] as const),
  );
}
