import { type Steps } from "./slices.ts";

/** Items of a list that are written in several steps. */
const LONG = 100;

/** The text that JSON.stringify makes of an object. Its long lists are written item by item. */
export function* jsonSteps(value: unknown): Steps<string> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return JSON.stringify(value);
  const members: string[] = [];
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined) continue;
    members.push(`${JSON.stringify(key)}:${yield* memberSteps(member)}`);
    yield;
  }
  return `{${members.join(",")}}`;
}

function* memberSteps(value: unknown): Steps<string> {
  if (!Array.isArray(value) || value.length < LONG) return JSON.stringify(value);
  const items: string[] = [];
  for (const item of value as unknown[]) {
    items.push(JSON.stringify(item) ?? "null");
    yield;
  }
  return `[${items.join(",")}]`;
}
