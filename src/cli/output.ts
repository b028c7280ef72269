// Prints the results and errors of commands: text for people, or with --json one document and nothing else on standard
// output. Also sets their exit codes: 0 done, 1 failed, 2 wrong usage.

import { CommanderError } from 'commander'
import { OperatorError, Unavailable } from '#platform/errors.ts'

export class UsageError extends OperatorError {}

/** A call of the API that failed. With --json, `details` are part of the error. */
export class FailedCall extends OperatorError {
  readonly details: object
  constructor(message: string, details: object, options: { cause?: unknown } = {}) {
    super(message, options)
    this.details = details
  }
}

export type Finding = { check: string; state: 'ok' | 'warning' | 'failed'; message: string }

export function finding(check: string, state: Finding['state'], message: string): Finding {
  return { check, state, message }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

export type Output = {
  result(document: unknown, text: string): void
  /** Prints progress on standard error, so that a pipe receives only the result. */
  step(message: string): void
}

export function createOutput(json: boolean): Output {
  return {
    result: (document, text) => process.stdout.write(json ? `${JSON.stringify(document, null, 2)}\n` : `${text}\n`),
    step: (message) => void process.stderr.write(`${message} …\n`),
  }
}

type JsonOption = { json?: boolean }

/** Turns a command into a commander action: takes `--json` out of the options and passes the output for it. */
export function withOutput<O>(command: (output: Output, options: O) => Promise<void>) {
  return ({ json, ...options }: O & JsonOption): Promise<void> => command(createOutput(json === true), options as O)
}

export function withArgument<O>(command: (output: Output, argument: string, options: O) => Promise<void>) {
  return (argument: string, { json, ...options }: O & JsonOption): Promise<void> =>
    command(createOutput(json === true), argument, options as O)
}

/**
 * Pads each column to its widest cell. A control character becomes `?`, because a terminal obeys it and cells hold
 * texts of providers.
 */
export function table(head: string[], rows: string[][]): string {
  const printable = rows.map((row) => row.map((cell) => cell.replaceAll(/\p{Cc}/gu, '?')))
  const widths = head.map((title, column) =>
    Math.max(title.length, ...printable.map((row) => (row[column] ?? '').length)),
  )
  return [head, ...printable]
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

/**
 * Prints the message of an error, with the stack if it is a bug, and returns the exit code. With --json, prints an
 * object.
 */
export function reportFailure(error: unknown): number {
  const isUsage = error instanceof UsageError || error instanceof CommanderError
  if (error instanceof CommanderError && error.exitCode === 0) return 0
  const message = describeFailure(error)
  // Commander has printed the help of a group that was called without a command.
  if (message === '(outputHelp)') return 2
  if (process.argv.includes('--json')) {
    const details = error instanceof FailedCall ? error.details : {}
    process.stdout.write(`${JSON.stringify({ error: { kind: isUsage ? 'usage' : 'failed', message, ...details } })}\n`)
  } else process.stderr.write(`${message}\n`)
  return isUsage ? 2 : 1
}

function describeFailure(error: unknown): string {
  if (error instanceof CommanderError) return error.code === 'commander.help' ? '(outputHelp)' : usageSentence(error)
  if (error instanceof OperatorError) return error.message
  if (error instanceof Unavailable) return `${error.message} ${causeOf(error)}Check DATABASE_URL.`
  if (isSystemError(error)) return `The operating system refused: ${error.message}. Check the permissions of this user.`
  return `This is a bug in Manilla. Please report it:\n${error instanceof Error ? error.stack : String(error)}`
}

/** `error: unknown command 'key'\n(Did you mean keys?)` becomes one line, like every other error of a command. */
function usageSentence({ message }: CommanderError): string {
  const line = message
    .replace(/^error: /, '')
    .trim()
    .replaceAll(/\s*\n\s*/g, ' ')
  const sentence = line.charAt(0).toUpperCase() + line.slice(1)
  return `${sentence}${/[.?!)]$/.test(sentence) ? '' : '.'} Run it with --help to see its arguments and options.`
}

export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && typeof error.syscall === 'string'
}

function causeOf(error: Error): string {
  return error.cause instanceof Error && error.cause.message !== '' ? `Reason: ${error.cause.message}. ` : ''
}

/**
 * The reader of the output may exit early (`manilla serve | head`). The command continues, and its later output is
 * lost. Output that fails for another reason, such as a full disk, makes the command fail.
 */
export function outliveReaders(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') process.exitCode = 1
    })
  }
}
