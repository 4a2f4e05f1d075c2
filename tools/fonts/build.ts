/**
 * `node scripts/bun.mjs tools/fonts/build.ts`: makes src/content/fonts/fonts.tar.br from packages of npm, which it installs
 * into a temporary folder; see README.md.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";

const OUT = join(import.meta.dir, "../../src/content/fonts/fonts.tar.br");
const WOFF2 = "wawoff2@2.0.1";
const STYLES = ["400Regular", "400Regular_Italic", "700Bold", "700Bold_Italic"];
const SCRIPTS =
  "thai bengali tamil telugu armenian georgian ethiopic khmer lao kannada malayalam gujarati gurmukhi oriya sinhala".split(
    " ",
  );

/** Packages with their versions, and their files: of one script each, since Latin characters are in other fonts. */
const SOURCES: readonly (readonly [name: string, version: string, files: readonly string[]])[] = [
  ...["Arimo 0.4.3", "Tinos 0.4.2", "Cousine 0.4.3"].map((font) => {
    const [family = "", version = ""] = font.split(" ");
    const files = STYLES.map((style) => `${style}/${family}_${style}.ttf`);
    return [`@expo-google-fonts/${family.toLowerCase()}`, version, files] as const;
  }),
  [
    "@expo-google-fonts/noto-sans-devanagari",
    "0.4.1",
    ["400Regular", "700Bold"].map((style) => `${style}/NotoSansDevanagari_${style}.ttf`),
  ],
  ["@embedpdf/fonts-arabic", "1.0.0", ["fonts/NotoNaskhArabic-Regular.ttf", "fonts/NotoNaskhArabic-Bold.ttf"]],
  ...[...SCRIPTS, "symbols"].map((script) => fontsource("-variable", `noto-sans-${script}`, [`${script}-wght`])),
  fontsource("-variable", "noto-serif-tibetan", ["tibetan-wght"]),
  fontsource("", "noto-sans-myanmar", ["myanmar-400", "myanmar-700"]),
  fontsource("", "noto-sans-symbols-2", ["symbols-400", "braille-400"]),
  fontsource("", "noto-sans-math", ["latin-400"]),
];

function fontsource(kind: "" | "-variable", name: string, files: readonly string[]) {
  return [`@fontsource${kind}/${name}`, "5.3.0", files.map((file) => `files/${name}-${file}-normal.woff2`)] as const;
}

const folder = mkdtempSync(join(tmpdir(), "turnpike-fonts-"));
try {
  const wanted = [WOFF2, ...SOURCES.map(([name, version]) => `${name}@${version}`)];
  const install = Bun.spawnSync(["npm", "install", "--ignore-scripts", "--no-audit", "--prefix", folder, ...wanted]);
  if (install.exitCode !== 0) throw new Error(`Cannot install the fonts: ${install.stderr.toString()}`);
  const modules = join(folder, "node_modules");
  // The package has no types.
  const { default: decompress } = (await import(join(modules, "wawoff2/decompress.js"))) as {
    default: (woff2: Uint8Array) => Promise<Uint8Array>;
  };
  const archive: Record<string, Uint8Array> = {};
  for (const [name, , files] of SOURCES) {
    const own = join(modules, name);
    const [scope = "", family = ""] = name.slice(1).split("/");
    for (const file of files) {
      const bytes = readFileSync(join(own, file));
      // The decompressed font is a view of memory that the next one reuses.
      const font = file.endsWith(".woff2") ? Uint8Array.from(await decompress(bytes)) : bytes;
      archive[file.slice(file.lastIndexOf("/") + 1).replace(/\.woff2$/, ".ttf")] = font;
    }
    const licence = readdirSync(own).filter((file) => /^LICEN[CS]E(?:_FONT)?(?:\.\w+)?$/.test(file));
    const text = licence.includes("LICENSE_FONT") ? "LICENSE_FONT" : licence[0];
    if (text === undefined) throw new Error(`Cannot find the licence of ${name}`);
    archive[`${scope}-${family}.licence.txt`] = readFileSync(join(own, text));
  }
  const tar = await new Bun.Archive(archive).bytes();
  const packed = brotliCompressSync(tar, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 },
  });
  writeFileSync(OUT, packed);
  console.log(`${Object.keys(archive).length} files, ${tar.length} bytes, packed ${packed.length}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
