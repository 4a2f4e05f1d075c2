import { check } from "./check.ts";
import { call } from "./call.ts";
import { content } from "./content.ts";
import { FLAGS_TEXT, runGateway } from "./gateway.ts";
import { start } from "./start.ts";
import { StartError } from "./start-error.ts";
import { wallet } from "./wallet.ts";

const USAGE = `usage: turnpike COMMAND [ARGUMENT ...]
       turnpike [FLAG ...]

  start       gateway and content service together, ready to sell
  call        pay for an operation and print its answer
  wallet      the wallet that pays
  check       look through a configuration file
  content     the content service alone
  (none)      the gateway alone

turnpike COMMAND --help says more. The gateway alone takes:

${FLAGS_TEXT}`;

type Command = (args: string[]) => Promise<number>;

const COMMANDS: Readonly<Record<string, Command>> = {
  start,
  call,
  wallet,
  check,
  content,
};

async function main(args: string[]): Promise<number> {
  const [name = "", ...rest] = args;
  if (name === "help" || name === "--help" || name === "-h") {
    console.log(USAGE);
    return 0;
  }
  if (name === "" || name.startsWith("-")) return await runGateway(args);
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) {
    console.error(`turnpike: no command "${name}"\n\n${USAGE}`);
    return 2;
  }
  return await command(rest);
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof StartError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
process.exit();
