import { type Document } from "domhandler";
import { type Script } from "../../tree/extraction.ts";
import { type Survey } from "../survey.ts";
import { Effects } from "./effects/effects.ts";
import { Evaluator } from "./values/evaluator.ts";
import { PageElements } from "./values/page-elements.ts";
import { type Source } from "./syntax/scope.ts";
import { Scopes } from "./syntax/scopes.ts";
import { parse } from "./syntax/syntax.ts";

/** Characters of all scripts of a page that are parsed. @bound */
const MAX_CODE = 1_500_000;

/** Characters. A longer script contains libraries. */
const MAX_OWN_CODE = 10_000;

/** The beginning of a part of a bundle, whose libraries are in other parts. */
const BUNDLED = /webpackChunk|webpackJsonp|TURBOPACK|parcelRequire|System\.register|__NUXT__/;

/** A name of a module in an import map, and its address. */
const NAMED = /"([^"]{1,200})"\s*:\s*"([^"]{1,300})"/g;

/** The evidence that the scripts of a page, external ones included, change its content without a user's action. */
export function codeSign(tree: Document, survey: Survey, external: readonly Script[]): string | undefined {
  let left = MAX_CODE;
  const inline = survey.code.inline.map(({ code, isModule, element }) => ({
    url: "",
    code,
    isModule,
    element,
    isComponent: false,
  }));
  const scopes = new Scopes();
  const exported = new Map<string, ReadonlyMap<string, Source>>();
  const scripts = [...inline, ...external.map((script) => ({ ...script, element: undefined }))].flatMap((script) => {
    left -= script.code.length;
    const program = left < 0 ? undefined : parse(script);
    if (program === undefined) return [];
    const isLibrary = script.code.length > MAX_OWN_CODE;
    const hasParts =
      isLibrary ||
      BUNDLED.test(script.code.slice(0, 300)) ||
      program.body.some(({ type }) => type === "ImportDeclaration");
    const code = { text: script.code, isLibrary, hasParts };
    const names = unlessTooDeep(() => scopes.add(program, script.isModule, code));
    if (names === undefined) return [];
    exported.set(script.url, names);
    return [{ ...script, code, program }];
  });
  const named = new Map(
    survey.code.importMaps.flatMap((map) => [...map.matchAll(NAMED)].map(([, name, to]) => [name, to])),
  );
  const values = new Evaluator(scopes, new PageElements(tree, survey), (name, from) => {
    const file = (named.get(from) ?? from).replace(/[?#].*$/, "").replace(/^.*\//, "");
    const url = [...exported.keys()].find((one) => one !== "" && one.replace(/[?#].*$/, "").endsWith(`/${file}`));
    return url === undefined ? undefined : exported.get(url)?.get(name);
  });
  const effects = new Effects(values);
  for (const { program, code, element, url, isComponent } of scripts) {
    values.ownElement = element;
    unlessTooDeep(() => {
      effects.run(program, code);
      if (isComponent === true) effects.runExports(exported.get(url)?.values() ?? []);
    });
    effects.finish();
    if (effects.sign !== undefined) return effects.sign;
  }
  return undefined;
}

/** The result of a search. Undefined if the code is nested too deep for the stack, as for the parser. */
function unlessTooDeep<Result>(search: () => Result): Result | undefined {
  try {
    return search();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return undefined;
  }
}
