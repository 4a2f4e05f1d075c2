import { paragraphs, sentences } from "./prose.ts";

/** Common parts of pages, from third parties and from the sites themselves. */
export const ANALYTICS = `<script async src="/gtag/js?id=G-1"></script>
<script>window.dataLayer = window.dataLayer || []; function gtag(){dataLayer.push(arguments);} gtag('js', new Date()); gtag('config', 'G-1');</script>`;
export const TAG_MANAGER = `<script>(function(w,d,s,l,i){w[l]=w[l]||[];w[l].push({'gtm.start':new Date().getTime(),event:'gtm.js'});var f=d.getElementsByTagName(s)[0],j=d.createElement(s),dl=l!='dataLayer'?'&l='+l:'';j.async=true;j.src='/gtm.js?id='+i+dl;/* www.googletagmanager.com */ var host = "googletagmanager.com"; f.parentNode.insertBefore(j,f);})(window,document,'script','dataLayer','GTM-X');</script>`;
export const ADS = `<div class="ad-slot" id="div-gpt-ad-1"></div><script async src="/js/adsbygoogle.js"></script><script>(adsbygoogle = window.adsbygoogle || []).push({});</script>`;
export const MATOMO = `<script>var _paq = window._paq = window._paq || []; _paq.push(['trackPageView']); (function() { var u="/js/"; var d=document, g=d.createElement('script'), s=d.getElementsByTagName('script')[0]; g.async=true; g.src=u+'matomo.js'; s.parentNode.insertBefore(g,s); })();</script>`;
export const JSON_LD = `<script type="application/ld+json">{"@context":"https://schema.org","@type":"NewsArticle","headline":"A bridge","datePublished":"2026-05-04"}</script>`;
export const JQUERY = '<script src="/js/jquery-3.7.1.min.js"></script>';
export const SITE = '<script src="/js/site.js" defer></script>';
export const NO_JS = `<script>document.documentElement.className = document.documentElement.className.replace("no-js", "js");</script>`;

/** An article like those of news sites and blogs. */
export function article(seed: number, count = 7): string {
  return `<article><h1>The bridge of the valley, part ${seed}</h1><p class="byline">By <a href="/authors/ida">Ida Lund</a>, <time datetime="2026-05-0${(seed % 9) + 1}">${(seed % 9) + 1} May 2026</time></p>
<figure><img src="/pictures/bridge-${seed}.jpg" alt="The bridge at dusk" width="800" height="450"><figcaption>The bridge at dusk. Picture: K. Aho</figcaption></figure>
${paragraphs(count, seed)}
<h2>What comes next</h2>${paragraphs(2, seed + 3)}<blockquote><p>${sentences(1, seed + 4)}</p></blockquote></article>`;
}
