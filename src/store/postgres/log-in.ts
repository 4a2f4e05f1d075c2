import { createHash } from "node:crypto";
import { Messages } from "./messages.ts";
import { PostgresError, serverError } from "./postgres-error.ts";
import { Scram, SCRAM_SHA_256 } from "./scram.ts";
import { type Target } from "./target.ts";
import { fieldsOf, type Message, type Wire } from "./wire.ts";

/** The server, the user and the settings of a connection that logs in. */
export interface LogIn {
  readonly target: Target;
  /** Empty: there is no password. */
  readonly password: string;
  /** True if the password may be sent over a connection that is not encrypted. */
  readonly allowCleartext: boolean;
  readonly parameters: Readonly<Record<string, string>>;
}

/** Maximum number of messages before the server is ready, including notices and parameters. */
const MAX_MESSAGES = 200;

/** Kinds of AuthenticationRequest, chapter 55.7. */
const OK = 0;
const CLEARTEXT = 3;
const MD5 = 5;
const SASL = 10;
const SASL_CONTINUE = 11;
const SASL_FINAL = 12;

/** Sends the start-up message and authenticates. Resolves with the server's parameters once it is ready for a query. */
export async function logIn(wire: Wire, settings: LogIn): Promise<ReadonlyMap<string, string>> {
  const inbox = new Inbox(wire);
  const { user, database } = settings.target;
  const authentication = new Authentication(settings);
  wire.write(new Messages().startup({ user, database, ...settings.parameters }).take());
  const parameters = new Map<string, string>();
  for (let i = 0; i < MAX_MESSAGES; i++) {
    const { type, body } = await inbox.next();
    if (type === "E") throw serverError(fieldsOf(body));
    if (type === "R") {
      const response = await authentication.response(body);
      if (response !== undefined) wire.write(response.take());
    } else if (type === "S") {
      const [name = "", value = ""] = body.toString("utf8").split("\0");
      parameters.set(name, value);
    } else if (type === "Z") {
      if (!authentication.done) break;
      return parameters;
    } else if (type !== "K" && type !== "N") {
      break;
    }
  }
  throw new PostgresError("protocol", "the peer does not speak PostgreSQL's protocol");
}

class Authentication {
  readonly #settings: LogIn;
  #scram: Scram | undefined;
  #done = false;

  constructor(settings: LogIn) {
    this.#settings = settings;
  }

  get done(): boolean {
    return this.#done;
  }

  /** The response to a request of the server for authentication; undefined: no response is due. */
  async response(body: Buffer): Promise<Messages | undefined> {
    const kind = body.length < 4 ? undefined : body.readInt32BE(0);
    const rest = body.subarray(4);
    if (kind === OK) return this.#finish();
    if (kind === CLEARTEXT) return this.#cleartext();
    if (kind === MD5) return this.#md5(rest);
    if (kind === SASL) return this.#begin(rest.toString("utf8").split("\0"));
    if (kind === SASL_CONTINUE && this.#scram !== undefined) {
      return new Messages().saslResponse(await this.#scram.last(rest.toString("utf8")));
    }
    if (kind === SASL_FINAL && this.#scram !== undefined) {
      this.#scram.check(rest.toString("utf8"));
      return undefined;
    }
    throw new PostgresError("refused", "the server requires an authentication method that is not supported");
  }

  /** A server that starts SCRAM and does not finish it has not proved that it knows the password. */
  #finish(): undefined {
    if (this.#scram?.proven === false) throw new PostgresError("refused", "the server broke off SCRAM");
    this.#done = true;
  }

  #cleartext(): Messages {
    const { target, allowCleartext } = this.#settings;
    if (target.sslMode === "disable" && !allowCleartext) {
      const what = "the server asks for the password in clear text over a plaintext connection";
      throw new PostgresError("refused", `${what}, which postgres.allow_cleartext_password does not allow`);
    }
    return new Messages().password(this.#password());
  }

  #md5(salt: Buffer): Messages {
    if (salt.length !== 4) throw new PostgresError("protocol", "the server's salt has not four bytes");
    const inner = md5(`${this.#password()}${this.#settings.target.user}`);
    return new Messages().password(`md5${md5(Buffer.concat([Buffer.from(inner), salt]))}`);
  }

  #begin(mechanisms: readonly string[]): Messages {
    if (!mechanisms.includes(SCRAM_SHA_256) || this.#scram !== undefined) {
      throw new PostgresError("refused", "the server requires an authentication method that is not supported");
    }
    this.#scram = new Scram(this.#password());
    return new Messages().saslInitial(SCRAM_SHA_256, this.#scram.first);
  }

  #password(): string {
    const { password } = this.#settings;
    if (password === "") throw new PostgresError("refused", "the server requires a password, and none is configured");
    return password;
  }
}

/** PostgreSQL's older log-in uses MD5. */
function md5(data: string | Buffer): string {
  return createHash("md5").update(data).digest("hex");
}

/** Gives out messages one by one, in the phase in which each message is a reply to the one before. */
class Inbox {
  readonly #messages: Message[] = [];
  #error: PostgresError | undefined;
  #waiting: PromiseWithResolvers<Message> | undefined;

  constructor(wire: Wire) {
    wire.onMessage = (message) => {
      if (this.#messages.length >= MAX_MESSAGES) {
        wire.end(new PostgresError("protocol", "the peer does not speak PostgreSQL's protocol"));
      } else if (this.#waiting === undefined) this.#messages.push(message);
      else this.#waiting.resolve(message);
      this.#waiting = undefined;
    };
    wire.onEnd = (error) => {
      this.#error = error;
      this.#waiting?.reject(error);
    };
  }

  async next(): Promise<Message> {
    const message = this.#messages.shift();
    if (message !== undefined) return message;
    if (this.#error !== undefined) throw this.#error;
    this.#waiting = Promise.withResolvers();
    return this.#waiting.promise;
  }
}
