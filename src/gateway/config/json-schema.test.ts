import { expect, test } from "bun:test";
import * as z from "zod";
import { publishedSchema } from "./json-schema.ts";
import { reference } from "../../../scripts/reference/config-reference.ts";

const file = (path: string) => Bun.file(new URL(path, import.meta.url));

async function publishedValidator(): Promise<z.ZodType> {
  return z.fromJSONSchema(await file("../../../turnpike.schema.json").json());
}

test("the published files match this schema", async () => {
  expect(await file("../../../turnpike.schema.json").json()).toEqual(JSON.parse(JSON.stringify(publishedSchema())));
  expect(await file("../../../docs/configuration.md").text()).toBe(reference());
});

test("the published schema accepts files that the loader accepts", async () => {
  const validator = await publishedValidator();
  for (const name of ["empty", "available-keys", "every-key"]) {
    expect(validator.safeParse(await file(`testdata/${name}.json`).json()).error?.issues).toBeUndefined();
  }
});

test("the published schema refuses files with wrong types and unknown keys", async () => {
  const validator = await publishedValidator();
  for (const name of ["wrong-types", "unknown-keys", "not-an-object"]) {
    expect(validator.safeParse(await file(`testdata/${name}.json`).json()).success).toBe(false);
  }
});

test("every key is described", () => {
  const bare: string[] = [];
  const visit = (value: unknown, path: string): void => {
    if (typeof value !== "object" || value === null) return;
    if (Array.isArray(value)) {
      for (const item of value) visit(item, path);
      return;
    }
    for (const [key, child] of Object.entries(value)) {
      if (key === "default") continue;
      if (key === "properties") describeAll(child, path);
      else visit(child, path);
    }
  };
  const describeAll = (properties: unknown, path: string): void => {
    for (const [key, child] of Object.entries(properties ?? {})) {
      const text: unknown = Reflect.get(child, "description");
      if (typeof text !== "string" || !text.endsWith(".")) bare.push(`${path}.${key}`);
      visit(child, `${path}.${key}`);
    }
  };
  visit(publishedSchema(), "");
  expect(bare).toEqual([]);
});
