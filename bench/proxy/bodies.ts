/** The responses of the origins. */
export const SMALL_BODY = JSON.stringify({
  id: 4711,
  name: "turnpike",
  tags: ["a", "b", "c"],
  price: "0.001",
  ok: true,
});

/** Bytes of the large bodies, by path. */
export const LARGE_BODIES: Readonly<Record<string, number>> = { "/64k": 64 * 1024, "/1m": 1024 * 1024 };

const UNFILLED = JSON.stringify({ id: 4711, name: "turnpike", text: "" });
/** 1 KiB of JSON. */
const MEDIUM_BODY = UNFILLED.replace('""', `"${"x".repeat(1024 - UNFILLED.length)}"`);

/** The cacheable bodies, by path. */
export const CACHED_BODIES: Readonly<Record<string, string>> = {
  "/cached-1k": MEDIUM_BODY,
  "/cached-64k": "x".repeat(64 * 1024),
};

/** A gRPC message of 64 bytes, uncompressed, with its length before it. */
export const GRPC_MESSAGE = Buffer.concat([Buffer.from([0, 0, 0, 0, 64]), Buffer.alloc(64, "turnpike ")]);

/** The body of the response to a GET of the path. */
export function bodyAt(path: string): string {
  if (path === "/small") return SMALL_BODY;
  return CACHED_BODIES[path] ?? "x".repeat(LARGE_BODIES[path] ?? 0);
}
