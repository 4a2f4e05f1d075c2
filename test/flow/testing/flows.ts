import { type Flow } from "./flow.ts";
import { CACHE_FLOWS } from "./cache-flows.ts";
import { CODEC_FLOWS } from "./codec-flows.ts";
import { HTTP3_FLOWS } from "./http3-flows.ts";
import { BODY_FLOWS } from "./body-flows.ts";
import { RELAY_FLOWS } from "./relay-flows.ts";
import { RESPONSE_FLOWS } from "./response-flows.ts";

/** Every implementation that the contract covers. */
export const FLOWS: readonly Flow[] = [
  ...CODEC_FLOWS,
  ...HTTP3_FLOWS,
  ...CACHE_FLOWS,
  ...BODY_FLOWS,
  ...RELAY_FLOWS,
  ...RESPONSE_FLOWS,
];
