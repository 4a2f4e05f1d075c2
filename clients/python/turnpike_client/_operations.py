"""One method for each operation. Made by scripts/generate.ts; changes here are lost."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeVar
from urllib.parse import quote

from ._responses import File
from .jobs import AsyncJob, Job
from .types import (
    BasicAuth,
    BatchResponse,
    BrowserResponse,
    BrowserState,
    Changes,
    ClickAction,
    Cookie,
    EvaluateAction,
    ExtractResponse,
    FillAction,
    Format,
    Geolocation,
    Health,
    HoverAction,
    JsonFormat,
    MapResponse,
    ParseResponse,
    PressAction,
    ReadResponse,
    ResolveResponse,
    ScrapeAction,
    ScrapeResponse,
    ScreenshotAction,
    ScreenshotFormat,
    ScrollAction,
    SearchContentResponse,
    SearchResponse,
    SelectAction,
    SessionList,
    SessionResponse,
    SessionState,
    SessionStatus,
    SummaryFormat,
    Viewport,
    WaitAction,
    Webhook,
    WriteAction,
)

T = TypeVar("T")


class Operations(ABC):
    """The operations. `price_limit` is the highest price of the call, in place of that of the payer."""

    def search(
        self,
        query: str,
        *,
        count: int | None = None,
        page: int | None = None,
        site: str | None = None,
        exclude_site: Sequence[str] | None = None,
        after: str | None = None,
        before: str | None = None,
        lang: str | None = None,
        timeout: int | None = None,
        price_limit: str | None = None,
    ) -> SearchResponse:
        """
        Search the web.

        :param query: Search query: words, phrases in quotation marks, and -words.
        :param count: Number of results on a page; default 10.
        :param page: Page of results; page × count is at most 200; default 1.
        :param site: Host whose pages are wanted, with its subdomains.
        :param exclude_site: Hosts whose pages are left out, with their subdomains.
        :param after: First day of publication.
        :param before: Last day of publication.
        :param lang: Language of results, by ISO 639-1.
        :param timeout: Search timeout in seconds; default 30.
        """
        body: dict[str, Any] = {
            "query": query,
            "count": count,
            "page": page,
            "site": site,
            "exclude_site": exclude_site,
            "after": after,
            "before": before,
            "lang": lang,
            "timeout": timeout,
        }
        return self._json(SearchResponse, "POST", "/search", body, price_limit)

    def search_content(
        self,
        query: str,
        *,
        count: int | None = None,
        page: int | None = None,
        site: str | None = None,
        exclude_site: Sequence[str] | None = None,
        after: str | None = None,
        before: str | None = None,
        lang: str | None = None,
        timeout: int | None = None,
        content: Literal["markdown"] = "markdown",
        pages: int | None = None,
        max_length: int | None = None,
        price_limit: str | None = None,
    ) -> SearchContentResponse:
        """
        Search the web and read the first results.

        :param query: Search query: words, phrases in quotation marks, and -words.
        :param count: Number of results on a page; default 10.
        :param page: Page of results; page × count is at most 200; default 1.
        :param site: Host whose pages are wanted, with its subdomains.
        :param exclude_site: Hosts whose pages are left out, with their subdomains.
        :param after: First day of publication.
        :param before: Last day of publication.
        :param lang: Language of results, by ISO 639-1.
        :param timeout: Search timeout in seconds; default 30.
        :param content: Format of the contents.
        :param pages: Number of first results that are read; default 3.
        :param max_length: Maximum length of a page's content in characters; longer content is cut; default 20000.
        """
        body: dict[str, Any] = {
            "query": query,
            "count": count,
            "page": page,
            "site": site,
            "exclude_site": exclude_site,
            "after": after,
            "before": before,
            "lang": lang,
            "timeout": timeout,
            "content": content,
            "pages": pages,
            "max_length": max_length,
        }
        return self._json(SearchContentResponse, "POST", "/search/content", body, price_limit)

    def map(
        self,
        url: str,
        *,
        search: str | None = None,
        limit: int | None = None,
        subdomains: bool | None = None,
        ignore_query: bool | None = None,
        include_paths: Sequence[str] | None = None,
        exclude_paths: Sequence[str] | None = None,
        sitemap: Literal["include", "only", "skip"] | None = None,
        timeout: int | None = None,
        price_limit: str | None = None,
    ) -> MapResponse:
        """
        List the addresses of a site.

        :param url: Any address of the site; http and https only.
        :param search: Only addresses that contain one of these words, or whose title does; the best first.
        :param limit: Maximum number of addresses; default 5000.
        :param subdomains: Also addresses of hosts below the site's; default false.
        :param ignore_query: Return addresses without their query, each once; default false.
        :param include_paths: Regular expressions; only paths that one of them matches anywhere are returned.
        :param exclude_paths: Regular expressions; paths that one of them matches anywhere are left out.
        :param sitemap: Use of the site's sitemaps beside its first pages and the search index; default "include".
        :param timeout: Time for all of it, in seconds; default 30.
        """
        body: dict[str, Any] = {
            "url": url,
            "search": search,
            "limit": limit,
            "subdomains": subdomains,
            "ignore_query": ignore_query,
            "include_paths": include_paths,
            "exclude_paths": exclude_paths,
            "sitemap": sitemap,
            "timeout": timeout,
        }
        return self._json(MapResponse, "POST", "/map", body, price_limit)

    def crawl(
        self,
        urls: Sequence[str],
        *,
        limit: int | None = None,
        max_depth: int | None = None,
        include_paths: Sequence[str] | None = None,
        exclude_paths: Sequence[str] | None = None,
        subdomains: bool | None = None,
        external: bool | None = None,
        ignore_query: bool | None = None,
        sitemap: Literal["include", "only", "skip"] | None = None,
        skip_noindex: bool | None = None,
        near_duplicates: Literal["deliver", "same-path", "skip"] | None = None,
        delay: float | None = None,
        concurrency: int | None = None,
        selector: str | None = None,
        stealth: bool | None = None,
        timeout: int | None = None,
        user_agent: str | None = None,
        wait: int | None = None,
        wait_until: Literal["load", "domcontentloaded", "networkidle0"] | None = None,
        engine: Literal["auto", "static", "browser"] | None = None,
        partial: bool | None = None,
        accept_status: Literal["any"] | Sequence[int | str] | None = None,
        headers: Mapping[str, str] | None = None,
        cookies: Sequence[Cookie] | None = None,
        basic_auth: BasicAuth | None = None,
        method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"] | None = None,
        body: str | None = None,
        language: str | None = None,
        timezone: str | None = None,
        geolocation: Geolocation | None = None,
        viewport: Viewport | None = None,
        proxy: str | None = None,
        actions: Sequence[ClickAction | HoverAction | FillAction | WriteAction | PressAction | SelectAction | ScrollAction | WaitAction | ScreenshotAction | ScrapeAction | EvaluateAction] | None = None,
        action_screenshot: bool | None = None,
        format: Literal["html", "markdown", "text", "links"] | None = None,
        max_length: int | None = None,
        formats: Sequence[Literal["markdown", "html", "text", "links", "images", "metadata", "summary", "raw", "branding", "pdf", "screenshot"] | Format | SummaryFormat | ScreenshotFormat | JsonFormat] | None = None,
        only_main_content: bool | None = None,
        include_selectors: Sequence[str] | None = None,
        exclude_selectors: Sequence[str] | None = None,
        inline_images: bool | None = None,
        max_age: int | None = None,
        private: bool | None = None,
        changes: Changes | None = None,
        only_changed: bool | None = None,
        max_price: str | None = None,
        webhook: Webhook | None = None,
        price_limit: str | None = None,
    ) -> Job:
        """
        Load the pages of a site as a job.

        :param urls: Addresses at which the crawl begins; their hosts are the site.
        :param limit: Maximum number of delivered pages; default 100.
        :param max_depth: Maximum number of links from a start to a page; default 20.
        :param include_paths: Regular expressions; only linked pages whose path one of them matches anywhere are loaded.
        :param exclude_paths: Regular expressions; linked pages whose path one of them matches anywhere are not loaded.
        :param subdomains: Also pages of hosts below the site's; default false.
        :param external: Also pages of other sites that the site links to; their links are not followed; default false.
        :param ignore_query: Load addresses without their query, each once; default false.
        :param sitemap: Use of the site's sitemaps beside the links of its pages; default "include".
        :param skip_noindex: Do not deliver pages that ask not to be indexed; default false.
        :param near_duplicates: Pages whose text is nearly that of another page: deliver them, or skip those with the
            same path (on another host, or with another query), or all of them; default "same-path".
        :param delay: Minimum seconds between two requests to a host; default 0.
        :param concurrency: Maximum number of pages loaded at a time by each content service; default 8.
        :param selector: CSS selector of an element to wait for before acting.
        :param stealth: Present the fingerprint of an ordinary browser to the page; default false.
        :param timeout: Page load timeout in seconds; default 30.
        :param user_agent: Custom User-Agent.
        :param wait: Extra seconds to wait after the page event; not counted in the timeout.
        :param wait_until: Page event to wait for; default "load".
        :param engine: Engine that loads the page; auto uses a browser only if the page or the request needs one;
            default "auto".
        :param partial: At the timeout, return the content so far instead of an error; default false.
        :param accept_status: Statuses from 400 on with which the page is content and no error: a list such as [404,
            "500-599"], or "any".
        :param headers: Header fields for the page's origin; redirects to other origins drop them.
        :param cookies: Cookies for the page's host.
        :param method: Method of the request for the page; default "GET".
        :param body: Body of the request; a form, unless headers has another Content-Type.
        :param language: Language that the page is asked for.
        :param timezone: Time zone of the browser.
        :param proxy: Proxy of your own (http or socks5 URL), or the name of one of the operator.
        :param actions: Steps in a browser before the page is read; each has a timeout in seconds.
        :param action_screenshot: Add a picture of the page to the error of a step; default false.
        :param format: Output format; default "markdown".
        :param max_length: Maximum content length in characters; longer content is cut.
        :param formats: Several formats in one visit, as members of `results`; `content` is then empty.
        :param only_main_content: Only the main content, without navigation and side columns; default false.
        :param include_selectors: CSS selectors of the only elements that are read.
        :param exclude_selectors: CSS selectors of elements that are not read.
        :param inline_images: Keep pictures whose data stands in the page as base64; by default they are left out;
            default false.
        :param max_age: Seconds: accept a page that was loaded this long ago for any caller, and keep it for others; 0
            only keeps it.
        :param private: With max_age: do not keep the page for others, who could see that it was requested; default
            false.
        :param only_changed: Deliver only pages that are new or changed since your last crawl with the same format;
            default false.
        :param max_price: The most that the job may cost, in the smallest unit of the asset; it ends with the reason
            max-price before that.
        """
        body: dict[str, Any] = {
            "urls": urls,
            "limit": limit,
            "max_depth": max_depth,
            "include_paths": include_paths,
            "exclude_paths": exclude_paths,
            "subdomains": subdomains,
            "external": external,
            "ignore_query": ignore_query,
            "sitemap": sitemap,
            "skip_noindex": skip_noindex,
            "near_duplicates": near_duplicates,
            "delay": delay,
            "concurrency": concurrency,
            "selector": selector,
            "stealth": stealth,
            "timeout": timeout,
            "user_agent": user_agent,
            "wait": wait,
            "wait_until": wait_until,
            "engine": engine,
            "partial": partial,
            "accept_status": accept_status,
            "headers": headers,
            "cookies": cookies,
            "basic_auth": basic_auth,
            "method": method,
            "body": body,
            "language": language,
            "timezone": timezone,
            "geolocation": geolocation,
            "viewport": viewport,
            "proxy": proxy,
            "actions": actions,
            "action_screenshot": action_screenshot,
            "format": format,
            "max_length": max_length,
            "formats": formats,
            "only_main_content": only_main_content,
            "include_selectors": include_selectors,
            "exclude_selectors": exclude_selectors,
            "inline_images": inline_images,
            "max_age": max_age,
            "private": private,
            "changes": changes,
            "only_changed": only_changed,
            "max_price": max_price,
            "webhook": webhook,
        }
        return self._start("/crawl", body, price_limit)

    def scrape(
        self,
        url: str,
        *,
        selector: str | None = None,
        stealth: bool | None = None,
        timeout: int | None = None,
        user_agent: str | None = None,
        wait: int | None = None,
        wait_until: Literal["load", "domcontentloaded", "networkidle0"] | None = None,
        engine: Literal["auto", "static", "browser"] | None = None,
        partial: bool | None = None,
        accept_status: Literal["any"] | Sequence[int | str] | None = None,
        headers: Mapping[str, str] | None = None,
        cookies: Sequence[Cookie] | None = None,
        basic_auth: BasicAuth | None = None,
        method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"] | None = None,
        body: str | None = None,
        language: str | None = None,
        timezone: str | None = None,
        geolocation: Geolocation | None = None,
        viewport: Viewport | None = None,
        proxy: str | None = None,
        actions: Sequence[ClickAction | HoverAction | FillAction | WriteAction | PressAction | SelectAction | ScrollAction | WaitAction | ScreenshotAction | ScrapeAction | EvaluateAction] | None = None,
        action_screenshot: bool | None = None,
        session: str | None = None,
        session_secret: str | None = None,
        format: Literal["html", "markdown", "text", "links"] | None = None,
        max_length: int | None = None,
        evaluate: str | None = None,
        formats: Sequence[Literal["markdown", "html", "text", "links", "images", "metadata", "summary", "raw", "branding", "pdf", "screenshot"] | Format | SummaryFormat | ScreenshotFormat | JsonFormat] | None = None,
        only_main_content: bool | None = None,
        include_selectors: Sequence[str] | None = None,
        exclude_selectors: Sequence[str] | None = None,
        inline_images: bool | None = None,
        max_age: int | None = None,
        private: bool | None = None,
        changes: Changes | None = None,
        ai_terms: bool | None = None,
        price_limit: str | None = None,
    ) -> ScrapeResponse:
        """
        Retrieve a page as HTML, Markdown, text or links.

        :param url: Page to load; http and https only.
        :param selector: CSS selector of an element to wait for before acting.
        :param stealth: Present the fingerprint of an ordinary browser to the page; default false.
        :param timeout: Page load timeout in seconds; default 30.
        :param user_agent: Custom User-Agent.
        :param wait: Extra seconds to wait after the page event; not counted in the timeout.
        :param wait_until: Page event to wait for; default "load".
        :param engine: Engine that loads the page; auto uses a browser only if the page or the request needs one;
            default "auto".
        :param partial: At the timeout, return the content so far instead of an error; default false.
        :param accept_status: Statuses from 400 on with which the page is content and no error: a list such as [404,
            "500-599"], or "any".
        :param headers: Header fields for the page's origin; redirects to other origins drop them.
        :param cookies: Cookies for the page's host.
        :param method: Method of the request for the page; default "GET".
        :param body: Body of the request; a form, unless headers has another Content-Type.
        :param language: Language that the page is asked for.
        :param timezone: Time zone of the browser.
        :param proxy: Proxy of your own (http or socks5 URL), or the name of one of the operator.
        :param actions: Steps in a browser before the page is read; each has a timeout in seconds.
        :param action_screenshot: Add a picture of the page to the error of a step; default false.
        :param session: Id of a session of POST /sessions: the page gets its cookies, localStorage and IndexedDB, and
            leaves its own there.
        :param session_secret: Its secret, if X-Session-Secret does not have it.
        :param format: Output format; default "markdown".
        :param max_length: Maximum content length in characters; longer content is cut.
        :param evaluate: JavaScript expression evaluated on the page; its result takes the place of the content.
        :param formats: Several formats in one visit, as members of `results`; `content` is then empty.
        :param only_main_content: Only the main content, without navigation and side columns; default false.
        :param include_selectors: CSS selectors of the only elements that are read.
        :param exclude_selectors: CSS selectors of elements that are not read.
        :param inline_images: Keep pictures whose data stands in the page as base64; by default they are left out;
            default false.
        :param max_age: Seconds: accept a page that was loaded this long ago for any caller, and keep it for others; 0
            only keeps it.
        :param private: With max_age: do not keep the page for others, who could see that it was requested; default
            false.
        :param ai_terms: Read the files of the site with its terms for use by AI, and show them in metadata; default
            false.
        """
        body: dict[str, Any] = {
            "url": url,
            "selector": selector,
            "stealth": stealth,
            "timeout": timeout,
            "user_agent": user_agent,
            "wait": wait,
            "wait_until": wait_until,
            "engine": engine,
            "partial": partial,
            "accept_status": accept_status,
            "headers": headers,
            "cookies": cookies,
            "basic_auth": basic_auth,
            "method": method,
            "body": body,
            "language": language,
            "timezone": timezone,
            "geolocation": geolocation,
            "viewport": viewport,
            "proxy": proxy,
            "actions": actions,
            "action_screenshot": action_screenshot,
            "session": session,
            "session_secret": session_secret,
            "format": format,
            "max_length": max_length,
            "evaluate": evaluate,
            "formats": formats,
            "only_main_content": only_main_content,
            "include_selectors": include_selectors,
            "exclude_selectors": exclude_selectors,
            "inline_images": inline_images,
            "max_age": max_age,
            "private": private,
            "changes": changes,
            "ai_terms": ai_terms,
        }
        return self._json(ScrapeResponse, "POST", "/scrape", body, price_limit)

    def batch(
        self,
        urls: Sequence[str],
        *,
        selector: str | None = None,
        stealth: bool | None = None,
        timeout: int | None = None,
        user_agent: str | None = None,
        wait: int | None = None,
        wait_until: Literal["load", "domcontentloaded", "networkidle0"] | None = None,
        engine: Literal["auto", "static", "browser"] | None = None,
        partial: bool | None = None,
        accept_status: Literal["any"] | Sequence[int | str] | None = None,
        headers: Mapping[str, str] | None = None,
        cookies: Sequence[Cookie] | None = None,
        basic_auth: BasicAuth | None = None,
        method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"] | None = None,
        body: str | None = None,
        language: str | None = None,
        timezone: str | None = None,
        geolocation: Geolocation | None = None,
        viewport: Viewport | None = None,
        proxy: str | None = None,
        actions: Sequence[ClickAction | HoverAction | FillAction | WriteAction | PressAction | SelectAction | ScrollAction | WaitAction | ScreenshotAction | ScrapeAction | EvaluateAction] | None = None,
        action_screenshot: bool | None = None,
        format: Literal["html", "markdown", "text", "links"] | None = None,
        max_length: int | None = None,
        evaluate: str | None = None,
        formats: Sequence[Literal["markdown", "html", "text", "links", "images", "metadata", "summary", "raw", "branding", "pdf", "screenshot"] | Format | SummaryFormat | ScreenshotFormat | JsonFormat] | None = None,
        only_main_content: bool | None = None,
        include_selectors: Sequence[str] | None = None,
        exclude_selectors: Sequence[str] | None = None,
        inline_images: bool | None = None,
        max_age: int | None = None,
        private: bool | None = None,
        changes: Changes | None = None,
        ai_terms: bool | None = None,
        price_limit: str | None = None,
    ) -> BatchResponse:
        """
        Retrieve many pages at once.

        :param urls: Pages to load.
        :param selector: CSS selector of an element to wait for before acting.
        :param stealth: Present the fingerprint of an ordinary browser to the page; default false.
        :param timeout: Page load timeout in seconds; default 30.
        :param user_agent: Custom User-Agent.
        :param wait: Extra seconds to wait after the page event; not counted in the timeout.
        :param wait_until: Page event to wait for; default "load".
        :param engine: Engine that loads the page; auto uses a browser only if the page or the request needs one;
            default "auto".
        :param partial: At the timeout, return the content so far instead of an error; default false.
        :param accept_status: Statuses from 400 on with which the page is content and no error: a list such as [404,
            "500-599"], or "any".
        :param headers: Header fields for the page's origin; redirects to other origins drop them.
        :param cookies: Cookies for the page's host.
        :param method: Method of the request for the page; default "GET".
        :param body: Body of the request; a form, unless headers has another Content-Type.
        :param language: Language that the page is asked for.
        :param timezone: Time zone of the browser.
        :param proxy: Proxy of your own (http or socks5 URL), or the name of one of the operator.
        :param actions: Steps in a browser before the page is read; each has a timeout in seconds.
        :param action_screenshot: Add a picture of the page to the error of a step; default false.
        :param format: Output format; default "markdown".
        :param max_length: Maximum content length in characters; longer content is cut.
        :param evaluate: JavaScript expression evaluated on the page; its result takes the place of the content.
        :param formats: Several formats in one visit, as members of `results`; `content` is then empty.
        :param only_main_content: Only the main content, without navigation and side columns; default false.
        :param include_selectors: CSS selectors of the only elements that are read.
        :param exclude_selectors: CSS selectors of elements that are not read.
        :param inline_images: Keep pictures whose data stands in the page as base64; by default they are left out;
            default false.
        :param max_age: Seconds: accept a page that was loaded this long ago for any caller, and keep it for others; 0
            only keeps it.
        :param private: With max_age: do not keep the page for others, who could see that it was requested; default
            false.
        :param ai_terms: Read the files of the site with its terms for use by AI, and show them in metadata; default
            false.
        """
        body: dict[str, Any] = {
            "urls": urls,
            "selector": selector,
            "stealth": stealth,
            "timeout": timeout,
            "user_agent": user_agent,
            "wait": wait,
            "wait_until": wait_until,
            "engine": engine,
            "partial": partial,
            "accept_status": accept_status,
            "headers": headers,
            "cookies": cookies,
            "basic_auth": basic_auth,
            "method": method,
            "body": body,
            "language": language,
            "timezone": timezone,
            "geolocation": geolocation,
            "viewport": viewport,
            "proxy": proxy,
            "actions": actions,
            "action_screenshot": action_screenshot,
            "format": format,
            "max_length": max_length,
            "evaluate": evaluate,
            "formats": formats,
            "only_main_content": only_main_content,
            "include_selectors": include_selectors,
            "exclude_selectors": exclude_selectors,
            "inline_images": inline_images,
            "max_age": max_age,
            "private": private,
            "changes": changes,
            "ai_terms": ai_terms,
        }
        return self._json(BatchResponse, "POST", "/batch", body, price_limit)

    def batch_job(
        self,
        urls: Sequence[str],
        *,
        selector: str | None = None,
        stealth: bool | None = None,
        timeout: int | None = None,
        user_agent: str | None = None,
        wait: int | None = None,
        wait_until: Literal["load", "domcontentloaded", "networkidle0"] | None = None,
        engine: Literal["auto", "static", "browser"] | None = None,
        partial: bool | None = None,
        accept_status: Literal["any"] | Sequence[int | str] | None = None,
        headers: Mapping[str, str] | None = None,
        cookies: Sequence[Cookie] | None = None,
        basic_auth: BasicAuth | None = None,
        method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"] | None = None,
        body: str | None = None,
        language: str | None = None,
        timezone: str | None = None,
        geolocation: Geolocation | None = None,
        viewport: Viewport | None = None,
        proxy: str | None = None,
        actions: Sequence[ClickAction | HoverAction | FillAction | WriteAction | PressAction | SelectAction | ScrollAction | WaitAction | ScreenshotAction | ScrapeAction | EvaluateAction] | None = None,
        action_screenshot: bool | None = None,
        format: Literal["html", "markdown", "text", "links"] | None = None,
        max_length: int | None = None,
        evaluate: str | None = None,
        formats: Sequence[Literal["markdown", "html", "text", "links", "images", "metadata", "summary", "raw", "branding", "pdf", "screenshot"] | Format | SummaryFormat | ScreenshotFormat | JsonFormat] | None = None,
        only_main_content: bool | None = None,
        include_selectors: Sequence[str] | None = None,
        exclude_selectors: Sequence[str] | None = None,
        inline_images: bool | None = None,
        max_age: int | None = None,
        private: bool | None = None,
        changes: Changes | None = None,
        ai_terms: bool | None = None,
        max_price: str | None = None,
        webhook: Webhook | None = None,
        price_limit: str | None = None,
    ) -> Job:
        """
        Retrieve many pages at once, as a job.

        :param urls: Pages to load.
        :param selector: CSS selector of an element to wait for before acting.
        :param stealth: Present the fingerprint of an ordinary browser to the page; default false.
        :param timeout: Page load timeout in seconds; default 30.
        :param user_agent: Custom User-Agent.
        :param wait: Extra seconds to wait after the page event; not counted in the timeout.
        :param wait_until: Page event to wait for; default "load".
        :param engine: Engine that loads the page; auto uses a browser only if the page or the request needs one;
            default "auto".
        :param partial: At the timeout, return the content so far instead of an error; default false.
        :param accept_status: Statuses from 400 on with which the page is content and no error: a list such as [404,
            "500-599"], or "any".
        :param headers: Header fields for the page's origin; redirects to other origins drop them.
        :param cookies: Cookies for the page's host.
        :param method: Method of the request for the page; default "GET".
        :param body: Body of the request; a form, unless headers has another Content-Type.
        :param language: Language that the page is asked for.
        :param timezone: Time zone of the browser.
        :param proxy: Proxy of your own (http or socks5 URL), or the name of one of the operator.
        :param actions: Steps in a browser before the page is read; each has a timeout in seconds.
        :param action_screenshot: Add a picture of the page to the error of a step; default false.
        :param format: Output format; default "markdown".
        :param max_length: Maximum content length in characters; longer content is cut.
        :param evaluate: JavaScript expression evaluated on the page; its result takes the place of the content.
        :param formats: Several formats in one visit, as members of `results`; `content` is then empty.
        :param only_main_content: Only the main content, without navigation and side columns; default false.
        :param include_selectors: CSS selectors of the only elements that are read.
        :param exclude_selectors: CSS selectors of elements that are not read.
        :param inline_images: Keep pictures whose data stands in the page as base64; by default they are left out;
            default false.
        :param max_age: Seconds: accept a page that was loaded this long ago for any caller, and keep it for others; 0
            only keeps it.
        :param private: With max_age: do not keep the page for others, who could see that it was requested; default
            false.
        :param ai_terms: Read the files of the site with its terms for use by AI, and show them in metadata; default
            false.
        :param max_price: The most that the job may cost, in the smallest unit of the asset; it ends with the reason
            max-price before that.
        """
        body: dict[str, Any] = {
            "urls": urls,
            "selector": selector,
            "stealth": stealth,
            "timeout": timeout,
            "user_agent": user_agent,
            "wait": wait,
            "wait_until": wait_until,
            "engine": engine,
            "partial": partial,
            "accept_status": accept_status,
            "headers": headers,
            "cookies": cookies,
            "basic_auth": basic_auth,
            "method": method,
            "body": body,
            "language": language,
            "timezone": timezone,
            "geolocation": geolocation,
            "viewport": viewport,
            "proxy": proxy,
            "actions": actions,
            "action_screenshot": action_screenshot,
            "format": format,
            "max_length": max_length,
            "evaluate": evaluate,
            "formats": formats,
            "only_main_content": only_main_content,
            "include_selectors": include_selectors,
            "exclude_selectors": exclude_selectors,
            "inline_images": inline_images,
            "max_age": max_age,
            "private": private,
            "changes": changes,
            "ai_terms": ai_terms,
            "max_price": max_price,
            "webhook": webhook,
            "async": True,
        }
        return self._start("/batch", body, price_limit)

    def extract(
        self,
        url: str | None = None,
        selectors: Mapping[str, str] | None = None,
        *,
        urls: Sequence[str] | None = None,
        selector: str | None = None,
        stealth: bool | None = None,
        timeout: int | None = None,
        user_agent: str | None = None,
        wait: int | None = None,
        wait_until: Literal["load", "domcontentloaded", "networkidle0"] | None = None,
        engine: Literal["auto", "static", "browser"] | None = None,
        partial: bool | None = None,
        accept_status: Literal["any"] | Sequence[int | str] | None = None,
        headers: Mapping[str, str] | None = None,
        cookies: Sequence[Cookie] | None = None,
        basic_auth: BasicAuth | None = None,
        method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"] | None = None,
        body: str | None = None,
        language: str | None = None,
        timezone: str | None = None,
        geolocation: Geolocation | None = None,
        viewport: Viewport | None = None,
        proxy: str | None = None,
        actions: Sequence[ClickAction | HoverAction | FillAction | WriteAction | PressAction | SelectAction | ScrollAction | WaitAction | ScreenshotAction | ScrapeAction | EvaluateAction] | None = None,
        action_screenshot: bool | None = None,
        session: str | None = None,
        session_secret: str | None = None,
        schema: Mapping[str, Any] | None = None,
        locale: str | None = None,
        prompt: str | None = None,
        shown_only: bool | None = None,
        learn: bool | None = None,
        confirmed: Sequence[Mapping[str, Any]] | None = None,
        extractor: str | None = None,
        price_limit: str | None = None,
    ) -> ExtractResponse:
        """
        Extract data of pages by CSS selectors or a JSON schema.

        :param url: Page to load; http and https only.
        :param urls: Several pages, in place of `url`; each is paid for if it has all required fields.
        :param selector: CSS selector of an element to wait for before acting.
        :param stealth: Present the fingerprint of an ordinary browser to the page; default false.
        :param timeout: Page load timeout in seconds; default 30.
        :param user_agent: Custom User-Agent.
        :param wait: Extra seconds to wait after the page event; not counted in the timeout.
        :param wait_until: Page event to wait for; default "load".
        :param engine: Engine that loads the page; auto uses a browser only if the page or the request needs one;
            default "auto".
        :param partial: At the timeout, return the content so far instead of an error; default false.
        :param accept_status: Statuses from 400 on with which the page is content and no error: a list such as [404,
            "500-599"], or "any".
        :param headers: Header fields for the page's origin; redirects to other origins drop them.
        :param cookies: Cookies for the page's host.
        :param method: Method of the request for the page; default "GET".
        :param body: Body of the request; a form, unless headers has another Content-Type.
        :param language: Language that the page is asked for.
        :param timezone: Time zone of the browser.
        :param proxy: Proxy of your own (http or socks5 URL), or the name of one of the operator.
        :param actions: Steps in a browser before the page is read; each has a timeout in seconds.
        :param action_screenshot: Add a picture of the page to the error of a step; default false.
        :param session: Id of a session of POST /sessions: the page gets its cookies, localStorage and IndexedDB, and
            leaves its own there.
        :param session_secret: Its secret, if X-Session-Secret does not have it.
        :param selectors: CSS selectors by the names that their results get. `selector@attribute` gives an attribute's
            values in place of texts.
        :param schema: JSON Schema (2020-12) of an object: the fields to find in the page, by names and descriptions.
        :param locale: Language tag by which numbers and dates are read; default: that of the page.
        :param prompt: With a schema, and if the service has a language model: what the model should know of the fields.
        :param shown_only: With a schema: only values that a reader of the page sees; default false.
        :param learn: With a schema and 2 to 5 pages of one template: keep the places of the fields as an extractor;
            default false.
        :param confirmed: With learn: right values of each page, in the order of `urls`, in the form of `data`.
        :param extractor: Id of a learned extractor, in place of `schema`.
        """
        body: dict[str, Any] = {
            "url": url,
            "urls": urls,
            "selector": selector,
            "stealth": stealth,
            "timeout": timeout,
            "user_agent": user_agent,
            "wait": wait,
            "wait_until": wait_until,
            "engine": engine,
            "partial": partial,
            "accept_status": accept_status,
            "headers": headers,
            "cookies": cookies,
            "basic_auth": basic_auth,
            "method": method,
            "body": body,
            "language": language,
            "timezone": timezone,
            "geolocation": geolocation,
            "viewport": viewport,
            "proxy": proxy,
            "actions": actions,
            "action_screenshot": action_screenshot,
            "session": session,
            "session_secret": session_secret,
            "selectors": selectors,
            "schema": schema,
            "locale": locale,
            "prompt": prompt,
            "shown_only": shown_only,
            "learn": learn,
            "confirmed": confirmed,
            "extractor": extractor,
        }
        return self._json(ExtractResponse, "POST", "/extract", body, price_limit)

    def read(
        self,
        url: str,
        *,
        selector: str | None = None,
        stealth: bool | None = None,
        timeout: int | None = None,
        user_agent: str | None = None,
        wait: int | None = None,
        wait_until: Literal["load", "domcontentloaded", "networkidle0"] | None = None,
        engine: Literal["auto", "static", "browser"] | None = None,
        partial: bool | None = None,
        accept_status: Literal["any"] | Sequence[int | str] | None = None,
        headers: Mapping[str, str] | None = None,
        cookies: Sequence[Cookie] | None = None,
        basic_auth: BasicAuth | None = None,
        method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"] | None = None,
        body: str | None = None,
        language: str | None = None,
        timezone: str | None = None,
        geolocation: Geolocation | None = None,
        viewport: Viewport | None = None,
        proxy: str | None = None,
        actions: Sequence[ClickAction | HoverAction | FillAction | WriteAction | PressAction | SelectAction | ScrollAction | WaitAction | ScreenshotAction | ScrapeAction | EvaluateAction] | None = None,
        action_screenshot: bool | None = None,
        session: str | None = None,
        session_secret: str | None = None,
        max_age: int | None = None,
        private: bool | None = None,
        changes: Changes | None = None,
        ai_terms: bool | None = None,
        max_length: int | None = None,
        comments: bool | None = None,
        price_limit: str | None = None,
    ) -> ReadResponse:
        """
        Read the main article of a page.

        :param url: Page to load; http and https only.
        :param selector: CSS selector of an element to wait for before acting.
        :param stealth: Present the fingerprint of an ordinary browser to the page; default false.
        :param timeout: Page load timeout in seconds; default 30.
        :param user_agent: Custom User-Agent.
        :param wait: Extra seconds to wait after the page event; not counted in the timeout.
        :param wait_until: Page event to wait for; default "load".
        :param engine: Engine that loads the page; auto uses a browser only if the page or the request needs one;
            default "auto".
        :param partial: At the timeout, return the content so far instead of an error; default false.
        :param accept_status: Statuses from 400 on with which the page is content and no error: a list such as [404,
            "500-599"], or "any".
        :param headers: Header fields for the page's origin; redirects to other origins drop them.
        :param cookies: Cookies for the page's host.
        :param method: Method of the request for the page; default "GET".
        :param body: Body of the request; a form, unless headers has another Content-Type.
        :param language: Language that the page is asked for.
        :param timezone: Time zone of the browser.
        :param proxy: Proxy of your own (http or socks5 URL), or the name of one of the operator.
        :param actions: Steps in a browser before the page is read; each has a timeout in seconds.
        :param action_screenshot: Add a picture of the page to the error of a step; default false.
        :param session: Id of a session of POST /sessions: the page gets its cookies, localStorage and IndexedDB, and
            leaves its own there.
        :param session_secret: Its secret, if X-Session-Secret does not have it.
        :param max_age: Seconds: accept a page that was loaded this long ago for any caller, and keep it for others; 0
            only keeps it.
        :param private: With max_age: do not keep the page for others, who could see that it was requested; default
            false.
        :param ai_terms: Read the files of the site with its terms for use by AI, and show them in metadata; default
            false.
        :param max_length: Maximum content length in characters; longer content is cut.
        :param comments: Also return the readers' comments below an article; default false.
        """
        body: dict[str, Any] = {
            "url": url,
            "selector": selector,
            "stealth": stealth,
            "timeout": timeout,
            "user_agent": user_agent,
            "wait": wait,
            "wait_until": wait_until,
            "engine": engine,
            "partial": partial,
            "accept_status": accept_status,
            "headers": headers,
            "cookies": cookies,
            "basic_auth": basic_auth,
            "method": method,
            "body": body,
            "language": language,
            "timezone": timezone,
            "geolocation": geolocation,
            "viewport": viewport,
            "proxy": proxy,
            "actions": actions,
            "action_screenshot": action_screenshot,
            "session": session,
            "session_secret": session_secret,
            "max_age": max_age,
            "private": private,
            "changes": changes,
            "ai_terms": ai_terms,
            "max_length": max_length,
            "comments": comments,
        }
        return self._json(ReadResponse, "POST", "/read", body, price_limit)

    def parse(
        self,
        file: str,
        *,
        content_type: str | None = None,
        format: Literal["html", "markdown", "text", "links"] | None = None,
        max_length: int | None = None,
        words: bool | None = None,
        timeout: int | None = None,
        price_limit: str | None = None,
    ) -> ParseResponse:
        """
        Read a file as HTML, Markdown, text or links.

        :param file: The file in base64.
        :param content_type: Media type of a text file, such as text/csv; the bytes of other files say what they are.
        :param format: Output format; default "markdown".
        :param max_length: Maximum content length in characters; longer content is cut.
        :param words: Also return the words that were recognised in pictures, with their boxes; default false.
        :param timeout: Time for reading the file in seconds; default 30.
        """
        body: dict[str, Any] = {
            "file": file,
            "content_type": content_type,
            "format": format,
            "max_length": max_length,
            "words": words,
            "timeout": timeout,
        }
        return self._json(ParseResponse, "POST", "/parse", body, price_limit)

    def pdf(
        self,
        url: str,
        *,
        selector: str | None = None,
        stealth: bool | None = None,
        timeout: int | None = None,
        user_agent: str | None = None,
        wait: int | None = None,
        wait_until: Literal["load", "domcontentloaded", "networkidle0"] | None = None,
        engine: Literal["auto", "static", "browser"] | None = None,
        partial: bool | None = None,
        accept_status: Literal["any"] | Sequence[int | str] | None = None,
        headers: Mapping[str, str] | None = None,
        cookies: Sequence[Cookie] | None = None,
        basic_auth: BasicAuth | None = None,
        method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"] | None = None,
        body: str | None = None,
        language: str | None = None,
        timezone: str | None = None,
        geolocation: Geolocation | None = None,
        viewport: Viewport | None = None,
        proxy: str | None = None,
        actions: Sequence[ClickAction | HoverAction | FillAction | WriteAction | PressAction | SelectAction | ScrollAction | WaitAction | ScreenshotAction | ScrapeAction | EvaluateAction] | None = None,
        action_screenshot: bool | None = None,
        session: str | None = None,
        session_secret: str | None = None,
        landscape: bool | None = None,
        print_background: bool | None = None,
        scale: float | None = None,
        paper_width: float | None = None,
        paper_height: float | None = None,
        margin_top: float | None = None,
        margin_bottom: float | None = None,
        margin_left: float | None = None,
        margin_right: float | None = None,
        price_limit: str | None = None,
    ) -> File:
        """
        Print a page as a PDF document.

        :param url: Page to load; http and https only.
        :param selector: CSS selector of an element to wait for before acting.
        :param stealth: Present the fingerprint of an ordinary browser to the page; default false.
        :param timeout: Page load timeout in seconds; default 30.
        :param user_agent: Custom User-Agent.
        :param wait: Extra seconds to wait after the page event; not counted in the timeout.
        :param wait_until: Page event to wait for; default "load".
        :param engine: Engine that loads the page; auto uses a browser only if the page or the request needs one;
            default "auto".
        :param partial: At the timeout, return the content so far instead of an error; default false.
        :param accept_status: Statuses from 400 on with which the page is content and no error: a list such as [404,
            "500-599"], or "any".
        :param headers: Header fields for the page's origin; redirects to other origins drop them.
        :param cookies: Cookies for the page's host.
        :param method: Method of the request for the page; default "GET".
        :param body: Body of the request; a form, unless headers has another Content-Type.
        :param language: Language that the page is asked for.
        :param timezone: Time zone of the browser.
        :param proxy: Proxy of your own (http or socks5 URL), or the name of one of the operator.
        :param actions: Steps in a browser before the page is read; each has a timeout in seconds.
        :param action_screenshot: Add a picture of the page to the error of a step; default false.
        :param session: Id of a session of POST /sessions: the page gets its cookies, localStorage and IndexedDB, and
            leaves its own there.
        :param session_secret: Its secret, if X-Session-Secret does not have it.
        :param landscape: Landscape orientation; default false.
        :param print_background: Print background colours and images; default true.
        :param scale: Render scale; default 1.
        :param paper_width: Paper width in inches; default 8.5.
        :param paper_height: Paper height in inches; default 11.
        :param margin_top: Top margin in inches; 0.4 by default.
        :param margin_bottom: Bottom margin in inches; 0.4 by default.
        :param margin_left: Left margin in inches; 0.4 by default.
        :param margin_right: Right margin in inches; 0.4 by default.
        """
        body: dict[str, Any] = {
            "url": url,
            "selector": selector,
            "stealth": stealth,
            "timeout": timeout,
            "user_agent": user_agent,
            "wait": wait,
            "wait_until": wait_until,
            "engine": engine,
            "partial": partial,
            "accept_status": accept_status,
            "headers": headers,
            "cookies": cookies,
            "basic_auth": basic_auth,
            "method": method,
            "body": body,
            "language": language,
            "timezone": timezone,
            "geolocation": geolocation,
            "viewport": viewport,
            "proxy": proxy,
            "actions": actions,
            "action_screenshot": action_screenshot,
            "session": session,
            "session_secret": session_secret,
            "landscape": landscape,
            "print_background": print_background,
            "scale": scale,
            "paper_width": paper_width,
            "paper_height": paper_height,
            "margin_top": margin_top,
            "margin_bottom": margin_bottom,
            "margin_left": margin_left,
            "margin_right": margin_right,
        }
        return self._file("/pdf", body, price_limit)

    def screenshot(
        self,
        url: str,
        *,
        selector: str | None = None,
        stealth: bool | None = None,
        timeout: int | None = None,
        user_agent: str | None = None,
        wait: int | None = None,
        wait_until: Literal["load", "domcontentloaded", "networkidle0"] | None = None,
        engine: Literal["auto", "static", "browser"] | None = None,
        partial: bool | None = None,
        accept_status: Literal["any"] | Sequence[int | str] | None = None,
        headers: Mapping[str, str] | None = None,
        cookies: Sequence[Cookie] | None = None,
        basic_auth: BasicAuth | None = None,
        method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"] | None = None,
        body: str | None = None,
        language: str | None = None,
        timezone: str | None = None,
        geolocation: Geolocation | None = None,
        viewport: Viewport | None = None,
        proxy: str | None = None,
        actions: Sequence[ClickAction | HoverAction | FillAction | WriteAction | PressAction | SelectAction | ScrollAction | WaitAction | ScreenshotAction | ScrapeAction | EvaluateAction] | None = None,
        action_screenshot: bool | None = None,
        session: str | None = None,
        session_secret: str | None = None,
        format: Literal["png", "jpeg", "webp"] | None = None,
        full_page: bool | None = None,
        width: int | None = None,
        height: int | None = None,
        quality: int | None = None,
        price_limit: str | None = None,
    ) -> File:
        """
        Take a picture of a page.

        :param url: Page to load; http and https only.
        :param selector: CSS selector of an element to wait for before acting.
        :param stealth: Present the fingerprint of an ordinary browser to the page; default false.
        :param timeout: Page load timeout in seconds; default 30.
        :param user_agent: Custom User-Agent.
        :param wait: Extra seconds to wait after the page event; not counted in the timeout.
        :param wait_until: Page event to wait for; default "load".
        :param engine: Engine that loads the page; auto uses a browser only if the page or the request needs one;
            default "auto".
        :param partial: At the timeout, return the content so far instead of an error; default false.
        :param accept_status: Statuses from 400 on with which the page is content and no error: a list such as [404,
            "500-599"], or "any".
        :param headers: Header fields for the page's origin; redirects to other origins drop them.
        :param cookies: Cookies for the page's host.
        :param method: Method of the request for the page; default "GET".
        :param body: Body of the request; a form, unless headers has another Content-Type.
        :param language: Language that the page is asked for.
        :param timezone: Time zone of the browser.
        :param proxy: Proxy of your own (http or socks5 URL), or the name of one of the operator.
        :param actions: Steps in a browser before the page is read; each has a timeout in seconds.
        :param action_screenshot: Add a picture of the page to the error of a step; default false.
        :param session: Id of a session of POST /sessions: the page gets its cookies, localStorage and IndexedDB, and
            leaves its own there.
        :param session_secret: Its secret, if X-Session-Secret does not have it.
        :param format: Image format; default "png".
        :param full_page: Capture the whole page after scrolling through it, not only the window; at most 16,383 pixels
            wide, 30,000 high (webp: 16,383) and 40 million in all; default false.
        :param width: Viewport width in pixels; default 1280.
        :param height: Viewport height in pixels; default 720.
        :param quality: Compression quality, only for jpeg and webp; 80 by default, and a webp of 100 is lossless.
        """
        body: dict[str, Any] = {
            "url": url,
            "selector": selector,
            "stealth": stealth,
            "timeout": timeout,
            "user_agent": user_agent,
            "wait": wait,
            "wait_until": wait_until,
            "engine": engine,
            "partial": partial,
            "accept_status": accept_status,
            "headers": headers,
            "cookies": cookies,
            "basic_auth": basic_auth,
            "method": method,
            "body": body,
            "language": language,
            "timezone": timezone,
            "geolocation": geolocation,
            "viewport": viewport,
            "proxy": proxy,
            "actions": actions,
            "action_screenshot": action_screenshot,
            "session": session,
            "session_secret": session_secret,
            "format": format,
            "full_page": full_page,
            "width": width,
            "height": height,
            "quality": quality,
        }
        return self._file("/screenshot", body, price_limit)

    def resolve(
        self,
        question: str,
        *,
        criteria: str | None = None,
        max_sources: int | None = None,
        sources: Sequence[str] | None = None,
        timeout: int | None = None,
        price_limit: str | None = None,
    ) -> ResolveResponse:
        """
        Find the outcome of a prediction-market question.

        :param question: Prediction-market question.
        :param criteria: How the market resolves YES or NO; default "".
        :param max_sources: Maximum web sources to read; default 5.
        :param sources: Hint URLs to check for evidence; read before all others, also if they are more than max_sources;
            default [].
        :param timeout: Timeout in seconds; the response has the result so far; default 30.
        """
        body: dict[str, Any] = {
            "question": question,
            "criteria": criteria,
            "max_sources": max_sources,
            "sources": sources,
            "timeout": timeout,
        }
        return self._json(ResolveResponse, "POST", "/resolve", body, price_limit)

    def qr(
        self,
        data: str,
        *,
        size: int | None = None,
        margin: int | None = None,
        price_limit: str | None = None,
    ) -> File:
        """
        Draw a QR code.

        :param data: Text, URL or data to encode.
        :param size: Width and height of the image in pixels; default 256.
        :param margin: Quiet zone in modules; default 2.
        """
        body: dict[str, Any] = {
            "data": data,
            "size": size,
            "margin": margin,
        }
        return self._file("/qr", body, price_limit)

    def session(
        self,
        *,
        ttl: int | None = None,
        idle_ttl: int | None = None,
        session_secret: str | None = None,
        price_limit: str | None = None,
    ) -> SessionResponse:
        """
        Create a session for cookies and storage.

        :param ttl: Seconds; default 86400.
        :param idle_ttl: Idle seconds; absent for `ttl`.
        :param session_secret: Secret of another one.
        """
        body: dict[str, Any] = {
            "ttl": ttl,
            "idle_ttl": idle_ttl,
            "session_secret": session_secret,
        }
        return self._json(SessionResponse, "POST", "/sessions", body, price_limit)

    def browser(
        self,
        minutes: int,
        *,
        browser: str | None = None,
        token: str | None = None,
        price_limit: str | None = None,
    ) -> BrowserResponse:
        """
        Start a browser for Puppeteer or Playwright.

        :param minutes: Minutes.
        :param browser: One that is to run longer.
        """
        body: dict[str, Any] = {
            "minutes": minutes,
            "browser": browser,
            "token": token,
        }
        return self._json(BrowserResponse, "POST", "/browsers", body, price_limit)

    def health(
        self,
        *,
        price_limit: str | None = None,
    ) -> Health:
        """Report whether the service works."""
        return self._json(Health, "GET", "/health", None, price_limit)

    def session_list(self, secret: str) -> SessionList:
        """List sessions. It is free."""
        path = "/sessions"
        return self._json(SessionList, "GET", path, None, None, {"x-session-secret": secret})

    def session_status(self, id: str, secret: str) -> SessionStatus:
        """Return the state of a session. It is free."""
        path = f"/sessions/{quote(id, safe='')}"
        return self._json(SessionStatus, "GET", path, None, None, {"x-session-secret": secret})

    def session_end(self, id: str, secret: str) -> SessionState:
        """End a session. It is free."""
        path = f"/sessions/{quote(id, safe='')}"
        return self._json(SessionState, "DELETE", path, None, None, {"x-session-secret": secret})

    def browser_status(self, id: str, token: str) -> BrowserState:
        """Return the state of a browser. It is free."""
        path = f"/browsers/{quote(id, safe='')}"
        return self._json(BrowserState, "GET", path, None, None, {"x-browser-token": token})

    def browser_end(self, id: str, token: str) -> BrowserState:
        """End a browser. It is free."""
        path = f"/browsers/{quote(id, safe='')}"
        return self._json(BrowserState, "DELETE", path, None, None, {"x-browser-token": token})

    @abstractmethod
    def _json(
        self,
        kind: type[T],
        method: str,
        path: str,
        body: dict[str, Any] | None,
        price_limit: str | None,
        secret: Mapping[str, str] | None = None,
    ) -> T: ...

    @abstractmethod
    def _file(self, path: str, body: dict[str, Any], price_limit: str | None) -> File: ...

    @abstractmethod
    def _start(self, path: str, body: dict[str, Any], price_limit: str | None) -> Job: ...


class AsyncOperations(ABC):
    """The same, asynchronously."""

    async def search(
        self,
        query: str,
        *,
        count: int | None = None,
        page: int | None = None,
        site: str | None = None,
        exclude_site: Sequence[str] | None = None,
        after: str | None = None,
        before: str | None = None,
        lang: str | None = None,
        timeout: int | None = None,
        price_limit: str | None = None,
    ) -> SearchResponse:
        """
        Search the web.

        :param query: Search query: words, phrases in quotation marks, and -words.
        :param count: Number of results on a page; default 10.
        :param page: Page of results; page × count is at most 200; default 1.
        :param site: Host whose pages are wanted, with its subdomains.
        :param exclude_site: Hosts whose pages are left out, with their subdomains.
        :param after: First day of publication.
        :param before: Last day of publication.
        :param lang: Language of results, by ISO 639-1.
        :param timeout: Search timeout in seconds; default 30.
        """
        body: dict[str, Any] = {
            "query": query,
            "count": count,
            "page": page,
            "site": site,
            "exclude_site": exclude_site,
            "after": after,
            "before": before,
            "lang": lang,
            "timeout": timeout,
        }
        return await self._json(SearchResponse, "POST", "/search", body, price_limit)

    async def search_content(
        self,
        query: str,
        *,
        count: int | None = None,
        page: int | None = None,
        site: str | None = None,
        exclude_site: Sequence[str] | None = None,
        after: str | None = None,
        before: str | None = None,
        lang: str | None = None,
        timeout: int | None = None,
        content: Literal["markdown"] = "markdown",
        pages: int | None = None,
        max_length: int | None = None,
        price_limit: str | None = None,
    ) -> SearchContentResponse:
        """
        Search the web and read the first results.

        :param query: Search query: words, phrases in quotation marks, and -words.
        :param count: Number of results on a page; default 10.
        :param page: Page of results; page × count is at most 200; default 1.
        :param site: Host whose pages are wanted, with its subdomains.
        :param exclude_site: Hosts whose pages are left out, with their subdomains.
        :param after: First day of publication.
        :param before: Last day of publication.
        :param lang: Language of results, by ISO 639-1.
        :param timeout: Search timeout in seconds; default 30.
        :param content: Format of the contents.
        :param pages: Number of first results that are read; default 3.
        :param max_length: Maximum length of a page's content in characters; longer content is cut; default 20000.
        """
        body: dict[str, Any] = {
            "query": query,
            "count": count,
            "page": page,
            "site": site,
            "exclude_site": exclude_site,
            "after": after,
            "before": before,
            "lang": lang,
            "timeout": timeout,
            "content": content,
            "pages": pages,
            "max_length": max_length,
        }
        return await self._json(SearchContentResponse, "POST", "/search/content", body, price_limit)

    async def map(
        self,
        url: str,
        *,
        search: str | None = None,
        limit: int | None = None,
        subdomains: bool | None = None,
        ignore_query: bool | None = None,
        include_paths: Sequence[str] | None = None,
        exclude_paths: Sequence[str] | None = None,
        sitemap: Literal["include", "only", "skip"] | None = None,
        timeout: int | None = None,
        price_limit: str | None = None,
    ) -> MapResponse:
        """
        List the addresses of a site.

        :param url: Any address of the site; http and https only.
        :param search: Only addresses that contain one of these words, or whose title does; the best first.
        :param limit: Maximum number of addresses; default 5000.
        :param subdomains: Also addresses of hosts below the site's; default false.
        :param ignore_query: Return addresses without their query, each once; default false.
        :param include_paths: Regular expressions; only paths that one of them matches anywhere are returned.
        :param exclude_paths: Regular expressions; paths that one of them matches anywhere are left out.
        :param sitemap: Use of the site's sitemaps beside its first pages and the search index; default "include".
        :param timeout: Time for all of it, in seconds; default 30.
        """
        body: dict[str, Any] = {
            "url": url,
            "search": search,
            "limit": limit,
            "subdomains": subdomains,
            "ignore_query": ignore_query,
            "include_paths": include_paths,
            "exclude_paths": exclude_paths,
            "sitemap": sitemap,
            "timeout": timeout,
        }
        return await self._json(MapResponse, "POST", "/map", body, price_limit)

    async def crawl(
        self,
        urls: Sequence[str],
        *,
        limit: int | None = None,
        max_depth: int | None = None,
        include_paths: Sequence[str] | None = None,
        exclude_paths: Sequence[str] | None = None,
        subdomains: bool | None = None,
        external: bool | None = None,
        ignore_query: bool | None = None,
        sitemap: Literal["include", "only", "skip"] | None = None,
        skip_noindex: bool | None = None,
        near_duplicates: Literal["deliver", "same-path", "skip"] | None = None,
        delay: float | None = None,
        concurrency: int | None = None,
        selector: str | None = None,
        stealth: bool | None = None,
        timeout: int | None = None,
        user_agent: str | None = None,
        wait: int | None = None,
        wait_until: Literal["load", "domcontentloaded", "networkidle0"] | None = None,
        engine: Literal["auto", "static", "browser"] | None = None,
        partial: bool | None = None,
        accept_status: Literal["any"] | Sequence[int | str] | None = None,
        headers: Mapping[str, str] | None = None,
        cookies: Sequence[Cookie] | None = None,
        basic_auth: BasicAuth | None = None,
        method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"] | None = None,
        body: str | None = None,
        language: str | None = None,
        timezone: str | None = None,
        geolocation: Geolocation | None = None,
        viewport: Viewport | None = None,
        proxy: str | None = None,
        actions: Sequence[ClickAction | HoverAction | FillAction | WriteAction | PressAction | SelectAction | ScrollAction | WaitAction | ScreenshotAction | ScrapeAction | EvaluateAction] | None = None,
        action_screenshot: bool | None = None,
        format: Literal["html", "markdown", "text", "links"] | None = None,
        max_length: int | None = None,
        formats: Sequence[Literal["markdown", "html", "text", "links", "images", "metadata", "summary", "raw", "branding", "pdf", "screenshot"] | Format | SummaryFormat | ScreenshotFormat | JsonFormat] | None = None,
        only_main_content: bool | None = None,
        include_selectors: Sequence[str] | None = None,
        exclude_selectors: Sequence[str] | None = None,
        inline_images: bool | None = None,
        max_age: int | None = None,
        private: bool | None = None,
        changes: Changes | None = None,
        only_changed: bool | None = None,
        max_price: str | None = None,
        webhook: Webhook | None = None,
        price_limit: str | None = None,
    ) -> AsyncJob:
        """
        Load the pages of a site as a job.

        :param urls: Addresses at which the crawl begins; their hosts are the site.
        :param limit: Maximum number of delivered pages; default 100.
        :param max_depth: Maximum number of links from a start to a page; default 20.
        :param include_paths: Regular expressions; only linked pages whose path one of them matches anywhere are loaded.
        :param exclude_paths: Regular expressions; linked pages whose path one of them matches anywhere are not loaded.
        :param subdomains: Also pages of hosts below the site's; default false.
        :param external: Also pages of other sites that the site links to; their links are not followed; default false.
        :param ignore_query: Load addresses without their query, each once; default false.
        :param sitemap: Use of the site's sitemaps beside the links of its pages; default "include".
        :param skip_noindex: Do not deliver pages that ask not to be indexed; default false.
        :param near_duplicates: Pages whose text is nearly that of another page: deliver them, or skip those with the
            same path (on another host, or with another query), or all of them; default "same-path".
        :param delay: Minimum seconds between two requests to a host; default 0.
        :param concurrency: Maximum number of pages loaded at a time by each content service; default 8.
        :param selector: CSS selector of an element to wait for before acting.
        :param stealth: Present the fingerprint of an ordinary browser to the page; default false.
        :param timeout: Page load timeout in seconds; default 30.
        :param user_agent: Custom User-Agent.
        :param wait: Extra seconds to wait after the page event; not counted in the timeout.
        :param wait_until: Page event to wait for; default "load".
        :param engine: Engine that loads the page; auto uses a browser only if the page or the request needs one;
            default "auto".
        :param partial: At the timeout, return the content so far instead of an error; default false.
        :param accept_status: Statuses from 400 on with which the page is content and no error: a list such as [404,
            "500-599"], or "any".
        :param headers: Header fields for the page's origin; redirects to other origins drop them.
        :param cookies: Cookies for the page's host.
        :param method: Method of the request for the page; default "GET".
        :param body: Body of the request; a form, unless headers has another Content-Type.
        :param language: Language that the page is asked for.
        :param timezone: Time zone of the browser.
        :param proxy: Proxy of your own (http or socks5 URL), or the name of one of the operator.
        :param actions: Steps in a browser before the page is read; each has a timeout in seconds.
        :param action_screenshot: Add a picture of the page to the error of a step; default false.
        :param format: Output format; default "markdown".
        :param max_length: Maximum content length in characters; longer content is cut.
        :param formats: Several formats in one visit, as members of `results`; `content` is then empty.
        :param only_main_content: Only the main content, without navigation and side columns; default false.
        :param include_selectors: CSS selectors of the only elements that are read.
        :param exclude_selectors: CSS selectors of elements that are not read.
        :param inline_images: Keep pictures whose data stands in the page as base64; by default they are left out;
            default false.
        :param max_age: Seconds: accept a page that was loaded this long ago for any caller, and keep it for others; 0
            only keeps it.
        :param private: With max_age: do not keep the page for others, who could see that it was requested; default
            false.
        :param only_changed: Deliver only pages that are new or changed since your last crawl with the same format;
            default false.
        :param max_price: The most that the job may cost, in the smallest unit of the asset; it ends with the reason
            max-price before that.
        """
        body: dict[str, Any] = {
            "urls": urls,
            "limit": limit,
            "max_depth": max_depth,
            "include_paths": include_paths,
            "exclude_paths": exclude_paths,
            "subdomains": subdomains,
            "external": external,
            "ignore_query": ignore_query,
            "sitemap": sitemap,
            "skip_noindex": skip_noindex,
            "near_duplicates": near_duplicates,
            "delay": delay,
            "concurrency": concurrency,
            "selector": selector,
            "stealth": stealth,
            "timeout": timeout,
            "user_agent": user_agent,
            "wait": wait,
            "wait_until": wait_until,
            "engine": engine,
            "partial": partial,
            "accept_status": accept_status,
            "headers": headers,
            "cookies": cookies,
            "basic_auth": basic_auth,
            "method": method,
            "body": body,
            "language": language,
            "timezone": timezone,
            "geolocation": geolocation,
            "viewport": viewport,
            "proxy": proxy,
            "actions": actions,
            "action_screenshot": action_screenshot,
            "format": format,
            "max_length": max_length,
            "formats": formats,
            "only_main_content": only_main_content,
            "include_selectors": include_selectors,
            "exclude_selectors": exclude_selectors,
            "inline_images": inline_images,
            "max_age": max_age,
            "private": private,
            "changes": changes,
            "only_changed": only_changed,
            "max_price": max_price,
            "webhook": webhook,
        }
        return await self._start("/crawl", body, price_limit)

    async def scrape(
        self,
        url: str,
        *,
        selector: str | None = None,
        stealth: bool | None = None,
        timeout: int | None = None,
        user_agent: str | None = None,
        wait: int | None = None,
        wait_until: Literal["load", "domcontentloaded", "networkidle0"] | None = None,
        engine: Literal["auto", "static", "browser"] | None = None,
        partial: bool | None = None,
        accept_status: Literal["any"] | Sequence[int | str] | None = None,
        headers: Mapping[str, str] | None = None,
        cookies: Sequence[Cookie] | None = None,
        basic_auth: BasicAuth | None = None,
        method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"] | None = None,
        body: str | None = None,
        language: str | None = None,
        timezone: str | None = None,
        geolocation: Geolocation | None = None,
        viewport: Viewport | None = None,
        proxy: str | None = None,
        actions: Sequence[ClickAction | HoverAction | FillAction | WriteAction | PressAction | SelectAction | ScrollAction | WaitAction | ScreenshotAction | ScrapeAction | EvaluateAction] | None = None,
        action_screenshot: bool | None = None,
        session: str | None = None,
        session_secret: str | None = None,
        format: Literal["html", "markdown", "text", "links"] | None = None,
        max_length: int | None = None,
        evaluate: str | None = None,
        formats: Sequence[Literal["markdown", "html", "text", "links", "images", "metadata", "summary", "raw", "branding", "pdf", "screenshot"] | Format | SummaryFormat | ScreenshotFormat | JsonFormat] | None = None,
        only_main_content: bool | None = None,
        include_selectors: Sequence[str] | None = None,
        exclude_selectors: Sequence[str] | None = None,
        inline_images: bool | None = None,
        max_age: int | None = None,
        private: bool | None = None,
        changes: Changes | None = None,
        ai_terms: bool | None = None,
        price_limit: str | None = None,
    ) -> ScrapeResponse:
        """
        Retrieve a page as HTML, Markdown, text or links.

        :param url: Page to load; http and https only.
        :param selector: CSS selector of an element to wait for before acting.
        :param stealth: Present the fingerprint of an ordinary browser to the page; default false.
        :param timeout: Page load timeout in seconds; default 30.
        :param user_agent: Custom User-Agent.
        :param wait: Extra seconds to wait after the page event; not counted in the timeout.
        :param wait_until: Page event to wait for; default "load".
        :param engine: Engine that loads the page; auto uses a browser only if the page or the request needs one;
            default "auto".
        :param partial: At the timeout, return the content so far instead of an error; default false.
        :param accept_status: Statuses from 400 on with which the page is content and no error: a list such as [404,
            "500-599"], or "any".
        :param headers: Header fields for the page's origin; redirects to other origins drop them.
        :param cookies: Cookies for the page's host.
        :param method: Method of the request for the page; default "GET".
        :param body: Body of the request; a form, unless headers has another Content-Type.
        :param language: Language that the page is asked for.
        :param timezone: Time zone of the browser.
        :param proxy: Proxy of your own (http or socks5 URL), or the name of one of the operator.
        :param actions: Steps in a browser before the page is read; each has a timeout in seconds.
        :param action_screenshot: Add a picture of the page to the error of a step; default false.
        :param session: Id of a session of POST /sessions: the page gets its cookies, localStorage and IndexedDB, and
            leaves its own there.
        :param session_secret: Its secret, if X-Session-Secret does not have it.
        :param format: Output format; default "markdown".
        :param max_length: Maximum content length in characters; longer content is cut.
        :param evaluate: JavaScript expression evaluated on the page; its result takes the place of the content.
        :param formats: Several formats in one visit, as members of `results`; `content` is then empty.
        :param only_main_content: Only the main content, without navigation and side columns; default false.
        :param include_selectors: CSS selectors of the only elements that are read.
        :param exclude_selectors: CSS selectors of elements that are not read.
        :param inline_images: Keep pictures whose data stands in the page as base64; by default they are left out;
            default false.
        :param max_age: Seconds: accept a page that was loaded this long ago for any caller, and keep it for others; 0
            only keeps it.
        :param private: With max_age: do not keep the page for others, who could see that it was requested; default
            false.
        :param ai_terms: Read the files of the site with its terms for use by AI, and show them in metadata; default
            false.
        """
        body: dict[str, Any] = {
            "url": url,
            "selector": selector,
            "stealth": stealth,
            "timeout": timeout,
            "user_agent": user_agent,
            "wait": wait,
            "wait_until": wait_until,
            "engine": engine,
            "partial": partial,
            "accept_status": accept_status,
            "headers": headers,
            "cookies": cookies,
            "basic_auth": basic_auth,
            "method": method,
            "body": body,
            "language": language,
            "timezone": timezone,
            "geolocation": geolocation,
            "viewport": viewport,
            "proxy": proxy,
            "actions": actions,
            "action_screenshot": action_screenshot,
            "session": session,
            "session_secret": session_secret,
            "format": format,
            "max_length": max_length,
            "evaluate": evaluate,
            "formats": formats,
            "only_main_content": only_main_content,
            "include_selectors": include_selectors,
            "exclude_selectors": exclude_selectors,
            "inline_images": inline_images,
            "max_age": max_age,
            "private": private,
            "changes": changes,
            "ai_terms": ai_terms,
        }
        return await self._json(ScrapeResponse, "POST", "/scrape", body, price_limit)

    async def batch(
        self,
        urls: Sequence[str],
        *,
        selector: str | None = None,
        stealth: bool | None = None,
        timeout: int | None = None,
        user_agent: str | None = None,
        wait: int | None = None,
        wait_until: Literal["load", "domcontentloaded", "networkidle0"] | None = None,
        engine: Literal["auto", "static", "browser"] | None = None,
        partial: bool | None = None,
        accept_status: Literal["any"] | Sequence[int | str] | None = None,
        headers: Mapping[str, str] | None = None,
        cookies: Sequence[Cookie] | None = None,
        basic_auth: BasicAuth | None = None,
        method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"] | None = None,
        body: str | None = None,
        language: str | None = None,
        timezone: str | None = None,
        geolocation: Geolocation | None = None,
        viewport: Viewport | None = None,
        proxy: str | None = None,
        actions: Sequence[ClickAction | HoverAction | FillAction | WriteAction | PressAction | SelectAction | ScrollAction | WaitAction | ScreenshotAction | ScrapeAction | EvaluateAction] | None = None,
        action_screenshot: bool | None = None,
        format: Literal["html", "markdown", "text", "links"] | None = None,
        max_length: int | None = None,
        evaluate: str | None = None,
        formats: Sequence[Literal["markdown", "html", "text", "links", "images", "metadata", "summary", "raw", "branding", "pdf", "screenshot"] | Format | SummaryFormat | ScreenshotFormat | JsonFormat] | None = None,
        only_main_content: bool | None = None,
        include_selectors: Sequence[str] | None = None,
        exclude_selectors: Sequence[str] | None = None,
        inline_images: bool | None = None,
        max_age: int | None = None,
        private: bool | None = None,
        changes: Changes | None = None,
        ai_terms: bool | None = None,
        price_limit: str | None = None,
    ) -> BatchResponse:
        """
        Retrieve many pages at once.

        :param urls: Pages to load.
        :param selector: CSS selector of an element to wait for before acting.
        :param stealth: Present the fingerprint of an ordinary browser to the page; default false.
        :param timeout: Page load timeout in seconds; default 30.
        :param user_agent: Custom User-Agent.
        :param wait: Extra seconds to wait after the page event; not counted in the timeout.
        :param wait_until: Page event to wait for; default "load".
        :param engine: Engine that loads the page; auto uses a browser only if the page or the request needs one;
            default "auto".
        :param partial: At the timeout, return the content so far instead of an error; default false.
        :param accept_status: Statuses from 400 on with which the page is content and no error: a list such as [404,
            "500-599"], or "any".
        :param headers: Header fields for the page's origin; redirects to other origins drop them.
        :param cookies: Cookies for the page's host.
        :param method: Method of the request for the page; default "GET".
        :param body: Body of the request; a form, unless headers has another Content-Type.
        :param language: Language that the page is asked for.
        :param timezone: Time zone of the browser.
        :param proxy: Proxy of your own (http or socks5 URL), or the name of one of the operator.
        :param actions: Steps in a browser before the page is read; each has a timeout in seconds.
        :param action_screenshot: Add a picture of the page to the error of a step; default false.
        :param format: Output format; default "markdown".
        :param max_length: Maximum content length in characters; longer content is cut.
        :param evaluate: JavaScript expression evaluated on the page; its result takes the place of the content.
        :param formats: Several formats in one visit, as members of `results`; `content` is then empty.
        :param only_main_content: Only the main content, without navigation and side columns; default false.
        :param include_selectors: CSS selectors of the only elements that are read.
        :param exclude_selectors: CSS selectors of elements that are not read.
        :param inline_images: Keep pictures whose data stands in the page as base64; by default they are left out;
            default false.
        :param max_age: Seconds: accept a page that was loaded this long ago for any caller, and keep it for others; 0
            only keeps it.
        :param private: With max_age: do not keep the page for others, who could see that it was requested; default
            false.
        :param ai_terms: Read the files of the site with its terms for use by AI, and show them in metadata; default
            false.
        """
        body: dict[str, Any] = {
            "urls": urls,
            "selector": selector,
            "stealth": stealth,
            "timeout": timeout,
            "user_agent": user_agent,
            "wait": wait,
            "wait_until": wait_until,
            "engine": engine,
            "partial": partial,
            "accept_status": accept_status,
            "headers": headers,
            "cookies": cookies,
            "basic_auth": basic_auth,
            "method": method,
            "body": body,
            "language": language,
            "timezone": timezone,
            "geolocation": geolocation,
            "viewport": viewport,
            "proxy": proxy,
            "actions": actions,
            "action_screenshot": action_screenshot,
            "format": format,
            "max_length": max_length,
            "evaluate": evaluate,
            "formats": formats,
            "only_main_content": only_main_content,
            "include_selectors": include_selectors,
            "exclude_selectors": exclude_selectors,
            "inline_images": inline_images,
            "max_age": max_age,
            "private": private,
            "changes": changes,
            "ai_terms": ai_terms,
        }
        return await self._json(BatchResponse, "POST", "/batch", body, price_limit)

    async def batch_job(
        self,
        urls: Sequence[str],
        *,
        selector: str | None = None,
        stealth: bool | None = None,
        timeout: int | None = None,
        user_agent: str | None = None,
        wait: int | None = None,
        wait_until: Literal["load", "domcontentloaded", "networkidle0"] | None = None,
        engine: Literal["auto", "static", "browser"] | None = None,
        partial: bool | None = None,
        accept_status: Literal["any"] | Sequence[int | str] | None = None,
        headers: Mapping[str, str] | None = None,
        cookies: Sequence[Cookie] | None = None,
        basic_auth: BasicAuth | None = None,
        method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"] | None = None,
        body: str | None = None,
        language: str | None = None,
        timezone: str | None = None,
        geolocation: Geolocation | None = None,
        viewport: Viewport | None = None,
        proxy: str | None = None,
        actions: Sequence[ClickAction | HoverAction | FillAction | WriteAction | PressAction | SelectAction | ScrollAction | WaitAction | ScreenshotAction | ScrapeAction | EvaluateAction] | None = None,
        action_screenshot: bool | None = None,
        format: Literal["html", "markdown", "text", "links"] | None = None,
        max_length: int | None = None,
        evaluate: str | None = None,
        formats: Sequence[Literal["markdown", "html", "text", "links", "images", "metadata", "summary", "raw", "branding", "pdf", "screenshot"] | Format | SummaryFormat | ScreenshotFormat | JsonFormat] | None = None,
        only_main_content: bool | None = None,
        include_selectors: Sequence[str] | None = None,
        exclude_selectors: Sequence[str] | None = None,
        inline_images: bool | None = None,
        max_age: int | None = None,
        private: bool | None = None,
        changes: Changes | None = None,
        ai_terms: bool | None = None,
        max_price: str | None = None,
        webhook: Webhook | None = None,
        price_limit: str | None = None,
    ) -> AsyncJob:
        """
        Retrieve many pages at once, as a job.

        :param urls: Pages to load.
        :param selector: CSS selector of an element to wait for before acting.
        :param stealth: Present the fingerprint of an ordinary browser to the page; default false.
        :param timeout: Page load timeout in seconds; default 30.
        :param user_agent: Custom User-Agent.
        :param wait: Extra seconds to wait after the page event; not counted in the timeout.
        :param wait_until: Page event to wait for; default "load".
        :param engine: Engine that loads the page; auto uses a browser only if the page or the request needs one;
            default "auto".
        :param partial: At the timeout, return the content so far instead of an error; default false.
        :param accept_status: Statuses from 400 on with which the page is content and no error: a list such as [404,
            "500-599"], or "any".
        :param headers: Header fields for the page's origin; redirects to other origins drop them.
        :param cookies: Cookies for the page's host.
        :param method: Method of the request for the page; default "GET".
        :param body: Body of the request; a form, unless headers has another Content-Type.
        :param language: Language that the page is asked for.
        :param timezone: Time zone of the browser.
        :param proxy: Proxy of your own (http or socks5 URL), or the name of one of the operator.
        :param actions: Steps in a browser before the page is read; each has a timeout in seconds.
        :param action_screenshot: Add a picture of the page to the error of a step; default false.
        :param format: Output format; default "markdown".
        :param max_length: Maximum content length in characters; longer content is cut.
        :param evaluate: JavaScript expression evaluated on the page; its result takes the place of the content.
        :param formats: Several formats in one visit, as members of `results`; `content` is then empty.
        :param only_main_content: Only the main content, without navigation and side columns; default false.
        :param include_selectors: CSS selectors of the only elements that are read.
        :param exclude_selectors: CSS selectors of elements that are not read.
        :param inline_images: Keep pictures whose data stands in the page as base64; by default they are left out;
            default false.
        :param max_age: Seconds: accept a page that was loaded this long ago for any caller, and keep it for others; 0
            only keeps it.
        :param private: With max_age: do not keep the page for others, who could see that it was requested; default
            false.
        :param ai_terms: Read the files of the site with its terms for use by AI, and show them in metadata; default
            false.
        :param max_price: The most that the job may cost, in the smallest unit of the asset; it ends with the reason
            max-price before that.
        """
        body: dict[str, Any] = {
            "urls": urls,
            "selector": selector,
            "stealth": stealth,
            "timeout": timeout,
            "user_agent": user_agent,
            "wait": wait,
            "wait_until": wait_until,
            "engine": engine,
            "partial": partial,
            "accept_status": accept_status,
            "headers": headers,
            "cookies": cookies,
            "basic_auth": basic_auth,
            "method": method,
            "body": body,
            "language": language,
            "timezone": timezone,
            "geolocation": geolocation,
            "viewport": viewport,
            "proxy": proxy,
            "actions": actions,
            "action_screenshot": action_screenshot,
            "format": format,
            "max_length": max_length,
            "evaluate": evaluate,
            "formats": formats,
            "only_main_content": only_main_content,
            "include_selectors": include_selectors,
            "exclude_selectors": exclude_selectors,
            "inline_images": inline_images,
            "max_age": max_age,
            "private": private,
            "changes": changes,
            "ai_terms": ai_terms,
            "max_price": max_price,
            "webhook": webhook,
            "async": True,
        }
        return await self._start("/batch", body, price_limit)

    async def extract(
        self,
        url: str | None = None,
        selectors: Mapping[str, str] | None = None,
        *,
        urls: Sequence[str] | None = None,
        selector: str | None = None,
        stealth: bool | None = None,
        timeout: int | None = None,
        user_agent: str | None = None,
        wait: int | None = None,
        wait_until: Literal["load", "domcontentloaded", "networkidle0"] | None = None,
        engine: Literal["auto", "static", "browser"] | None = None,
        partial: bool | None = None,
        accept_status: Literal["any"] | Sequence[int | str] | None = None,
        headers: Mapping[str, str] | None = None,
        cookies: Sequence[Cookie] | None = None,
        basic_auth: BasicAuth | None = None,
        method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"] | None = None,
        body: str | None = None,
        language: str | None = None,
        timezone: str | None = None,
        geolocation: Geolocation | None = None,
        viewport: Viewport | None = None,
        proxy: str | None = None,
        actions: Sequence[ClickAction | HoverAction | FillAction | WriteAction | PressAction | SelectAction | ScrollAction | WaitAction | ScreenshotAction | ScrapeAction | EvaluateAction] | None = None,
        action_screenshot: bool | None = None,
        session: str | None = None,
        session_secret: str | None = None,
        schema: Mapping[str, Any] | None = None,
        locale: str | None = None,
        prompt: str | None = None,
        shown_only: bool | None = None,
        learn: bool | None = None,
        confirmed: Sequence[Mapping[str, Any]] | None = None,
        extractor: str | None = None,
        price_limit: str | None = None,
    ) -> ExtractResponse:
        """
        Extract data of pages by CSS selectors or a JSON schema.

        :param url: Page to load; http and https only.
        :param urls: Several pages, in place of `url`; each is paid for if it has all required fields.
        :param selector: CSS selector of an element to wait for before acting.
        :param stealth: Present the fingerprint of an ordinary browser to the page; default false.
        :param timeout: Page load timeout in seconds; default 30.
        :param user_agent: Custom User-Agent.
        :param wait: Extra seconds to wait after the page event; not counted in the timeout.
        :param wait_until: Page event to wait for; default "load".
        :param engine: Engine that loads the page; auto uses a browser only if the page or the request needs one;
            default "auto".
        :param partial: At the timeout, return the content so far instead of an error; default false.
        :param accept_status: Statuses from 400 on with which the page is content and no error: a list such as [404,
            "500-599"], or "any".
        :param headers: Header fields for the page's origin; redirects to other origins drop them.
        :param cookies: Cookies for the page's host.
        :param method: Method of the request for the page; default "GET".
        :param body: Body of the request; a form, unless headers has another Content-Type.
        :param language: Language that the page is asked for.
        :param timezone: Time zone of the browser.
        :param proxy: Proxy of your own (http or socks5 URL), or the name of one of the operator.
        :param actions: Steps in a browser before the page is read; each has a timeout in seconds.
        :param action_screenshot: Add a picture of the page to the error of a step; default false.
        :param session: Id of a session of POST /sessions: the page gets its cookies, localStorage and IndexedDB, and
            leaves its own there.
        :param session_secret: Its secret, if X-Session-Secret does not have it.
        :param selectors: CSS selectors by the names that their results get. `selector@attribute` gives an attribute's
            values in place of texts.
        :param schema: JSON Schema (2020-12) of an object: the fields to find in the page, by names and descriptions.
        :param locale: Language tag by which numbers and dates are read; default: that of the page.
        :param prompt: With a schema, and if the service has a language model: what the model should know of the fields.
        :param shown_only: With a schema: only values that a reader of the page sees; default false.
        :param learn: With a schema and 2 to 5 pages of one template: keep the places of the fields as an extractor;
            default false.
        :param confirmed: With learn: right values of each page, in the order of `urls`, in the form of `data`.
        :param extractor: Id of a learned extractor, in place of `schema`.
        """
        body: dict[str, Any] = {
            "url": url,
            "urls": urls,
            "selector": selector,
            "stealth": stealth,
            "timeout": timeout,
            "user_agent": user_agent,
            "wait": wait,
            "wait_until": wait_until,
            "engine": engine,
            "partial": partial,
            "accept_status": accept_status,
            "headers": headers,
            "cookies": cookies,
            "basic_auth": basic_auth,
            "method": method,
            "body": body,
            "language": language,
            "timezone": timezone,
            "geolocation": geolocation,
            "viewport": viewport,
            "proxy": proxy,
            "actions": actions,
            "action_screenshot": action_screenshot,
            "session": session,
            "session_secret": session_secret,
            "selectors": selectors,
            "schema": schema,
            "locale": locale,
            "prompt": prompt,
            "shown_only": shown_only,
            "learn": learn,
            "confirmed": confirmed,
            "extractor": extractor,
        }
        return await self._json(ExtractResponse, "POST", "/extract", body, price_limit)

    async def read(
        self,
        url: str,
        *,
        selector: str | None = None,
        stealth: bool | None = None,
        timeout: int | None = None,
        user_agent: str | None = None,
        wait: int | None = None,
        wait_until: Literal["load", "domcontentloaded", "networkidle0"] | None = None,
        engine: Literal["auto", "static", "browser"] | None = None,
        partial: bool | None = None,
        accept_status: Literal["any"] | Sequence[int | str] | None = None,
        headers: Mapping[str, str] | None = None,
        cookies: Sequence[Cookie] | None = None,
        basic_auth: BasicAuth | None = None,
        method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"] | None = None,
        body: str | None = None,
        language: str | None = None,
        timezone: str | None = None,
        geolocation: Geolocation | None = None,
        viewport: Viewport | None = None,
        proxy: str | None = None,
        actions: Sequence[ClickAction | HoverAction | FillAction | WriteAction | PressAction | SelectAction | ScrollAction | WaitAction | ScreenshotAction | ScrapeAction | EvaluateAction] | None = None,
        action_screenshot: bool | None = None,
        session: str | None = None,
        session_secret: str | None = None,
        max_age: int | None = None,
        private: bool | None = None,
        changes: Changes | None = None,
        ai_terms: bool | None = None,
        max_length: int | None = None,
        comments: bool | None = None,
        price_limit: str | None = None,
    ) -> ReadResponse:
        """
        Read the main article of a page.

        :param url: Page to load; http and https only.
        :param selector: CSS selector of an element to wait for before acting.
        :param stealth: Present the fingerprint of an ordinary browser to the page; default false.
        :param timeout: Page load timeout in seconds; default 30.
        :param user_agent: Custom User-Agent.
        :param wait: Extra seconds to wait after the page event; not counted in the timeout.
        :param wait_until: Page event to wait for; default "load".
        :param engine: Engine that loads the page; auto uses a browser only if the page or the request needs one;
            default "auto".
        :param partial: At the timeout, return the content so far instead of an error; default false.
        :param accept_status: Statuses from 400 on with which the page is content and no error: a list such as [404,
            "500-599"], or "any".
        :param headers: Header fields for the page's origin; redirects to other origins drop them.
        :param cookies: Cookies for the page's host.
        :param method: Method of the request for the page; default "GET".
        :param body: Body of the request; a form, unless headers has another Content-Type.
        :param language: Language that the page is asked for.
        :param timezone: Time zone of the browser.
        :param proxy: Proxy of your own (http or socks5 URL), or the name of one of the operator.
        :param actions: Steps in a browser before the page is read; each has a timeout in seconds.
        :param action_screenshot: Add a picture of the page to the error of a step; default false.
        :param session: Id of a session of POST /sessions: the page gets its cookies, localStorage and IndexedDB, and
            leaves its own there.
        :param session_secret: Its secret, if X-Session-Secret does not have it.
        :param max_age: Seconds: accept a page that was loaded this long ago for any caller, and keep it for others; 0
            only keeps it.
        :param private: With max_age: do not keep the page for others, who could see that it was requested; default
            false.
        :param ai_terms: Read the files of the site with its terms for use by AI, and show them in metadata; default
            false.
        :param max_length: Maximum content length in characters; longer content is cut.
        :param comments: Also return the readers' comments below an article; default false.
        """
        body: dict[str, Any] = {
            "url": url,
            "selector": selector,
            "stealth": stealth,
            "timeout": timeout,
            "user_agent": user_agent,
            "wait": wait,
            "wait_until": wait_until,
            "engine": engine,
            "partial": partial,
            "accept_status": accept_status,
            "headers": headers,
            "cookies": cookies,
            "basic_auth": basic_auth,
            "method": method,
            "body": body,
            "language": language,
            "timezone": timezone,
            "geolocation": geolocation,
            "viewport": viewport,
            "proxy": proxy,
            "actions": actions,
            "action_screenshot": action_screenshot,
            "session": session,
            "session_secret": session_secret,
            "max_age": max_age,
            "private": private,
            "changes": changes,
            "ai_terms": ai_terms,
            "max_length": max_length,
            "comments": comments,
        }
        return await self._json(ReadResponse, "POST", "/read", body, price_limit)

    async def parse(
        self,
        file: str,
        *,
        content_type: str | None = None,
        format: Literal["html", "markdown", "text", "links"] | None = None,
        max_length: int | None = None,
        words: bool | None = None,
        timeout: int | None = None,
        price_limit: str | None = None,
    ) -> ParseResponse:
        """
        Read a file as HTML, Markdown, text or links.

        :param file: The file in base64.
        :param content_type: Media type of a text file, such as text/csv; the bytes of other files say what they are.
        :param format: Output format; default "markdown".
        :param max_length: Maximum content length in characters; longer content is cut.
        :param words: Also return the words that were recognised in pictures, with their boxes; default false.
        :param timeout: Time for reading the file in seconds; default 30.
        """
        body: dict[str, Any] = {
            "file": file,
            "content_type": content_type,
            "format": format,
            "max_length": max_length,
            "words": words,
            "timeout": timeout,
        }
        return await self._json(ParseResponse, "POST", "/parse", body, price_limit)

    async def pdf(
        self,
        url: str,
        *,
        selector: str | None = None,
        stealth: bool | None = None,
        timeout: int | None = None,
        user_agent: str | None = None,
        wait: int | None = None,
        wait_until: Literal["load", "domcontentloaded", "networkidle0"] | None = None,
        engine: Literal["auto", "static", "browser"] | None = None,
        partial: bool | None = None,
        accept_status: Literal["any"] | Sequence[int | str] | None = None,
        headers: Mapping[str, str] | None = None,
        cookies: Sequence[Cookie] | None = None,
        basic_auth: BasicAuth | None = None,
        method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"] | None = None,
        body: str | None = None,
        language: str | None = None,
        timezone: str | None = None,
        geolocation: Geolocation | None = None,
        viewport: Viewport | None = None,
        proxy: str | None = None,
        actions: Sequence[ClickAction | HoverAction | FillAction | WriteAction | PressAction | SelectAction | ScrollAction | WaitAction | ScreenshotAction | ScrapeAction | EvaluateAction] | None = None,
        action_screenshot: bool | None = None,
        session: str | None = None,
        session_secret: str | None = None,
        landscape: bool | None = None,
        print_background: bool | None = None,
        scale: float | None = None,
        paper_width: float | None = None,
        paper_height: float | None = None,
        margin_top: float | None = None,
        margin_bottom: float | None = None,
        margin_left: float | None = None,
        margin_right: float | None = None,
        price_limit: str | None = None,
    ) -> File:
        """
        Print a page as a PDF document.

        :param url: Page to load; http and https only.
        :param selector: CSS selector of an element to wait for before acting.
        :param stealth: Present the fingerprint of an ordinary browser to the page; default false.
        :param timeout: Page load timeout in seconds; default 30.
        :param user_agent: Custom User-Agent.
        :param wait: Extra seconds to wait after the page event; not counted in the timeout.
        :param wait_until: Page event to wait for; default "load".
        :param engine: Engine that loads the page; auto uses a browser only if the page or the request needs one;
            default "auto".
        :param partial: At the timeout, return the content so far instead of an error; default false.
        :param accept_status: Statuses from 400 on with which the page is content and no error: a list such as [404,
            "500-599"], or "any".
        :param headers: Header fields for the page's origin; redirects to other origins drop them.
        :param cookies: Cookies for the page's host.
        :param method: Method of the request for the page; default "GET".
        :param body: Body of the request; a form, unless headers has another Content-Type.
        :param language: Language that the page is asked for.
        :param timezone: Time zone of the browser.
        :param proxy: Proxy of your own (http or socks5 URL), or the name of one of the operator.
        :param actions: Steps in a browser before the page is read; each has a timeout in seconds.
        :param action_screenshot: Add a picture of the page to the error of a step; default false.
        :param session: Id of a session of POST /sessions: the page gets its cookies, localStorage and IndexedDB, and
            leaves its own there.
        :param session_secret: Its secret, if X-Session-Secret does not have it.
        :param landscape: Landscape orientation; default false.
        :param print_background: Print background colours and images; default true.
        :param scale: Render scale; default 1.
        :param paper_width: Paper width in inches; default 8.5.
        :param paper_height: Paper height in inches; default 11.
        :param margin_top: Top margin in inches; 0.4 by default.
        :param margin_bottom: Bottom margin in inches; 0.4 by default.
        :param margin_left: Left margin in inches; 0.4 by default.
        :param margin_right: Right margin in inches; 0.4 by default.
        """
        body: dict[str, Any] = {
            "url": url,
            "selector": selector,
            "stealth": stealth,
            "timeout": timeout,
            "user_agent": user_agent,
            "wait": wait,
            "wait_until": wait_until,
            "engine": engine,
            "partial": partial,
            "accept_status": accept_status,
            "headers": headers,
            "cookies": cookies,
            "basic_auth": basic_auth,
            "method": method,
            "body": body,
            "language": language,
            "timezone": timezone,
            "geolocation": geolocation,
            "viewport": viewport,
            "proxy": proxy,
            "actions": actions,
            "action_screenshot": action_screenshot,
            "session": session,
            "session_secret": session_secret,
            "landscape": landscape,
            "print_background": print_background,
            "scale": scale,
            "paper_width": paper_width,
            "paper_height": paper_height,
            "margin_top": margin_top,
            "margin_bottom": margin_bottom,
            "margin_left": margin_left,
            "margin_right": margin_right,
        }
        return await self._file("/pdf", body, price_limit)

    async def screenshot(
        self,
        url: str,
        *,
        selector: str | None = None,
        stealth: bool | None = None,
        timeout: int | None = None,
        user_agent: str | None = None,
        wait: int | None = None,
        wait_until: Literal["load", "domcontentloaded", "networkidle0"] | None = None,
        engine: Literal["auto", "static", "browser"] | None = None,
        partial: bool | None = None,
        accept_status: Literal["any"] | Sequence[int | str] | None = None,
        headers: Mapping[str, str] | None = None,
        cookies: Sequence[Cookie] | None = None,
        basic_auth: BasicAuth | None = None,
        method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"] | None = None,
        body: str | None = None,
        language: str | None = None,
        timezone: str | None = None,
        geolocation: Geolocation | None = None,
        viewport: Viewport | None = None,
        proxy: str | None = None,
        actions: Sequence[ClickAction | HoverAction | FillAction | WriteAction | PressAction | SelectAction | ScrollAction | WaitAction | ScreenshotAction | ScrapeAction | EvaluateAction] | None = None,
        action_screenshot: bool | None = None,
        session: str | None = None,
        session_secret: str | None = None,
        format: Literal["png", "jpeg", "webp"] | None = None,
        full_page: bool | None = None,
        width: int | None = None,
        height: int | None = None,
        quality: int | None = None,
        price_limit: str | None = None,
    ) -> File:
        """
        Take a picture of a page.

        :param url: Page to load; http and https only.
        :param selector: CSS selector of an element to wait for before acting.
        :param stealth: Present the fingerprint of an ordinary browser to the page; default false.
        :param timeout: Page load timeout in seconds; default 30.
        :param user_agent: Custom User-Agent.
        :param wait: Extra seconds to wait after the page event; not counted in the timeout.
        :param wait_until: Page event to wait for; default "load".
        :param engine: Engine that loads the page; auto uses a browser only if the page or the request needs one;
            default "auto".
        :param partial: At the timeout, return the content so far instead of an error; default false.
        :param accept_status: Statuses from 400 on with which the page is content and no error: a list such as [404,
            "500-599"], or "any".
        :param headers: Header fields for the page's origin; redirects to other origins drop them.
        :param cookies: Cookies for the page's host.
        :param method: Method of the request for the page; default "GET".
        :param body: Body of the request; a form, unless headers has another Content-Type.
        :param language: Language that the page is asked for.
        :param timezone: Time zone of the browser.
        :param proxy: Proxy of your own (http or socks5 URL), or the name of one of the operator.
        :param actions: Steps in a browser before the page is read; each has a timeout in seconds.
        :param action_screenshot: Add a picture of the page to the error of a step; default false.
        :param session: Id of a session of POST /sessions: the page gets its cookies, localStorage and IndexedDB, and
            leaves its own there.
        :param session_secret: Its secret, if X-Session-Secret does not have it.
        :param format: Image format; default "png".
        :param full_page: Capture the whole page after scrolling through it, not only the window; at most 16,383 pixels
            wide, 30,000 high (webp: 16,383) and 40 million in all; default false.
        :param width: Viewport width in pixels; default 1280.
        :param height: Viewport height in pixels; default 720.
        :param quality: Compression quality, only for jpeg and webp; 80 by default, and a webp of 100 is lossless.
        """
        body: dict[str, Any] = {
            "url": url,
            "selector": selector,
            "stealth": stealth,
            "timeout": timeout,
            "user_agent": user_agent,
            "wait": wait,
            "wait_until": wait_until,
            "engine": engine,
            "partial": partial,
            "accept_status": accept_status,
            "headers": headers,
            "cookies": cookies,
            "basic_auth": basic_auth,
            "method": method,
            "body": body,
            "language": language,
            "timezone": timezone,
            "geolocation": geolocation,
            "viewport": viewport,
            "proxy": proxy,
            "actions": actions,
            "action_screenshot": action_screenshot,
            "session": session,
            "session_secret": session_secret,
            "format": format,
            "full_page": full_page,
            "width": width,
            "height": height,
            "quality": quality,
        }
        return await self._file("/screenshot", body, price_limit)

    async def resolve(
        self,
        question: str,
        *,
        criteria: str | None = None,
        max_sources: int | None = None,
        sources: Sequence[str] | None = None,
        timeout: int | None = None,
        price_limit: str | None = None,
    ) -> ResolveResponse:
        """
        Find the outcome of a prediction-market question.

        :param question: Prediction-market question.
        :param criteria: How the market resolves YES or NO; default "".
        :param max_sources: Maximum web sources to read; default 5.
        :param sources: Hint URLs to check for evidence; read before all others, also if they are more than max_sources;
            default [].
        :param timeout: Timeout in seconds; the response has the result so far; default 30.
        """
        body: dict[str, Any] = {
            "question": question,
            "criteria": criteria,
            "max_sources": max_sources,
            "sources": sources,
            "timeout": timeout,
        }
        return await self._json(ResolveResponse, "POST", "/resolve", body, price_limit)

    async def qr(
        self,
        data: str,
        *,
        size: int | None = None,
        margin: int | None = None,
        price_limit: str | None = None,
    ) -> File:
        """
        Draw a QR code.

        :param data: Text, URL or data to encode.
        :param size: Width and height of the image in pixels; default 256.
        :param margin: Quiet zone in modules; default 2.
        """
        body: dict[str, Any] = {
            "data": data,
            "size": size,
            "margin": margin,
        }
        return await self._file("/qr", body, price_limit)

    async def session(
        self,
        *,
        ttl: int | None = None,
        idle_ttl: int | None = None,
        session_secret: str | None = None,
        price_limit: str | None = None,
    ) -> SessionResponse:
        """
        Create a session for cookies and storage.

        :param ttl: Seconds; default 86400.
        :param idle_ttl: Idle seconds; absent for `ttl`.
        :param session_secret: Secret of another one.
        """
        body: dict[str, Any] = {
            "ttl": ttl,
            "idle_ttl": idle_ttl,
            "session_secret": session_secret,
        }
        return await self._json(SessionResponse, "POST", "/sessions", body, price_limit)

    async def browser(
        self,
        minutes: int,
        *,
        browser: str | None = None,
        token: str | None = None,
        price_limit: str | None = None,
    ) -> BrowserResponse:
        """
        Start a browser for Puppeteer or Playwright.

        :param minutes: Minutes.
        :param browser: One that is to run longer.
        """
        body: dict[str, Any] = {
            "minutes": minutes,
            "browser": browser,
            "token": token,
        }
        return await self._json(BrowserResponse, "POST", "/browsers", body, price_limit)

    async def health(
        self,
        *,
        price_limit: str | None = None,
    ) -> Health:
        """Report whether the service works."""
        return await self._json(Health, "GET", "/health", None, price_limit)

    async def session_list(self, secret: str) -> SessionList:
        """List sessions. It is free."""
        path = "/sessions"
        return await self._json(SessionList, "GET", path, None, None, {"x-session-secret": secret})

    async def session_status(self, id: str, secret: str) -> SessionStatus:
        """Return the state of a session. It is free."""
        path = f"/sessions/{quote(id, safe='')}"
        return await self._json(SessionStatus, "GET", path, None, None, {"x-session-secret": secret})

    async def session_end(self, id: str, secret: str) -> SessionState:
        """End a session. It is free."""
        path = f"/sessions/{quote(id, safe='')}"
        return await self._json(SessionState, "DELETE", path, None, None, {"x-session-secret": secret})

    async def browser_status(self, id: str, token: str) -> BrowserState:
        """Return the state of a browser. It is free."""
        path = f"/browsers/{quote(id, safe='')}"
        return await self._json(BrowserState, "GET", path, None, None, {"x-browser-token": token})

    async def browser_end(self, id: str, token: str) -> BrowserState:
        """End a browser. It is free."""
        path = f"/browsers/{quote(id, safe='')}"
        return await self._json(BrowserState, "DELETE", path, None, None, {"x-browser-token": token})

    @abstractmethod
    async def _json(
        self,
        kind: type[T],
        method: str,
        path: str,
        body: dict[str, Any] | None,
        price_limit: str | None,
        secret: Mapping[str, str] | None = None,
    ) -> T: ...

    @abstractmethod
    async def _file(self, path: str, body: dict[str, Any], price_limit: str | None) -> File: ...

    @abstractmethod
    async def _start(self, path: str, body: dict[str, Any], price_limit: str | None) -> AsyncJob: ...
