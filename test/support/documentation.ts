/**
 * The documentation of the content operations behind a real gateway in test mode; the operations return their examples.
 */
import { FORM_CHECK } from "../../src/payments/x402/charge.ts";
import { createApp } from "../../src/content/app.ts";
import { type Services } from "../../src/content/operations/operation.ts";
import { Uploads } from "../../src/content/operations/upload.ts";
import { OPERATIONS } from "../../src/content/operations/operations.ts";
import { READER_PATH } from "../../src/content/operations/reader-address.ts";
import { pricesOf } from "../../src/content/api/price-list.ts";
import { qrPicture } from "../../src/content/qr/picture.ts";
import { freePort } from "../../src/lib/testing/listen.ts";

import { Folder, Program } from "./program.ts";
import shipped from "../../config/turnpike.json";

const drawn = qrPicture("x", 64, 2);
const PICTURE = drawn instanceof Uint8Array ? drawn : new Uint8Array();

export interface Documentation {
  readonly url: string;
  readonly folder: Folder;
  /** Operations that ran, by name, with their request bodies. */
  readonly runs: { readonly name: string; readonly body: unknown }[];
  stop(): Promise<void>;
}

export async function startDocumentation(): Promise<Documentation> {
  const folder = new Folder();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const runs: { name: string; body: unknown }[] = [];
  const prices = pricesOf(url, fetch);
  // The documents use no service, and a check of a file the limit of uploads alone.
  const services: Partial<Services> = { uploads: new Uploads(1024 * 1024) };
  const app = createApp(services as Services, { prices, firecrawl: true });
  const service = Bun.serve({
    unix: folder.file("content.sock"),
    async fetch(request) {
      const { pathname } = new URL(request.url);
      // A check runs no operation.
      if (request.headers.has(FORM_CHECK)) return await app(request);
      if (pathname === READER_PATH || pathname.startsWith(`${READER_PATH}/`)) {
        runs.push({ name: "reader", body: undefined });
        return new Response();
      }
      const operation = OPERATIONS.find(({ path }) => path === pathname);
      if (operation === undefined || operation.method.toUpperCase() !== request.method) return await app(request);
      runs.push({ name: operation.name, body: request.method === "POST" ? await request.json() : undefined });
      const { contentType, example } = operation.success;
      if (contentType === undefined) return Response.json(example ?? {});
      return new Response(PICTURE, { headers: { "content-type": contentType } });
    },
  });
  const config = {
    ...shipped,
    server: { ...shipped.server, port },
    state_path: folder.path,
    upstreams: [{ name: "content", servers: [{ unix: folder.file("content.sock") }] }],
  };
  const gateway = new Program(["--config", folder.write("turnpike.json", config)]);
  await gateway.sees(/listening on/);
  return {
    url,
    folder,
    runs,
    async stop() {
      await gateway.stop();
      await service.stop(true);
      folder.remove();
    },
  };
}
