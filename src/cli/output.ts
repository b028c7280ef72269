// What the doctor says of one thing.

import { OperatorError, Unavailable } from '#platform/errors.ts'

export type Finding = { check: string; state: 'ok' | 'warning' | 'failed'; message: string }

export function finding(check: string, state: Finding['state'], message: string): Finding {
  return { check, state, message }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

// What commands print: for people as lines and tables, with --json one document and nothing else on standard output.

export type Output = {
  /** The result: a document for programs, a text for people. */
  result(document: unknown, text: string): void
  /** What is going on meanwhile; standard error, so that a pipe gets the result alone. */
  step(message: string): void
}

export function createOutput(json: boolean): Output {
  return {
    result: (document, text) => process.stdout.write(json ? `${JSON.stringify(document, null, 2)}\n` : `${text}\n`),
    step: (message) => void process.stderr.write(`${message} …\n`),
  }
}

type JsonOption = { json?: boolean }

/** A command as commander calls it: its options, and `--json` among them. */
export function withOutput<O>(command: (output: Output, options: O) => Promise<void>) {
  return ({ json, ...options }: O & JsonOption): Promise<void> => command(createOutput(json === true), options as O)
}

/** The same for a command that takes one argument before its options. */
export function withArgument<O>(command: (output: Output, argument: string, options: O) => Promise<void>) {
  return (argument: string, { json, ...options }: O & JsonOption): Promise<void> =>
    command(createOutput(json === true), argument, options as O)
}

/** Columns as wide as their widest cell. */
export function table(head: string[], rows: string[][]): string {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => (row[column] ?? '').length)))
  return [head, ...rows]
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

export function formatTime(time: Date | null): string {
  return time === null ? 'never' : `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

/** Returns the exit code. A mistake of the operator gets a sentence; a bug of ours gets its stack, to be reported. */
export function reportFailure(error: unknown): number {
  process.stderr.write(`${tell(error)}\n`)
  return 1
}

function tell(error: unknown): string {
  if (error instanceof OperatorError) return error.message
  if (error instanceof Unavailable) return `${error.message} ${causeOf(error)}Check DATABASE_URL.`
  if (isSystemError(error)) return `The system refused: ${error.message}. Check that this user may do that there.`
  return `This is a bug in Manilla, please report it:\n${error instanceof Error ? error.stack : String(error)}`
}

/** What the operating system said no to: a file, a folder, a socket. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && typeof error.syscall === 'string'
}

function causeOf(error: Error): string {
  return error.cause instanceof Error && error.cause.message !== '' ? `It said: ${error.cause.message}. ` : ''
}

/**
 * A reader of the output may leave (`manilla serve | head`): the command goes on, and its later output is lost. Output
 * that cannot be written for another reason, as on a full disk, makes the command fail.
 */
export function outliveReaders(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') process.exitCode = 1
    })
  }
}
