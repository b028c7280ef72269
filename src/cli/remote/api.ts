// Calls the API for commands, through the TypeScript SDK: a failure becomes one sentence. Also stores the profiles of
// the servers that this user logged in to.

import { FailedCall, UsageError } from '#cli/output.ts'
import { Manilla, ManillaError } from '#sdk/index.ts'
import { chmod, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { readFileSync, statSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { OperatorError } from '#platform/errors.ts'

/** A person waits at the terminal, so a command gives up sooner than the SDK does for a program. */
const limits = { timeoutMs: 10_000, totalTimeoutMs: 10_000 }

export type Api = {
  manilla: Manilla
  /** The time of the server when it last responded, to the second. Before any response, the time of this machine. */
  serverNow: () => Date
  call: <T>(run: (manilla: Manilla) => Promise<T>) => Promise<T>
}

export function openApi(options: ProfileOption): Api {
  return connectApi(chooseProfile(options))
}

export function connectApi(profile: { apiKey: string; baseUrl: string | undefined }): Api {
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
        throw explainFailure(error, manilla.baseUrl)
      }
    },
  }
}

function inSentences<T>(baseUrl: string, run: () => T): T {
  try {
    return run()
  } catch (error) {
    throw explainFailure(error, baseUrl)
  }
}

export function isTransient(error: unknown): boolean {
  return error instanceof ManillaError && ['connection', 'timeout', 'server', 'rate_limit'].includes(error.kind)
}

export function explainFailure(error: unknown, baseUrl: string): unknown {
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

/** The message of a failed fetch is only `fetch failed`; its cause names the system error. */
function causeOf(error: unknown): string {
  const { cause } = error instanceof Error ? error : {}
  const inner: unknown = cause instanceof AggregateError ? cause.errors[0] : (cause ?? error)
  return inner instanceof Error ? inner.message : String(inner)
}

// Profiles. Each is an API key and the base URL of its environment. The keys are stored as plain text, as other command
// lines do, so only the owner may read the file.

type Profile = { baseUrl: string; apiKey: string }

export type ProfileOption = { profile?: string }

export const defaultProfile = 'default'

type ProfileFile = { profiles: Record<string, Profile> }

export function variable(name: 'MANILLA_API_KEY' | 'MANILLA_BASE_URL' | 'XDG_CONFIG_HOME'): string | undefined {
  const value = process.env[name]
  return value === '' ? undefined : value
}

export function profilesFile(): string {
  const configured = variable('XDG_CONFIG_HOME')
  const folder =
    configured !== undefined && path.isAbsolute(configured) ? configured : path.join(os.homedir(), '.config')
  return path.join(folder, 'manilla', 'config.json')
}

function readProfiles(): ProfileFile {
  const file = profilesFile()
  try {
    const content = readFileSync(file, 'utf8')
    if ((statSync(file).mode & 0o077) !== 0) {
      process.stderr.write(`Warning: other users can read the keys in ${file}. Run: chmod 600 ${file}\n`)
    }
    return storedIn(content)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return { profiles: {} }
    if (!(error instanceof SyntaxError)) throw error
    throw new OperatorError(`${file} is damaged. Remove it and run: npx manilla login`, { cause: error })
  }
}

function storedIn(content: string): ProfileFile {
  const { profiles } = (JSON.parse(content) ?? {}) as { profiles?: Record<string, Partial<Profile> | null> }
  const isProfile = (one: Partial<Profile> | null): boolean =>
    typeof one?.baseUrl === 'string' && typeof one.apiKey === 'string'
  if (profiles !== undefined && Object.values(profiles).every(isProfile)) return { profiles } as ProfileFile
  throw new SyntaxError('no profiles')
}

async function writeProfiles(content: ProfileFile): Promise<void> {
  const file = profilesFile()
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 })
  const fresh = `${file}.${process.pid}`
  try {
    await writeFile(fresh, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 })
    await chmod(fresh, 0o600)
    await rename(fresh, file)
  } finally {
    await rm(fresh, { force: true })
  }
}

export async function storeProfile(name: string, profile: Profile): Promise<void> {
  const { profiles } = readProfiles()
  await writeProfiles({ profiles: { ...profiles, [name]: profile } })
}

export async function removeProfile(name: string): Promise<boolean> {
  const { [name]: removed, ...others } = readProfiles().profiles
  if (removed !== undefined) await writeProfiles({ profiles: others })
  return removed !== undefined
}

/** Chooses the profile of --profile, else the key in MANILLA_API_KEY, else the default profile. */
function chooseProfile({ profile }: ProfileOption): { apiKey: string; baseUrl: string | undefined } {
  const apiKey = variable('MANILLA_API_KEY')
  if (profile === undefined && apiKey !== undefined) return { apiKey, baseUrl: variable('MANILLA_BASE_URL') }
  const name = profile ?? defaultProfile
  const { [name]: found, ...others } = readProfiles().profiles
  if (found !== undefined) return found
  const named = profile === undefined ? '' : ` with the profile ${profile}`
  const known = Object.keys(others).length === 0 ? '' : ` The profiles are: ${Object.keys(others).join(', ')}.`
  throw new UsageError(`You are not logged in${named}. Run: npx manilla login.${known}`)
}

/**
 * `listen` and `trigger` work with the API or with the database. `--business` or `--environment` chooses the database;
 * a profile, MANILLA_API_KEY or a login chooses the API.
 */
export function usesApi(options: ProfileOption & { business?: string; environment?: string }): boolean {
  const forDatabase = options.business !== undefined || options.environment !== undefined
  if (forDatabase && options.profile !== undefined) {
    throw new UsageError(
      '--profile chooses the API; --business and --environment choose the database. Use one of them.',
    )
  }
  if (forDatabase) return false
  if (options.profile !== undefined || variable('MANILLA_API_KEY') !== undefined) return true
  return defaultProfile in readProfiles().profiles
}
