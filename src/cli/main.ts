import { check } from "./check.ts";
import { runGateway, StartError } from "./gateway.ts";

const USAGE = `usage: turnpike COMMAND [ARGUMENT ...]

  start       gateway and content service together, ready to sell
  check       look through a configuration file
  (none)      the gateway alone: turnpike [--config FILE]

turnpike COMMAND --help says more.`;

type Command = (args: string[]) => Promise<number>;

const COMMANDS: Readonly<Record<string, Command>> = {
  check,
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
