import { JSON_FORMAT, type TextFormat } from "./text-format.ts";

/** The format of the file at `path`. Parsers are loaded only if needed, because that slows the start. */
export async function formatOf(path: string): Promise<TextFormat> {
  if (/\.ya?ml$/i.test(path)) return (await import("./yaml.ts")).YAML_FORMAT;
  if (/\.jsonc$/i.test(path)) return (await import("./jsonc.ts")).JSONC_FORMAT;
  return JSON_FORMAT;
}
