import { type Services } from "../operations/operation.ts";

/** Extractors of a service that learns nothing. */
export const NO_EXTRACTORS: Services["extractors"] = {
  find: () => Promise.reject(new Error("Cannot find an extractor: this service learns nothing")),
  keep: () => Promise.reject(new Error("Cannot keep an extractor: this service learns nothing")),
};
