/** A JSON object as texts, for another thread: it is written and read in slices. */
import { type Steps } from "../slices.ts";

/** Items of a list in one text. */
const ITEMS = 50;

/** The members of an object. A long list is several texts with some of its items each. */
export type PackedJson = readonly (readonly [key: string, text: string | readonly string[]])[];

/** Packs an object. */
export function* packSteps(value: object): Steps<PackedJson> {
  const packed: [string, string | string[]][] = [];
  for (const [key, member] of Object.entries(value)) {
    yield;
    if (member === undefined) continue;
    if (!Array.isArray(member) || member.length <= ITEMS) {
      packed.push([key, JSON.stringify(member)]);
      continue;
    }
    const texts: string[] = [];
    for (let i = 0; i < member.length; i += ITEMS) {
      texts.push(JSON.stringify(member.slice(i, i + ITEMS)));
      yield;
    }
    packed.push([key, texts]);
  }
  return packed;
}

/** The text that JSON.stringify makes of a value. The long lists of an object are written in several steps. */
export function* jsonSteps(value: unknown): Steps<string> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return JSON.stringify(value);
  const members = (yield* packSteps(value)).map(([key, text]) => {
    return `${JSON.stringify(key)}:${typeof text === "string" ? text : `[${text.map((items) => items.slice(1, -1)).join(",")}]`}`;
  });
  return `{${members.join(",")}}`;
}

/** The object that was packed. */
export function* unpackSteps(packed: PackedJson): Steps<object> {
  const members: [string, unknown][] = [];
  for (const [key, text] of packed) {
    yield;
    if (typeof text === "string") {
      members.push([key, JSON.parse(text)]);
      continue;
    }
    const items: unknown[] = [];
    for (const part of text) {
      items.push(...(JSON.parse(part) as unknown[]));
      yield;
    }
    members.push([key, items]);
  }
  return Object.fromEntries(members);
}
