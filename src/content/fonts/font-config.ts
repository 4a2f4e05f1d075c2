import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fontFolders } from "./font-packages.ts";
import { PACKED_FAMILIES, unpackFonts } from "./packed-fonts.ts";
import { uniqueName } from "../../lib/text/unique-name.ts";

/** The system folders of fonts on Linux. */
const SYSTEM_FOLDERS = ["/usr/share/fonts", "/usr/local/share/fonts"];

/**
 * Fonts for generic families and for families without a font. Arimo and similar fonts have the same widths as Arial and
 * similar fonts.
 */
const GENERIC_FAMILIES: readonly (readonly [generic: string, families: readonly string[]])[] = [
  ["sans-serif", ["Arimo"]],
  ["serif", ["Tinos"]],
  ["monospace", ["Cousine"]],
  ["system-ui", ["Arimo"]],
  ["emoji", ["Noto Color Emoji"]],
  ["Arial", ["Arimo", "Liberation Sans"]],
  ["Helvetica", ["Arimo", "Liberation Sans"]],
  ["Times New Roman", ["Tinos", "Liberation Serif"]],
  ["Times", ["Tinos", "Liberation Serif"]],
  ["Courier New", ["Cousine", "Liberation Mono"]],
  ["Courier", ["Cousine", "Liberation Mono"]],
];

/** The font for each language that draws Han characters in its own way. */
const HAN_FAMILIES: readonly (readonly [language: string, family: string])[] = [
  ["ja", "Noto Sans CJK JP"],
  ["ko", "Noto Sans CJK KR"],
  ["zh-hk", "Noto Sans CJK HK"],
  ["zh-tw", "Noto Sans CJK TC"],
];

/** The last families to try. Most pages with Han characters and no language tag are in simplified Chinese. */
const LAST_FAMILIES = ["Arimo", "Noto Sans CJK SC", ...PACKED_FAMILIES, "Noto Color Emoji"];

export interface FontConfigOptions {
  /** The folder of the configuration file and of fontconfig's cache. */
  readonly folder: string;
  /** Further font folders, in addition to those of the program. */
  readonly more?: readonly string[];
  readonly withSystem: boolean;
}

/** Writes this project's fontconfig file and returns its path, for FONTCONFIG_FILE. */
export async function writeFontConfig(options: FontConfigOptions): Promise<string> {
  const { folder } = options;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, options.withSystem ? "fonts-with-system.conf" : "fonts.conf");
  // Another process may read the file at the same time.
  const temporary = `${path}-${uniqueName()}`;
  try {
    const unpacked = await unpackFonts(folder);
    await writeFile(temporary, fontConfig({ ...options, more: [unpacked, ...(options.more ?? [])] }));
    await rename(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
  return path;
}

function fontConfig({ folder, more = [], withSystem }: FontConfigOptions): string {
  const system = withSystem ? ['<include ignore_missing="yes">/etc/fonts/fonts.conf</include>'] : [];
  return [
    '<?xml version="1.0"?>',
    '<!DOCTYPE fontconfig SYSTEM "fonts.dtd">',
    "<fontconfig>",
    ...[...fontFolders(), ...more, ...SYSTEM_FOLDERS].map((path) => `<dir>${Bun.escapeHTML(path)}</dir>`),
    // Fontconfig writes to the first folder.
    `<cachedir>${Bun.escapeHTML(join(folder, "font-cache"))}</cachedir>`,
    ...system,
    ...GENERIC_FAMILIES.map(([generic, families]) => {
      const preferred = families.map((family) => `<family>${family}</family>`).join("");
      return `<alias binding="strong"><family>${generic}</family><prefer>${preferred}</prefer></alias>`;
    }),
    ...HAN_FAMILIES.map(([language, family]) =>
      lastFamily(family, `<test name="lang" compare="contains"><string>${language}</string></test>`),
    ),
    ...LAST_FAMILIES.map((family) => lastFamily(family, "")),
    "</fontconfig>",
    "",
  ].join("\n");
}

/** A fallback family for characters that the requested families lack. */
function lastFamily(family: string, test: string): string {
  const edit = `<edit name="family" mode="append" binding="weak"><string>${family}</string></edit>`;
  return `<match target="pattern">${test}${edit}</match>`;
}
