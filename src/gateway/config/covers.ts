import { type RouteConfig, type RouteX402Config } from "./config.ts";

type Rule = RouteX402Config["rules"][number];
type Match = Omit<NonNullable<RouteConfig["match"]>, "exact_path">;

/** Conditions that must all hold. Each is a list of texts, of which one must hold. */
export type Condition = readonly (readonly string[])[];

/** True if each request that fulfils `other` fulfils `one` too. Patterns are compared as texts. */
export function covers(one: Condition, other: Condition): boolean {
  return one.every((texts) => other.some((others) => others.every((text) => texts.includes(text))));
}

/** The conditions of a match. Only the first of several conditions for one name counts. */
export function conditionOfMatch({ path_pattern: pattern, methods, headers, query, grpc }: Match): Condition {
  const texts = {
    path: pattern === undefined ? [] : [pattern],
    method: methods,
    grpc: grpc === undefined ? [] : [JSON.stringify(grpc)],
  };
  return [
    ...Object.entries(texts).flatMap(([kind, of]) => (of.length === 0 ? [] : [of.map((text) => `${kind} ${text}`)])),
    ...headers.flatMap((test) => present("field", test.name.toLowerCase(), { ...test, name: "" })),
    ...query.flatMap((test) => present("query", test.name, test)),
  ];
}

/** The conditions of a price rule. */
export function conditionOfRule({
  match,
  consumers,
  payers,
  body,
  body_bytes: bytes,
  utc_hours: hours,
}: Rule): Condition {
  return [
    ...conditionOfMatch(match),
    ...conditionOfConsumers(consumers),
    ...(payers.length === 0 ? [] : [payers.map((payer) => `payer ${payer}`)]),
    ...body.flatMap((test) => present("body", test.pointer, test)),
    ...(bytes === undefined ? [] : [[`bytes ${JSON.stringify(bytes)}`]]),
    ...(hours === undefined ? [] : [[`hours ${JSON.stringify(hours)}`]]),
  ];
}

/** The condition that the consumer has one of these names; `*`: any name. */
export function conditionOfConsumers(names: readonly string[]): Condition {
  if (names.length === 0) return [];
  return [["consumer"], ...(names.includes("*") ? [] : [names.map((name) => `consumer ${name}`)])];
}

/** A value that is tested must be present too. */
function present(kind: string, name: string, test: object): Condition {
  const there = `${kind} ${JSON.stringify(name)}`;
  return [[there], ...(Object.keys(test).length > 1 ? [[`${there} ${JSON.stringify(test)}`]] : [])];
}
