import { type Target } from "../target.ts";
import { CHUNKED } from "./chunked.ts";
import { HPACK } from "./hpack.ts";
import { HTTP1_RESPONSES } from "./http1-responses.ts";
import { HTTP1 } from "./http1.ts";
import { HTTP2 } from "./http2.ts";

export const TARGETS: readonly Target[] = [HTTP1, HTTP1_RESPONSES, CHUNKED, HPACK, HTTP2];
