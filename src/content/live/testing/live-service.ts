import { expect } from "bun:test";
import { join } from "node:path";
import { baseUrl, call } from "../../testing/client.ts";
import { hasNamespaces } from "../../testing/namespaces.ts";
import { startTestService, type TestService } from "../../testing/service.ts";

const COMMAND = [process.execPath, join(import.meta.dir, "../../../cli/main.ts"), "browser-cell"];

export interface Sold {
  readonly id: string;
  readonly token: string;
  /** The address of the WebSocket for clients. */
  readonly url: string;
  /** The address of the WebSocket for viewers, and their token. */
  readonly view: string;
  readonly viewToken: string;
  /** The token of viewers who may act. */
  readonly controlToken: string;
}

export interface LiveService extends TestService {
  readonly buy: (minutes?: number) => Promise<Sold>;
  /** Requests the state of a browser, or ends it. */
  readonly about: (sold: Pick<Sold, "id" | "token">, method?: string) => Promise<Response>;
}

/** The settings of a service of tests that sells browsers by the minute, without the reason if it cannot. */
export function liveOptions({ max = 2, idleMs }: { readonly max?: number; readonly idleMs?: number } = {}) {
  return { max, maxMinutes: 30, command: COMMAND, ...(idleMs === undefined ? {} : { idleMs }) };
}

/** A content service that sells browsers by the minute. */
export async function startLiveService(settings: Parameters<typeof liveOptions>[0] = {}): Promise<LiveService> {
  const errors: string[] = [];
  const started = await startTestService({
    ...(hasNamespaces ? { live: liveOptions(settings) } : {}),
    log: (level, message) => void (level === "error" && errors.push(message)),
  });
  const base = baseUrl(started.service);
  return {
    ...started,
    async buy(minutes = 10) {
      const { status, json } = await call(started.service, "/browsers", { minutes });
      expect([status, errors]).toEqual([201, []]);
      return soldOf(base, json);
    },
    about: ({ id, token }, method = "GET") =>
      fetch(`${base}/browsers/${id}`, { method, headers: { "x-browser-token": token } }),
  };
}

/** The browser of a response of `POST /browsers`. */
export function soldOf(base: string, json: Readonly<Record<string, unknown>>): Sold {
  const [view = "", viewToken = ""] = String(json["view"]).split("#");
  const ws = base.replace("http", "ws");
  return {
    id: String(json["id"]),
    token: String(json["token"]),
    url: ws + String(json["connect"]),
    view: ws + view,
    viewToken,
    controlToken: String(json["control"]).split("#")[1] ?? "",
  };
}
