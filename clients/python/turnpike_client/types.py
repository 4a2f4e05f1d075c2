"""The types of the API's bodies. Made by scripts/generate.ts; changes here are lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NotRequired, TypedDict


class SearchResponseResult(TypedDict):
    title: str
    url: str
    snippet: str


class SearchResponse(TypedDict):
    query: str
    results: Sequence[SearchResponseResult]
    metadata: SearchMetadata


class SearchMetadata(TypedDict):
    """Facts about a search."""

    #: Length of all results as JSON in bytes, before the cut
    content_length: int
    #: Time taken, in milliseconds
    elapsed_ms: int
    #: Whether there were more results than count
    truncated: bool
    #: The search providers that responded
    providers: Sequence[str]
    #: Whether the results come from the cache
    cached: bool


class ProblemError(TypedDict):
    path: str
    message: str


class Problem(TypedDict):
    """RFC 9457 problem details."""

    type: str
    title: str
    status: int
    detail: str
    #: The request's X-Request-Id
    instance: NotRequired[str]
    errors: NotRequired[Sequence[ProblemError]]
    #: The HTTP status of the page's server
    page_status: NotRequired[int]


class SearchContentResponse(TypedDict):
    query: str
    results: Sequence[SearchContentResult]
    metadata: SearchContentMetadata


class SearchContentResult(TypedDict):
    """A result, with the content of its page if it was read."""

    title: str
    url: str
    snippet: str
    #: Main content of a page that was read
    content: NotRequired[str]
    #: Whether the content was cut to max_length
    truncated: NotRequired[bool]
    #: Reason why the page was not read
    error: NotRequired[str]
    #: The problem type of the error
    error_type: NotRequired[str]


class SearchContentMetadata(TypedDict):
    """Facts about a search and its pages."""

    #: Length of all results as JSON in bytes, before the cut
    content_length: int
    #: Time taken, in milliseconds
    elapsed_ms: int
    #: Whether there were more results than count
    truncated: bool
    #: The search providers that responded
    providers: Sequence[str]
    #: Whether the results come from the cache
    cached: bool
    #: Number of pages with content
    pages_read: int


class MapResponse(TypedDict):
    url: str
    links: Sequence[MapLink]
    metadata: MapMetadata


class MapLink(TypedDict):
    """An address of a site."""

    url: str
    #: Title of the page, or the text of a link to it
    title: NotRequired[str]
    #: Date of the last change, from the sitemap
    modified: NotRequired[str]


class MapMetadata(TypedDict):
    """Facts about a map."""

    #: Time taken, in milliseconds
    elapsed_ms: int
    #: Whether there are more addresses than limit
    truncated: bool
    #: Whether the timeout came before the end of the site's sitemaps
    partial: bool
    #: Number of addresses that were left out because robots.txt forbids them
    forbidden: int


class StartedJob(TypedDict):
    """A job that was started."""

    #: Name of the job
    id: str
    #: The value of X-Job-Secret in requests about this job; shown only here
    secret: str
    #: The secret that signs the job's webhooks
    webhook_secret: NotRequired[str]
    #: Path of the job's state; DELETE cancels it
    status: str
    #: Path of the job's results
    results: str


class Cookie(TypedDict):
    name: str
    value: str
    #: The page's host or a domain above it, for its subdomains too
    domain: NotRequired[str]
    #: default "/"
    path: NotRequired[str]
    #: Only by https; by default if the page's URL is https
    secure: NotRequired[bool]


class BasicAuth(TypedDict):
    """User name and password for the page's origin."""

    username: str
    password: str


class Geolocation(TypedDict):
    """Position that the browser reports."""

    latitude: float
    longitude: float
    #: default 50
    accuracy: NotRequired[float]


class Viewport(TypedDict):
    """Size of the browser's window; mobile is a touch screen, and asks as a phone."""

    width: int
    height: int
    #: default 1
    scale: NotRequired[float]
    #: default false
    mobile: NotRequired[bool]


class ClickAction(TypedDict):
    type: Literal["click"]
    selector: str
    #: Each element that matches, up to 20; default false
    all: NotRequired[bool]
    #: default "left"
    button: NotRequired[Literal["left", "right", "middle"]]
    #: default 1
    clicks: NotRequired[int]
    #: default 10
    timeout: NotRequired[float]


class HoverAction(TypedDict):
    type: Literal["hover"]
    selector: str
    #: default 10
    timeout: NotRequired[float]


class FillAction(TypedDict):
    type: Literal["fill"]
    selector: str
    text: str
    #: default 10
    timeout: NotRequired[float]


class WriteAction(TypedDict):
    type: Literal["write"]
    text: str
    #: default 10
    timeout: NotRequired[float]


class PressAction(TypedDict):
    type: Literal["press"]
    key: str
    #: default 10
    timeout: NotRequired[float]


class SelectAction(TypedDict):
    type: Literal["select"]
    selector: str
    #: Values or texts of options
    values: Sequence[str]
    #: default 10
    timeout: NotRequired[float]


class ScrollAction(TypedDict):
    type: Literal["scroll"]
    #: Element that is scrolled; by default the page
    selector: NotRequired[str]
    #: default "down"
    direction: NotRequired[Literal["down", "up"]]
    #: Windows; by default to the end, also of a list that grows
    times: NotRequired[int]
    #: default 10
    timeout: NotRequired[float]


class WaitAction(TypedDict):
    type: Literal["wait"]
    #: Not counted in the timeouts
    milliseconds: NotRequired[int]
    selector: NotRequired[str]
    state: NotRequired[Literal["visible", "attached", "gone"]]
    text: NotRequired[str]
    #: Until no request was in progress for half a second
    quiet: NotRequired[Literal[true]]
    #: default 10
    timeout: NotRequired[float]


class ScreenshotAction(TypedDict):
    type: Literal["screenshot"]
    #: Image format; default "png"
    format: NotRequired[Literal["png", "jpeg", "webp"]]
    #: Capture the whole page after scrolling through it, not only the window; at most 16,383 pixels wide, 30,000 high
    #: (webp: 16,383) and 40 million in all; default false
    full_page: NotRequired[bool]
    #: Compression quality, only for jpeg and webp; 80 by default, and a webp of 100 is lossless
    quality: NotRequired[int]
    #: default 10
    timeout: NotRequired[float]


class ScrapeAction(TypedDict):
    type: Literal["scrape"]
    #: default 10
    timeout: NotRequired[float]


class EvaluateAction(TypedDict):
    type: Literal["evaluate"]
    script: str
    #: default 10
    timeout: NotRequired[float]


class Format(TypedDict):
    type: Literal["markdown", "html", "text", "links", "images", "metadata", "summary", "raw", "branding", "pdf"]


class SummaryFormat(TypedDict):
    type: Literal["summary"]
    #: model: a language model, if the service has one and it succeeds
    by: Literal["sentences", "model"]


class ScreenshotFormat(TypedDict):
    type: Literal["screenshot"]
    #: Image format; default "png"
    format: NotRequired[Literal["png", "jpeg", "webp"]]
    #: Capture the whole page after scrolling through it, not only the window; at most 16,383 pixels wide, 30,000 high
    #: (webp: 16,383) and 40 million in all; default false
    full_page: NotRequired[bool]
    #: Viewport width in pixels; default 1280
    width: NotRequired[int]
    #: Viewport height in pixels; default 720
    height: NotRequired[int]
    #: Compression quality, only for jpeg and webp; 80 by default, and a webp of 100 is lossless
    quality: NotRequired[int]


class JsonFormat(TypedDict):
    type: Literal["json"]
    #: JSON Schema (2020-12) of an object: the fields to find in the page, by names and descriptions
    schema: Mapping[str, Any]
    #: Language tag by which numbers and dates are read; default: that of the page
    locale: NotRequired[str]
    #: With a schema, and if the service has a language model: what the model should know of the fields
    prompt: NotRequired[str]
    #: With a schema: only values that a reader of the page sees; default false
    shown_only: NotRequired[bool]


class Changes(TypedDict):
    """Compare the page with a version that you received before, and keep it for the next time."""

    #: The version to compare with: the last one, or the one of this time; default "last"
    since: NotRequired[str]
    #: A unified diff of the content, or the changed members of content that is JSON; default "diff"
    mode: NotRequired[Literal["diff", "fields"]]


class Webhook(TypedDict):
    """Sends the events of the job, signed with the `webhook_secret` of the response."""

    #: Receiver of the events, by POST
    url: str
    #: Types of events that are sent; absent for all
    events: NotRequired[Sequence[Literal["started", "page", "completed", "failed", "cancelled"]]]
    #: Texts that each event repeats
    metadata: NotRequired[Mapping[str, str]]


class ScrapeResponse(TypedDict):
    url: str
    format: str
    #: The content in `format`; empty with `formats`
    content: str
    results: NotRequired[PageFormats]
    #: What each step has made, in their order
    actions: NotRequired[Sequence[ActionResult]]
    metadata: Metadata
    changes: NotRequired[PageChanges]


class PageFormatsLink(TypedDict):
    url: str
    text: str


class PageFormatsImage(TypedDict):
    url: str
    text: str


class PageFormatsRaw(TypedDict):
    """The document as it came; with the browser engine, as it stands after its scripts ran."""

    content_type: str
    text: NotRequired[str]
    base64: NotRequired[str]


class PageFormatsBrandingColors(TypedDict):
    background: NotRequired[str]
    text: NotRequired[str]
    link: NotRequired[str]
    primary: NotRequired[str]
    accent: NotRequired[str]
    palette: NotRequired[Sequence[str]]


class PageFormatsBrandingFonts(TypedDict):
    body: NotRequired[str]
    heading: NotRequired[str]
    families: NotRequired[Sequence[str]]


class PageFormatsBrandingButton(TypedDict):
    text: NotRequired[str]
    background: NotRequired[str]
    border_radius: NotRequired[str]
    font: NotRequired[str]


class PageFormatsBranding(TypedDict):
    """Colours, fonts and logo that the page shows."""

    colors: PageFormatsBrandingColors
    fonts: PageFormatsBrandingFonts
    logo: NotRequired[str]
    logo_svg: NotRequired[str]
    favicon: NotRequired[str]
    image: NotRequired[str]
    name: NotRequired[str]
    button: NotRequired[PageFormatsBrandingButton]
    color_scheme: NotRequired[Literal["light", "dark"]]


class PageFormatsScreenshot(TypedDict):
    content_type: str
    base64: str
    truncated: bool


class PageFormatsPdf(TypedDict):
    content_type: str
    base64: str


class PageFormats(TypedDict):
    """The requested formats of a page."""

    markdown: NotRequired[str]
    #: The content as HTML with absolute addresses
    html: NotRequired[str]
    text: NotRequired[str]
    links: NotRequired[Sequence[PageFormatsLink]]
    #: Pictures with their alternative texts
    images: NotRequired[Sequence[PageFormatsImage]]
    #: Texts of `meta` elements by name
    metadata: NotRequired[Mapping[str, str]]
    #: Sentences that say most of the page
    summary: NotRequired[str]
    #: sentences: they stand in the page; model: they are a language model's
    summary_by: NotRequired[Literal["sentences", "model"]]
    #: The document as it came; with the browser engine, as it stands after its scripts ran
    raw: NotRequired[PageFormatsRaw]
    #: Colours, fonts and logo that the page shows
    branding: NotRequired[PageFormatsBranding]
    json: NotRequired[PageFields]
    screenshot: NotRequired[PageFormatsScreenshot]
    pdf: NotRequired[PageFormatsPdf]


class PageFieldsMissing(TypedDict):
    path: str
    reason: str


class PageFields(TypedDict):
    """The fields of a schema, with their places."""

    data: Mapping[str, Any]
    #: With a schema: the place of each value, by JSON Pointer of the field
    sources: NotRequired[Mapping[str, FieldSource]]
    #: With a schema: the fields that are null, by JSON Pointer, each with the reason
    missing: NotRequired[Sequence[PageFieldsMissing]]
    #: With an extractor: fields that are not at their learned places, by JSON Pointer
    drift: NotRequired[Sequence[str]]


FieldSource = TypedDict("FieldSource", {
    "from": "Literal[\"json-ld\", \"microdata\", \"rdfa\", \"meta\", \"table\", \"definition-list\", \"label\", \"class\", \"heading\", \"link\", \"text\", \"selector\", \"model\"]",
    #: CSS selector of the element
    "selector": "str",
    #: JSON Pointer of the value in the element's JSON-LD
    "pointer": "NotRequired[str]",
    #: The element's attribute that has the value
    "attribute": "NotRequired[str]",
    #: The text that states the value
    "quote": "str",
    #: Whether a reader of the page sees the value
    "shown": "bool",
    #: A value of the structured data that the visible text contradicts
    "conflict": "NotRequired[Any]",
})


class ActionResultScreenshot(TypedDict):
    content_type: str
    base64: str


class ActionResultDialog(TypedDict):
    type: str
    message: str


class ActionResult(TypedDict):
    """What a step has made."""

    type: str
    #: Address of the page after the step
    url: str
    title: str
    #: Result of a script, as text or JSON
    value: NotRequired[str]
    #: The page at that time as Markdown
    content: NotRequired[str]
    #: Pixels of the page after a scroll
    height: NotRequired[float]
    screenshot: NotRequired[ActionResultScreenshot]
    #: Dialogs, which were dismissed
    dialogs: NotRequired[Sequence[ActionResultDialog]]
    #: Windows that the page wanted to open; none is opened
    windows: NotRequired[Sequence[str]]


class MetadataOcr(TypedDict):
    """Present if the text was recognised in pictures: their number, and the mean confidence of its words."""

    pages: int
    confidence: float


class Metadata(TypedDict):
    """Facts about the load of a page."""

    #: Length of the content in bytes, before it was cut
    content_length: int
    #: Time taken to load and read the page, in milliseconds
    elapsed_ms: int
    #: Whether the content was cut to max_length
    truncated: bool
    #: HTTP status of the page's server; a failed page has it only if it failed because of this status
    status: NotRequired[int]
    #: The page's address after redirects
    final_url: NotRequired[str]
    #: Type of the page's document
    content_type: NotRequired[str]
    #: Title of the page
    title: NotRequired[str]
    #: Author of the article, if the page names one
    byline: NotRequired[str]
    #: Publication date of the article, if the page has one
    published: NotRequired[str]
    #: Language of the article, if the page declares it
    language: NotRequired[str]
    #: Name of the site, if the page has it
    site_name: NotRequired[str]
    #: The page's canonical address
    canonical_url: NotRequired[str]
    #: Address of the article's lead picture, if the page names one
    image: NotRequired[str]
    #: Confidence that this is the main content and nothing else: the expected F1 score over words
    confidence: NotRequired[float]
    #: True if the timeout came before the end of the page, or pages of a long document are missing
    partial: NotRequired[bool]
    #: Present if the text was recognised in pictures: their number, and the mean confidence of its words
    ocr: NotRequired[MetadataOcr]
    #: True if the page was loaded for an earlier request
    cached: NotRequired[bool]
    #: Seconds since the server of a cached page sent or confirmed it
    age: NotRequired[int]
    ai_terms: NotRequired[AiTerms]
    #: Engine that loaded the page
    engine: NotRequired[Literal["static", "browser"]]


class AiTerms(TypedDict):
    """Terms of the site for the use of the page by AI, if it states some."""

    #: Content-Signal of robots.txt: by use, whether it is allowed
    signals: NotRequired[Mapping[str, bool]]
    #: Whether text and data mining is reserved (TDMRep)
    tdm_reserved: NotRequired[bool]
    #: Address of the policy for text and data mining
    tdm_policy: NotRequired[str]
    #: Address of an RSL licence
    license: NotRequired[str]
    #: Uses that the licence does not grant for free, if it was read
    license_denies: NotRequired[Sequence[str]]


class PageChangesField(TypedDict):
    path: str
    before: NotRequired[Any]
    after: NotRequired[Any]


class PageChanges(TypedDict):
    """Difference to an older version, if the request has `changes`."""

    state: Literal["new", "same", "changed", "removed"]
    #: Time from which on the older version is known
    compared_with: NotRequired[str]
    #: Unified diff of the content
    diff: NotRequired[str]
    #: Changed members, by JSON Pointer
    fields: NotRequired[Sequence[PageChangesField]]
    #: True if the diff or the list is cut
    truncated: NotRequired[bool]


class BatchResponse(TypedDict):
    #: One for each URL, in their order
    results: Sequence[BatchResult]
    #: Time taken for all, in milliseconds
    total_time_ms: int


class BatchResult(TypedDict):
    """The content of one page, or the error instead of it."""

    url: str
    format: str
    #: The page's content; empty with `formats`, or if this page failed
    content: str
    results: NotRequired[PageFormats]
    #: What each step has made, in their order
    actions: NotRequired[Sequence[ActionResult]]
    metadata: Metadata
    #: Reason of the failure; only if this page failed
    error: NotRequired[str]
    #: The problem type of the error
    error_type: NotRequired[str]
    changes: NotRequired[PageChanges]


class ExtractResponseMissing(TypedDict):
    path: str
    reason: str


class ExtractResponse(TypedDict):
    url: str
    #: By name. With selectors: a string for one element, an array for several, null for none. With a schema: the
    #: fields, null for those that the page does not state
    data: Mapping[str, Any]
    #: With a schema: the place of each value, by JSON Pointer of the field
    sources: NotRequired[Mapping[str, FieldSource]]
    #: With a schema: the fields that are null, by JSON Pointer, each with the reason
    missing: NotRequired[Sequence[ExtractResponseMissing]]
    #: With an extractor: fields that are not at their learned places, by JSON Pointer
    drift: NotRequired[Sequence[str]]
    metadata: Metadata
    #: What each step has made, in their order
    actions: NotRequired[Sequence[ActionResult]]
    extractor: NotRequired[LearnedExtractor]
    #: With `urls`: one for each page, in their order; the other members are those of the first one that succeeded
    results: NotRequired[Sequence[ExtractResult]]


class LearnedExtractor(TypedDict):
    """With `learn`: the places of fields that all pages share."""

    #: The value of `extractor` in later requests
    id: str
    #: By JSON Pointer of the field
    rules: Mapping[str, FieldRule]


class FieldRule(TypedDict):
    """The learned place of a field: beside a label, or at a CSS selector."""

    label: NotRequired[str]
    selector: NotRequired[str]
    attribute: NotRequired[str]
    pointer: NotRequired[str]


class ExtractResultMissing(TypedDict):
    path: str
    reason: str


class ExtractResult(TypedDict):
    """The data of one page, or the error instead of them."""

    url: str
    #: By name. With selectors: a string for one element, an array for several, null for none. With a schema: the
    #: fields, null for those that the page does not state
    data: Mapping[str, Any]
    #: With a schema: the place of each value, by JSON Pointer of the field
    sources: NotRequired[Mapping[str, FieldSource]]
    #: With a schema: the fields that are null, by JSON Pointer, each with the reason
    missing: NotRequired[Sequence[ExtractResultMissing]]
    #: With an extractor: fields that are not at their learned places, by JSON Pointer
    drift: NotRequired[Sequence[str]]
    metadata: Metadata
    #: What each step has made, in their order
    actions: NotRequired[Sequence[ActionResult]]
    #: Reason of the failure; only if this page failed
    error: NotRequired[str]
    #: The problem type of the error
    error_type: NotRequired[str]


class ReadResponse(TypedDict):
    url: str
    title: str
    content: str
    metadata: Metadata
    #: What each step has made, in their order
    actions: NotRequired[Sequence[ActionResult]]
    changes: NotRequired[PageChanges]


class ParseResponse(TypedDict):
    format: str
    content: str
    metadata: Metadata
    words: NotRequired[Sequence[OcrWord]]


class OcrWord(TypedDict):
    """A word in a picture, with its box in pixels from the top left corner."""

    #: From 1 on
    page: int
    text: str
    confidence: float
    left: int
    top: int
    width: int
    height: int


class ResolveResponseSourcesConsulted(TypedDict):
    title: str
    url: str


class ResolveResponse(TypedDict):
    question: str
    #: Of YES; at least 0.01 and at most 0.99
    probability: float
    verdict: Literal["YES", "LIKELY_YES", "UNCERTAIN", "LIKELY_NO", "NO"]
    confidence: Literal["high", "medium", "low"]
    #: The reasons, with the numbers of the evidence from 1, and the pages that could not be read
    reasoning: str
    evidence: Sequence[Evidence]
    #: The sources that were read; pages that repeat the text of another are not among them
    sources_consulted: Sequence[ResolveResponseSourcesConsulted]
    metadata: ResolveMetadata


class Evidence(TypedDict):
    """A statement of a source, and the outcome that it supports."""

    #: A statement of the source, word for word
    claim: str
    #: Title of the source
    source: str
    supports: Literal["YES", "NO", "NEUTRAL"]
    url: str


class ResolveMetadata(TypedDict):
    """Facts about the work on a question."""

    #: Time taken, in milliseconds
    elapsed_ms: int
    #: Number of searches that got a response
    searches: int
    #: Sources that were read
    sources_read: int
    #: Analyst that found the evidence
    analyst: Literal["embedded", "language model"]


class SessionResponse(TypedDict):
    """A session that was created."""

    #: Name of the session
    id: str
    #: Number of pages that have used it
    uses: int
    #: Bytes of its data, encrypted
    stored_bytes: int
    created_at: str
    used_at: str
    #: Time at which it ends, if it is not used
    expires_at: str
    #: The value of X-Session-Secret in requests about this session; shown only here
    secret: str


class BrowserResponse(TypedDict):
    """A browser that runs."""

    #: Name of the browser
    id: str
    #: True while a client controls it
    connected: bool
    created_at: str
    #: Time at which it ends
    expires_at: str
    #: The secret of the browser
    token: str
    #: Path of the WebSocket that speaks the DevTools protocol
    connect: str
    #: Path of a page on which people watch the browser. Its token, after #, gives no control
    view: str
    #: The same page with another token, with which people also click, scroll and type in the browser's pages
    control: str


class HealthBrowser(TypedDict):
    """null: this machine has no browser, and pages that need one fail."""

    name: str
    version: str
    #: Whether pages run in a sandbox
    sandboxed: bool


class HealthFonts(TypedDict):
    #: Kinds of text for which no font is installed
    missing: Sequence[Literal["latin", "serif", "mono", "cjk", "emoji"]]


class HealthSearch(TypedDict):
    name: str
    state: Literal["closed", "open", "half-open"]
    #: Why its newest request failed; absent if it succeeded
    last_failure: NotRequired[str]


class Health(TypedDict):
    """The state of the service and of the programs and providers that it uses."""

    status: Literal["ok"]
    #: Version of Turnpike
    version: str
    #: null: this machine has no browser, and pages that need one fail
    browser: HealthBrowser | None
    fonts: NotRequired[HealthFonts]
    #: Search providers; a provider that is open (its circuit breaker) is not queried
    search: Sequence[HealthSearch]


class JobState(TypedDict):
    """The state of a job."""

    #: Name of the job
    id: str
    state: Literal["running", "completed", "cancelled", "failed"]
    #: Why it ended: `limit`, `max-price`, `bytes`, `time` or another reason; absent if all was done
    reason: NotRequired[str]
    #: Maximum number of delivered pages
    limit: int
    #: Number of delivered pages
    delivered: int
    #: Number of pages that failed
    failed: int
    #: Number of addresses that the job knows
    known: int
    #: Number of known addresses that are not loaded yet
    waiting: int
    #: Bytes of the compressed results
    bytes: int
    #: `storage`: the service cannot store results now, because its disk or the file of jobs is full. It goes on by
    #: itself
    waits_for: NotRequired[Literal["storage"]]
    #: Number of addresses that were not delivered, by the reason
    not_delivered: Mapping[str, int]
    cost: NotRequired[JobCost]
    webhook: NotRequired[JobWebhook]
    created_at: str
    ended_at: NotRequired[str]
    #: Time until which the results of an ended job can be read
    expires_at: NotRequired[str]


class JobCost(TypedDict):
    """The cost of a job that is paid by its pages."""

    #: The price of the delivered pages so far
    due: str
    #: The paid part of it. Only paid results can be read
    paid: str
    #: The most that the job costs
    quote: str
    #: The token of the amounts, which are in its smallest unit
    asset: str
    network: str
    #: Number of paid pages
    paid_pages: int
    #: False if nothing more will be paid
    open: bool
    #: What pages from the cache cost less; absent for none
    saved: NotRequired[str]
    #: The transaction that has moved `paid` on the chain
    transaction: NotRequired[str]


class JobWebhook(TypedDict):
    """The progress of a webhook."""

    state: Literal["sending", "failing", "done", "given-up"]
    #: Number of the last event that the receiver accepted or did not want; -1 before the first
    sent: int
    #: Why the next event was not accepted
    failure: NotRequired[str]
    failing_since: NotRequired[str]


class JobResults(TypedDict):
    """Some results of a job."""

    state: Literal["running", "completed", "cancelled", "failed"]
    results: Sequence[JobResult]
    #: The `after` of the next request, if further results are ready
    next: NotRequired[int]


class JobResult(TypedDict):
    """A page of a job, or the error instead of its content."""

    #: Place among the results, from 1 on without gaps
    number: int
    url: str
    #: Number of links from a start to the page
    depth: int
    format: NotRequired[str]
    content: NotRequired[str]
    results: NotRequired[PageFormats]
    metadata: NotRequired[Metadata]
    changes: NotRequired[PageChanges]
    #: True if the page asks not to be indexed
    noindex: NotRequired[bool]
    #: Why the page was not delivered
    error: NotRequired[str]
    #: The kind of the error
    kind: NotRequired[str]


class JobEventsEvent(TypedDict):
    #: 0 for the start, the number of the result, or the last number for the end
    number: int
    type: Literal["started", "page", "completed", "failed", "cancelled"]
    #: Name of the job
    job: str
    #: The result, or the state of the job
    data: Mapping[str, Any]


class JobEvents(TypedDict):
    """Some events of a job."""

    state: Literal["running", "completed", "cancelled", "failed"]
    events: Sequence[JobEventsEvent]
    #: The `after` of the next request, if further events are ready
    next: NotRequired[int]


class SessionList(TypedDict):
    """The sessions with a secret, the oldest first."""

    sessions: Sequence[SessionState]


class SessionState(TypedDict):
    """The state of a session."""

    #: Name of the session
    id: str
    #: Number of pages that have used it
    uses: int
    #: Bytes of its data, encrypted
    stored_bytes: int
    created_at: str
    used_at: str
    #: Time at which it ends, if it is not used
    expires_at: str


class SessionStatusLeftOut(TypedDict):
    origin: str
    #: Absent for the localStorage
    database: NotRequired[str]
    reason: Literal["size", "value", "busy", "restore"]


class SessionStatus(TypedDict):
    """The state of a session, and what it did not keep."""

    #: Name of the session
    id: str
    #: Number of pages that have used it
    uses: int
    #: Bytes of its data, encrypted
    stored_bytes: int
    created_at: str
    used_at: str
    #: Time at which it ends, if it is not used
    expires_at: str
    #: Data that was not kept, and why
    left_out: Sequence[SessionStatusLeftOut]


class BrowserState(TypedDict):
    """The state of a browser."""

    #: Name of the browser
    id: str
    #: True while a client controls it
    connected: bool
    created_at: str
    #: Time at which it ends
    expires_at: str
