// The API as commands call it: the TypeScript SDK, with failures as one sentence.

import { FailedCall, UsageError } from '#cli/output.ts'
import { Manilla, ManillaError } from '#sdk/index.ts'
import { chooseProfile, type ProfileOption } from './profiles.ts'

/** A person waits at the terminal, so a command gives up sooner than a program would. */
const limits = { timeoutMs: 10_000, totalTimeoutMs: 10_000 }

export type Api = {
  manilla: Manilla
  /** The time of the server, from its last response. */
  serverNow: () => Date
  /** Makes calls. A failed one becomes one sentence. */
  call: <T>(run: (manilla: Manilla) => Promise<T>) => Promise<T>
}

export function openApi(options: ProfileOption): Api {
  return connect(chooseProfile(options))
}

export function connect(profile: { apiKey: string; baseUrl: string | undefined }): Api {
  let date: string | undefined
  const manilla = inSentences(
    '',
    () =>
      new Manilla({
        ...profile,
        ...limits,
        fetch: async (...request) => {
          const response = await fetch(...request)
          date = response.headers.get('date') ?? date
          return response
        },
      }),
  )
  return {
    manilla,
    serverNow: () => new Date(date ?? new Date()),
    call: async (run) => {
      try {
        return await run(manilla)
      } catch (error) {
        throw explain(error, manilla.baseUrl)
      }
    },
  }
}

function inSentences<T>(baseUrl: string, run: () => T): T {
  try {
    return run()
  } catch (error) {
    throw explain(error, baseUrl)
  }
}

/** True if the same call may succeed later. */
export function isPassing(error: unknown): boolean {
  return error instanceof ManillaError && ['connection', 'timeout', 'server', 'rate_limit'].includes(error.kind)
}

export function explain(error: unknown, baseUrl: string): unknown {
  if (!(error instanceof ManillaError)) return error
  if (error.kind === 'argument') return new UsageError(error.message)
  if (error.code === 'VALIDATION_ERROR') return new UsageError(sentenceOf(error, baseUrl))
  const { code, status, requestId } = error
  return new FailedCall(sentenceOf(error, baseUrl), { code, status, requestId }, { cause: error })
}

function sentenceOf({ kind, code, message, status, details, cause }: ManillaError, baseUrl: string): string {
  if (kind === 'connection') return `Cannot reach ${baseUrl}: ${causeOf(cause)}. Check the address and the network.`
  if (kind === 'timeout') return `${baseUrl} did not respond in time. Try again.`
  if (kind === 'authentication') return `${message} Log in with another key: npx manilla login`
  if (code === 'ROUTE_NOT_FOUND' || code.startsWith('HTTP_') || kind === 'unreadable') {
    return `${baseUrl} is not the address of an API (status ${status}). It ends with the environment, such as https://pay.example.com/staging.`
  }
  return details.length === 0 ? message : `${details.map((detail) => detail.message).join('. ')}.`
}

/** `fetch failed` says nothing; its cause names the error of the system. */
function causeOf(error: unknown): string {
  const { cause } = error instanceof Error ? error : {}
  const inner: unknown = cause instanceof AggregateError ? cause.errors[0] : (cause ?? error)
  return inner instanceof Error ? inner.message : String(inner)
}
