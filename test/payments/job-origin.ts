/** An upstream that works on after its response, and is paid for what it has delivered. */

export interface OriginJob {
  readonly path: string;
  readonly quote: bigint;
  readonly until: number;
  due: bigint;
  ended: boolean;
  /** The greatest amount that the gateway said is paid. */
  paid: bigint;
  /** The transaction of its settlement. */
  transaction: string;
  closed: boolean;
  words: number;
}

export class JobOrigin {
  /** By the payment id. */
  readonly jobs = new Map<string, OriginJob>();
  /** The fields of the last request. */
  fields = new Headers();
  starts = 0;
  /** The value of Settlement-Deferral in the next responses; undefined: a path of the job. */
  says: string | undefined;
  /** It responds to no call about a charge. */
  isAway = false;
  readonly #server: Bun.Server<undefined>;

  constructor() {
    this.#server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: (request) => this.#respond(request) });
  }

  get port(): number {
    return this.#server.port ?? 0;
  }

  async stop(): Promise<void> {
    await this.#server.stop(true);
  }

  async #respond(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname.startsWith("/charges/")) return this.#charge(pathname, (await request.json()) as PaidWord);
    this.fields = new Headers(request.headers);
    this.starts += 1;
    const offer = request.headers.get("settlement-deferral");
    if (pathname.endsWith("/fails")) return new Response("sorry", { status: 500 });
    if (offer === null)
      return new Response("done", { status: 202, headers: { "settlement-deferral": '{"path":"/x"}' } });
    const id = request.headers.get("turnpike-payment-id") ?? "";
    const job = this.jobs.get(id) ?? {
      path: `/charges/${crypto.randomUUID()}`,
      quote: BigInt(request.headers.get("turnpike-amount") ?? "0"),
      until: (JSON.parse(offer) as { until: number }).until,
      due: 0n,
      ended: false,
      paid: 0n,
      transaction: "",
      closed: false,
      words: 0,
    };
    this.jobs.set(id, job);
    const headers = { "settlement-deferral": this.says ?? JSON.stringify({ path: job.path }) };
    return Response.json({ job: id, start: this.starts }, { status: 202, headers });
  }

  #charge(path: string, { paid, closed = false, transaction = "" }: PaidWord): Response {
    const job = [...this.jobs.values()].find((one) => one.path === path);
    if (job === undefined) return new Response("", { status: 404 });
    if (this.isAway) return new Response("", { status: 503 });
    job.words += 1;
    if (BigInt(paid) > job.paid) job.paid = BigInt(paid);
    job.closed ||= closed;
    job.transaction ||= transaction;
    return Response.json({ due: String(job.due), ended: job.ended });
  }
}

interface PaidWord {
  readonly paid: string;
  readonly closed?: boolean;
  readonly transaction?: string;
}
