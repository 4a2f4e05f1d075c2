import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../../lib/testing/listen.ts";
import { isInstalled } from "../../../lib/testing/installed.ts";

const PROGRAM = "/usr/bin/searx-run";

/** Whether Debian's searx is installed. */
export const HAS_SEARX = isInstalled("searx", existsSync(PROGRAM));

export interface Searx {
  readonly url: string;
  close(): Promise<void>;
}

/** Settings of searx 1.1 with one engine, which reads JSON from `engineUrl`. The file is JSON, which is valid YAML. */
function settings(engineUrl: string, port: number): string {
  return JSON.stringify({
    general: { debug: false, instance_name: "searx", contact_url: false, enable_stats: false },
    brand: Object.fromEntries(
      ["git_url", "git_branch", "issue_url", "docs_url", "public_instances", "wiki_url", "twitter_url"].map((name) => [
        name,
        "",
      ]),
    ),
    search: {
      safe_search: 0,
      autocomplete: "",
      default_lang: "en",
      ban_time_on_fail: 0,
      max_ban_time_on_fail: 0,
      prefer_configured_language: false,
      formats: ["html", "json"],
    },
    server: {
      port,
      bind_address: "127.0.0.1",
      secret_key: "made-for-a-test",
      base_url: false,
      image_proxy: false,
      http_protocol_version: "1.0",
      method: "GET",
      default_http_headers: {},
    },
    ui: {
      autofocus: false,
      archive_today: false,
      static_path: "/usr/share/python3-searx/static",
      templates_path: "/usr/share/python3-searx/templates",
      default_theme: "oscar",
      default_locale: "en",
      theme_args: { oscar_style: "logicodev" },
    },
    outgoing: { request_timeout: 10, useragent_suffix: "", pool_connections: 10, pool_maxsize: 10 },
    checker: { off_when_debug: true },
    engines: [
      {
        name: "made",
        engine: "json_engine",
        shortcut: "md",
        categories: "general",
        paging: true,
        enable_http: true,
        search_url: `${engineUrl}?q={query}&page={pageno}`,
        results_query: "results",
        url_query: "url",
        title_query: "title",
        content_query: "content",
        timeout: 10,
      },
    ],
    locales: { en: "English" },
    doi_resolvers: { none: "https://doi.invalid/" },
    default_doi_resolver: "none",
  });
}

/** Starts Debian's searx on a loopback port, with one test engine behind it. */
export async function startSearx(engineUrl: string): Promise<Searx> {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-searx-"));
  const port = await freePort();
  const file = join(folder, "settings.yml");
  await Bun.write(file, settings(engineUrl, port));
  const child = Bun.spawn([PROGRAM], {
    // The environment of the test is not passed on, since searx would use its proxy settings, for example.
    env: { PATH: "/usr/bin:/bin", LANG: "C.UTF-8", SEARX_SETTINGS_PATH: file, HOME: folder },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const said = child.stderr.text();
  const url = `http://127.0.0.1:${port}/`;
  while (!(await responses(url))) {
    if (child.exitCode !== null) throw new Error(`Cannot start searx: ${(await said).slice(-2_000)}`);
    await Bun.sleep(50);
  }
  return {
    url,
    async close() {
      child.kill();
      await child.exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function responses(url: string): Promise<boolean> {
  return await fetch(`${url}healthz`).then(
    () => true,
    () => false,
  );
}
