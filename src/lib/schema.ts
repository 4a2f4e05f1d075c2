/** Zod's functions by name, for schemas with the method `openapi`. */
import { z } from "@hono/zod-openapi";

export { type output as Output, ZodObject, type ZodOptional, type ZodString, type ZodUnknown } from "zod";

export const {
  array,
  boolean,
  discriminatedUnion,
  enum: oneOf,
  int,
  iso,
  literal,
  looseObject,
  number,
  object,
  partialRecord,
  record,
  strictObject,
  string,
  toJSONSchema,
  union,
  unknown,
} = z;
