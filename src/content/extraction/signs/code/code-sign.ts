import { type Document } from "domhandler";
import { type Survey } from "../survey.ts";
import { Effects } from "./effects.ts";
import { PageElements } from "./page-elements.ts";
import { Scopes, type Source } from "./scopes.ts";
import { parse, type Script } from "./syntax.ts";
import { Values } from "./values.ts";

/** Characters of all scripts of a page that are parsed. @bound */
const MAX_CODE = 1_500_000;

/** The evidence that the scripts of a page, external ones included, change its content without a user's action. */
export function codeSign(tree: Document, survey: Survey, external: readonly Script[]): string | undefined {
  let left = MAX_CODE;
  const inline = survey.code.inline.map(({ code, isModule, element }) => ({ url: "", code, isModule, element }));
  const scopes = new Scopes();
  const exported = new Map<string, ReadonlyMap<string, Source>>();
  const scripts = [...inline, ...external.map((script) => ({ ...script, element: undefined }))].flatMap((script) => {
    left -= script.code.length;
    const program = left < 0 ? undefined : parse(script);
    if (program === undefined) return [];
    exported.set(script.url, scopes.add(program, script.isModule));
    return [{ ...script, program }];
  });
  const values = new Values(scopes, new PageElements(tree, survey), (name, from) => {
    const file = from.replace(/^.*\//, "");
    const url = [...exported.keys()].find((one) => one !== "" && one.replace(/[?#].*$/, "").endsWith(`/${file}`));
    return url === undefined ? undefined : exported.get(url)?.get(name);
  });
  const effects = new Effects(values);
  for (const { program, code, element } of scripts) {
    values.ownElement = element;
    effects.run(program, code);
    if (effects.sign !== undefined) return effects.sign;
  }
  return undefined;
}
