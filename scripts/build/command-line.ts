/** The man page and the completions of shells, from what each command prints for `--help`. */
import manifest from "../../package.json";

export interface Command {
  readonly name: string;
  readonly summary: string;
  readonly usage: string;
  /** With their dashes. */
  readonly flags: readonly string[];
}

/** Asks the program for its commands; the gateway alone has the name "". */
export function commandsOf(program: readonly string[]): Command[] {
  const help = helpOf(program, []);
  const named = [...help.matchAll(/^ {2}([a-z][a-z-]*|\(none\)) +(\S.*)$/gm)];
  return named.map(([, name = "", summary = ""]) => {
    const command = name === "(none)" ? "" : name;
    const usage = command === "" ? help : helpOf(program, [command]);
    const flags = [...new Set([...usage.matchAll(/(?<![\w-])--[a-z][a-z-]*/g)].map(([flag]) => flag))];
    return { name: command, summary, usage, flags: [...new Set([...flags, "--help", "--color"])].toSorted() };
  });
}

function helpOf(program: readonly string[], args: readonly string[]): string {
  const { exitCode, stdout } = Bun.spawnSync([...program, ...args, "--help"]);
  if (exitCode !== 0) throw new Error(`Cannot ask for the help of "${args.join(" ")}"`);
  return stdout.toString();
}

function wordsOf(commands: readonly Command[]): string {
  return [...commands.map(({ name }) => name).filter((name) => name !== ""), "--help", "--version"].join(" ");
}

function alone(commands: readonly Command[]): readonly string[] {
  return commands.find(({ name }) => name === "")?.flags ?? [];
}

export function bashCompletion(commands: readonly Command[]): string {
  const cases = commands
    .filter(({ name }) => name !== "")
    .map(({ name, flags }) => `    ${name}) words="${flags.join(" ")}" ;;`);
  return `# bash completion for turnpike
_turnpike() {
  local current="\${COMP_WORDS[COMP_CWORD]}" words
  case "\${COMP_WORDS[1]}" in
${cases.join("\n")}
    *) words="${alone(commands).join(" ")}" ;;
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then words="${wordsOf(commands)} ${alone(commands).join(" ")}"; fi
  if [ "\${current#-}" = "$current" ] && [ "$COMP_CWORD" -gt 1 ]; then
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
  else
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  fi
}
complete -o filenames -F _turnpike turnpike
`;
}

export function zshCompletion(commands: readonly Command[]): string {
  const named = commands.filter(({ name }) => name !== "");
  const described = named.map(
    ({ name, summary }) => `    '${name}:${summary.replaceAll("'", "’").replaceAll(":", "\\:")}'`,
  );
  const cases = named.map(({ name, flags }) => `    ${name}) compadd -- ${flags.join(" ")} ;;`);
  return `#compdef turnpike
_turnpike() {
  local -a commands=(
${described.join("\n")}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    compadd -- ${alone(commands).join(" ")}
    return
  fi
  if [[ $PREFIX != -* ]]; then _files; return; fi
  case $words[2] in
${cases.join("\n")}
    *) compadd -- ${alone(commands).join(" ")} ;;
  esac
}
_turnpike "$@"
`;
}

export function fishCompletion(commands: readonly Command[]): string {
  const lines = commands.flatMap(({ name, summary, flags }) => {
    const when = name === "" ? "__fish_use_subcommand" : `__fish_seen_subcommand_from ${name}`;
    const own =
      name === ""
        ? []
        : [`complete -c turnpike -f -n __fish_use_subcommand -a ${name} -d '${summary.replaceAll("'", "\\'")}'`];
    return [...own, ...flags.map((flag) => `complete -c turnpike -n '${when}' -l ${flag.slice(2)}`)];
  });
  return `${lines.join("\n")}\n`;
}

function roff(text: string): string {
  return text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll(/^([.'])/gm, "\\&$1");
}

export function manPage(commands: readonly Command[], date: string): string {
  const sections = commands.map(({ name, summary, usage }) =>
    [
      `.SS "${roff(name === "" ? "turnpike" : `turnpike ${name}`)}"`,
      roff(summary),
      ".PP",
      ".nf",
      roff(usage.trim()),
      ".fi",
    ].join("\n"),
  );
  return `.TH TURNPIKE 1 "${date}" "turnpike ${manifest.version}" "User Commands"
.SH NAME
turnpike \\- HTTP gateway that sells web content and APIs by the request
.SH SYNOPSIS
.B turnpike
.I COMMAND
.RI [ ARGUMENT " ...]"
.br
.B turnpike
.RI [ FLAG " ...]"
.SH DESCRIPTION
Turnpike is a reverse proxy that puts prices, authentication, rate limits and filters on routes. Clients pay with x402.
.SH COMMANDS
${sections.join("\n")}
.SH FILES
.TP
.I /etc/turnpike/turnpike.json
The configuration of the systemd service.
.TP
.I /var/lib/turnpike
Ledger and usage of the service.
`;
}
