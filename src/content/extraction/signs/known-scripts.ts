import { isTracker } from "../../egress/trackers.ts";

/** Suffixes of hosts whose scripts display no page content: consent, monitoring, help, sharing. */
const HARMLESS_HOSTS =
  /(?:^|\.)(?:cookiebot\.(?:com|eu)|cookielaw\.org|onetrust\.com|cookie-script\.com|cookieyes\.com|iubenda\.com|usercentrics\.(?:eu|com)|trustarc\.com|quantcast\.com|consensu\.org|didomi\.io|privacy-center\.org|sourcepoint\.mgr\.consensu\.org|termly\.io|osano\.com|cookiefirst\.com|sp-prod\.net|newrelic\.com|nr-data\.net|sentry\.io|sentry-cdn\.com|bugsnag\.com|datadoghq-browser-agent\.com|speedcurve\.com|cloudflareinsights\.com|plausible\.io|usefathom\.com|umami\.is|goatcounter\.com|simpleanalyticscdn\.com|matomo\.cloud|gtagmanager\.com|intercom\.io|intercomcdn\.com|zdassets\.com|crisp\.chat|tawk\.to|drift\.com|addtoany\.com|addthis\.com|sharethis\.com|recaptcha\.net|hcaptcha\.com|disqus\.com|typekit\.net|fontawesome\.com|polyfill\.io|polyfill-fastly\.io)$/;

/** The same as paths, since many sites serve these scripts from their own hosts. */
const HARMLESS_PATHS =
  /\/(?:gtag\/js|gtm\.js|ga\.js|analytics(?:[.-][\w.-]{1,40})?\.js|matomo\.js|piwik\.js|js\/plausible[\w.-]{0,40}\.js|umami\.js|beacon\.min\.js|fbevents\.js|adsbygoogle\.js|gpt\.js|prebid[\w.-]{0,40}\.js|ads?(?:[.-]\w{1,20}){0,3}\.js|cmp[\w.-]{0,40}\.js|(?:[\w-]{1,30}[.-])?(?:cookie-?(?:consent|law|notice|banner)|consent|gdpr)[\w.-]{0,60}\.js|otsdkstub\.js|uc\.js|klaro[\w.-]{0,20}\.js|tarteaucitron[\w.-]{0,20}\.js|nr-[\w.-]{1,40}\.js|rum[\w.-]{0,20}\.js|recaptcha\/[\w./-]{1,40}\.js|wp-emoji-release\.min\.js|wp-embed(?:\.min)?\.js|comment-reply(?:\.min)?\.js|cdn-cgi\/(?:challenge-platform\/scripts|scripts\/[\w/-]{1,60}\/(?:rocket-loader|email-decode)|zaraz)[\w./-]{0,80}|serviceworker[\w.-]{0,20}\.js|sw-register[\w.-]{0,20}\.js)$/;

/** Libraries that do nothing until other code calls them, by the beginnings of their file names. */
const LIBRARIES = new Set(
  (
    "jquery bootstrap popper modernizr polyfill polyfills corejs core-js regenerator-runtime lodash underscore moment dayjs html5shiv " +
    "html5 respond lazysizes lazyload lazyload-min picturefill swiper slick owl flickity glide splide fancybox lightbox " +
    "lightbox2 glightbox magnific-popup isotope masonry imagesloaded aos wow gsap velocity hammer fastclick instantpage quicklink " +
    "webfont webfontloader focus-visible what-input clipboard hoverintent skip-link-focus-fix smooth-scroll foundation uikit " +
    "materialize fontawesome all-fontawesome headroom sticky tippy superfish photoswipe baguettebox scrollreveal prism"
  ).split(" "),
);

/** The file name of a library, with version and build: jquery-3.7.1.slim.min.js, swiper-bundle.min.js. */
const FILE_NAME = /([\w.-]{1,99})\.m?js$/;
const VERSION =
  /(?:[.-](?:\d+|v\d+|min|slim|bundle|pkgd|core|umd|all|prod|production|migrate|ui|es5|carousel|js|jquery|\w*popup))+$/;

/**
 * Maximum number of characters of a script's address. A longer one matches no known script, and may contain the script
 * itself.
 */
export const MAX_ADDRESS_LENGTH = 2048;

/**
 * Whether the script at this address displays no content by itself: a tracker, an advertisement, a consent dialog or a
 * library.
 */
export function isHarmless(src: string): boolean {
  if (src.length > MAX_ADDRESS_LENGTH) return false;
  const address = src.trim().toLowerCase();
  if (!URL.canParse(address, "http://page.invalid/")) return true;
  const { hostname, pathname } = new URL(address, "http://page.invalid/");
  if (HARMLESS_HOSTS.test(hostname) || isTracker(hostname) || HARMLESS_PATHS.test(pathname)) return true;
  const name = FILE_NAME.exec(pathname.slice(pathname.lastIndexOf("/") + 1))?.[1] ?? "";
  return LIBRARIES.has(name) || LIBRARIES.has(name.replace(VERSION, ""));
}
