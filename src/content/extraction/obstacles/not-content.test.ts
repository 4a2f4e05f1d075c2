import { describe, expect, test } from "bun:test";
import { parseTree } from "../tree/tree.ts";
import { notContent, type Obstacle } from "./not-content.ts";

interface Page {
  readonly html: string;
  readonly status?: number;
  readonly headers?: readonly (readonly [string, string])[];
  readonly url?: string;
}

function obstacleOf({ html, status = 200, headers = [], url = "https://site.test/page" }: Page): Obstacle | undefined {
  const known = { engine: "static", contentType: "text/html", complete: true } as const;
  return notContent(parseTree(html), html, { ...known, body: html, finalUrl: url, statusCode: status, headers });
}

const WORDS =
  "The harbour office publishes the tide tables each spring, and the fishermen pin them to the wall. ".repeat(30);

const page = (title: string, body: string, head = "") =>
  `<!doctype html><html><head><title>${title}</title>${head}</head><body>${body}</body></html>`;

describe("a challenge", () => {
  test.each<[string, Page]>([
    [
      "of Cloudflare, by its field",
      { html: page("x", `<p>${WORDS}</p>`), status: 403, headers: [["CF-Mitigated", "challenge"]] },
    ],
    [
      "of Cloudflare, by its script",
      {
        html: page(
          "Just a moment...",
          `<div class="main-wrapper"><h1>site.test</h1><h2>Verifying you are human. This may take a few seconds.</h2>
           <p>site.test needs to review the security of your connection before proceeding.</p></div>
           <script>window._cf_chl_opt={cvId:'3'};var a=document.createElement('script');a.src='/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1'</script>`,
        ),
        status: 403,
      },
    ],
    [
      "of Cloudflare, older",
      { html: page("Attention Required! | Cloudflare", "<h1>Sorry, you have been blocked</h1>"), status: 403 },
    ],
    [
      "of Cloudflare in another language",
      { html: page("Einen Moment…", `<form id="challenge-form" action="/?__cf_chl_f_tk=x"></form>`), status: 503 },
    ],
    [
      "of AWS",
      {
        html: page(
          "Human Verification",
          `<div id="captcha-container"></div><script>window.gokuProps = {"key":"x"}</script>`,
        ),
        status: 405,
      },
    ],
    ["of AWS, by its field", { html: "", status: 202, headers: [["x-amzn-waf-action", "challenge"]] }],
    [
      "of DataDome",
      {
        html: page(
          "site.test",
          `<p id="cmsg">Please enable JS and disable any ad blocker</p><script>var dd={'rt':'c','host':'geo.captcha-delivery.com'}</script>`,
        ),
        status: 403,
      },
    ],
    [
      "of HUMAN",
      {
        html: page("Access to this page has been denied.", `<div id="px-captcha"></div><p>Press & Hold to confirm</p>`),
        status: 403,
      },
    ],
    [
      "of Akamai",
      {
        html: `<HTML><HEAD><TITLE>Access Denied</TITLE></HEAD><BODY><H1>Access Denied</H1>You don't have permission to access "http://site.test/" on this server.<P>Reference #18.4f2c1.17</BODY></HTML>`,
        status: 403,
      },
    ],
    [
      "of Imperva",
      { html: `<html><head><script src="/_Incapsula_Resource?SWJIYLWA=71"></script></head><body></body></html>` },
    ],
    [
      "of Imperva, in words",
      { html: page("Pardon Our Interruption", "<p>Something about your browser made us think you were a bot.</p>") },
    ],
    [
      "of Anubis",
      {
        html: page(
          "Making sure you&#39;re not a bot!",
          `<script src="/.within.website/x/cmd/anubis/static/js/main.mjs"></script><p>Loading...</p>`,
        ),
      },
    ],
    [
      "of Kasada",
      {
        html: `<script>window.KPSDK={};</script><script src="/149e9513-01fa-4fb0-aad4-566afd725d1b/2d206a39/ips.js"></script>`,
        status: 429,
      },
    ],
    ["of Vercel", { html: page("Vercel Security Checkpoint", "<p>We're verifying your browser</p>"), status: 429 }],
    [
      "of F5",
      {
        html: "<html><body>The requested URL was rejected. Please consult with your administrator.<br>Your support ID is: 12</body></html>",
      },
    ],
    [
      "of DDoS-Guard",
      {
        html: page("DDoS-Guard", `<script src="/.well-known/ddos-guard/js-challenge/index.js"></script>`),
        status: 403,
      },
    ],
    [
      "of a search engine",
      {
        html: page(
          "Sorry...",
          `<form id="captcha-form"></form><p>Our systems have detected unusual traffic from your computer network.</p>`,
        ),
        status: 429,
      },
    ],
    [
      "of a shop",
      {
        html: page(
          "Robot Check",
          `<form action="/errors/validateCaptcha"><h4>Enter the characters you see below</h4></form>`,
        ),
      },
    ],
    [
      "by a widget and its words",
      {
        html: page(
          "Security",
          `<p>Please verify you are human to continue.</p><div class="h-captcha" data-sitekey="x"></div>`,
        ),
      },
    ],
    ["in plain words", { html: page("Hold on", "<p>Are you a robot? Prove that you are human.</p>"), status: 429 }],
  ])("%s is recognised", (_what, found) => {
    expect(obstacleOf(found)?.reason).toBe("challenge");
  });

  test.each<[string, Page]>([
    [
      "a page about challenges",
      {
        html: page(
          "How Cloudflare's Just a moment... works",
          `<article><p>${WORDS}</p><pre>_cf_chl_opt /cdn-cgi/challenge-platform/ Verify you are human</pre></article>`,
        ),
      },
    ],
    [
      "a sign-in form with a widget",
      {
        html: page(
          "Sign in",
          `<h1>Welcome back</h1><form><label>Name <input></label><div class="g-recaptcha"></div><button>Sign in</button></form><p>${"Forgot your password? Contact us. ".repeat(4)}</p>`,
        ),
      },
    ],
    [
      "a page that Cloudflare serves and watches",
      {
        html: page("Tides", `<p>${WORDS}</p><script src="/cdn-cgi/challenge-platform/scripts/jsd/main.js"></script>`),
        headers: [["server", "cloudflare"]],
      },
    ],
    [
      "a short page that walls watch",
      {
        html: page(
          "Tides",
          `<h1>Tides</h1><p>${WORDS.slice(0, 300)}</p><script>a.src='/cdn-cgi/challenge-platform/scripts/jsd/main.js'</script>
           <script src="/_Incapsula_Resource?SWJIYLWA=71"></script><script src="https://x.token.awswaf.com/challenge.js"></script>
           <script>window.KPSDK={}</script><script>window._pxAppId = 'PX1'</script>`,
        ),
      },
    ],
    [
      "a short page that walls watch from other places",
      {
        html: page(
          "Tides",
          `<h1>Tides</h1><p>${WORDS.slice(0, 300)}</p><script>a.src='/cdn-cgi/challenge-platform/h/b/scripts/jsd/22755d9a86c9/main.js'</script>
           <script>a.src='/cdn-cgi/challenge-platform/scripts/invisible.js?ts=1'</script>`,
        ),
      },
    ],
    [
      "a form to write by, which asks for a person too",
      {
        html: page(
          "Contact",
          `<h1>Contact</h1><form><label>Your mail <input name="mail" type="email"></label><textarea name="text"></textarea>
           <p>Please verify you are human.</p><div class="g-recaptcha"></div><button>Send</button></form>`,
        ),
      },
    ],
    [
      "a short page with slides",
      { html: page("Slides", `<p>${WORDS.slice(0, 200)} Next slide.</p><script src="/js/budgt.js"></script>`) },
    ],
    [
      "a plain refusal",
      {
        html: page("403 Forbidden", "<h1>Forbidden</h1><p>You lack the right to see this directory.</p>"),
        status: 403,
      },
    ],
    ["a short page", { html: page("Human", "<p>To err is human.</p>") }],
    ["a missing page", { html: page("Not found", "<h1>404</h1><p>No such page.</p>"), status: 404 }],
  ])("%s is not a challenge", (_what, found) => {
    expect(obstacleOf(found)).toBeUndefined();
  });
});

const CONSENT = `<h2>We value your privacy</h2><p>We and our 842 partners store and access information on a device, such as cookies, and process personal data.</p><button>Accept all</button><button>Reject all</button>`;

describe("a consent wall", () => {
  test.each<[string, Page]>([
    [
      "of an address of its own",
      {
        html: page(
          "Before you continue",
          `<p>We use cookies and data to deliver our services.</p><button>Accept all</button><button>Reject all</button>`,
        ),
        url: "https://consent.site.test/m?continue=x",
      },
    ],
    [
      "of links to press",
      {
        html: page(
          "News",
          `<div class="cookie-modal"><p>We and our partners use cookies and the like to measure what you read here.</p><a href="#">Accept all</a></div>`,
        ),
      },
    ],
    [
      "with nothing behind it",
      { html: page("News", `<div id="onetrust-consent-sdk"><div class="ot-sdk-container">${CONSENT}</div></div>`) },
    ],
    [
      "that a script will leave",
      {
        html: page(
          "Zeitung",
          `<header>Zeitung</header><div class="cookie-wall"><p>Mit Werbung und Cookies weiterlesen: Wir und unsere Partner verarbeiten personenbezogene Daten.</p><button>Akzeptieren und weiter</button></div>`,
        ),
      },
    ],
  ])("%s is recognised", (_what, found) => {
    expect(obstacleOf(found)?.reason).toBe("consent-wall");
  });

  test.each<[string, Page]>([
    [
      "a page with a banner",
      { html: page("Tides", `<article><p>${WORDS}</p></article><div id="onetrust-consent-sdk">${CONSENT}</div>`) },
    ],
    [
      "a page about cookies",
      {
        html: page(
          "Cookie policy",
          `<main class="cookie-policy"><h1>Cookies</h1><p>${"We use cookies, and you may accept or reject them. ".repeat(20)}</p></main>`,
        ),
      },
    ],
    [
      "a page about cookies in a box that is named for them",
      {
        html: page(
          "Cookie notice",
          `<div class="gdpr-page"><div id="cookie-notice"><h1>Cookies</h1><p>${"We use cookies, and you may accept or reject them. ".repeat(20)}</p></div></div>`,
        ),
      },
    ],
    [
      "a guide that is named like a box, with links",
      {
        html: page(
          "Guide",
          `<main class="gdpr-guide"><h1>Guide</h1><p>${"The law says when consent is needed for tracking by cookies. ".repeat(20)}</p><a href="/x">Allow lists</a></main>`,
        ),
      },
    ],
    [
      "a page about consent at an address of that name",
      {
        html: page(
          "Consent",
          `<h1>Consent</h1><p>${"A patient may give or refuse consent to treatment. ".repeat(20)}</p>`,
        ),
        url: "https://site.test/consent/treatment",
      },
    ],
    [
      "an article below a long list of partners",
      {
        html: page(
          "Tides",
          `<div id="onetrust-consent-sdk">${CONSENT}<p>${"Some partner that may set cookies. ".repeat(900)}</p></div><article><p>${WORDS}</p></article>`,
        ),
      },
    ],
  ])("%s is not a consent wall", (_what, found) => {
    expect(obstacleOf(found)).toBeUndefined();
  });
});

describe("a page without content", () => {
  test.each<[string, Page]>([
    ["nothing at all", { html: "" }],
    ["an empty root", { html: page("App", `<div id="root"></div><script src="/main.js"></script>`) }],
    [
      "hidden words alone",
      { html: page("App", `<p hidden>x</p><p style="display: none">y</p><noscript>Enable scripts</noscript>`) },
    ],
    ["a word that it loads", { html: page("App", `<div class="spinner">Loading…</div>`) }],
  ])("is %s", (_what, found) => {
    expect(obstacleOf(found)?.reason).toBe("empty");
  });

  test("names the status of an error response without content", () => {
    expect(obstacleOf({ html: "", status: 500 })?.detail).toBe("it has no content; its server responded with 500");
  });

  test.each<[string, string]>([
    ["a word", "<p>Hi"],
    ["a picture", "<img src=a.png>"],
    ["a drawing", "<svg><path d=''/></svg>"],
    ["a form", "<input>"],
  ])("is not a page that has %s", (_what, html) => {
    expect(obstacleOf({ html })).toBeUndefined();
  });
});

test.each<[string, string]>([
  ["brackets", "<".repeat(1_000_000)],
  ["nested elements", "<div class=cookie-banner>".repeat(100_000)],
  ["quotes that do not end", 'class="'.repeat(200_000)],
  ["the beginnings of marks", "px-cloud.net/".repeat(50_000)],
  ["one long word", "x".repeat(3_000_000)],
  ["a long title", `<title>${"access denied | ".repeat(100_000)}`],
])("a page of %s is examined in time", (_what, html) => {
  expect(["challenge", "consent-wall", "empty", undefined]).toContain(obstacleOf({ html })?.reason);
});
