// The servers that this user logged in to. Each profile is an API key and the base address of its environment. The file is
// readable by its owner alone, because the keys are in plain text, as in the files of other command lines.

import { chmod, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { readFileSync, statSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { OperatorError } from '#platform/errors.ts'
import { UsageError } from '#cli/output.ts'

export type Profile = { baseUrl: string; apiKey: string }

export type ProfileOption = { profile?: string }

export const defaultProfile = 'default'

type ProfileFile = { profiles: Record<string, Profile> }

/** An empty variable counts as absent. */
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

/** Returns false if there is no such profile. */
export async function removeProfile(name: string): Promise<boolean> {
  const { [name]: removed, ...others } = readProfiles().profiles
  if (removed !== undefined) await writeProfiles({ profiles: others })
  return removed !== undefined
}

/** The named profile, else the key of the environment, else the profile of `manilla login`. */
export function chooseProfile({ profile }: ProfileOption): { apiKey: string; baseUrl: string | undefined } {
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
 * `listen` and `trigger` work with the API or with the database. The options of operators choose the database; a profile,
 * the key of the environment or a login chooses the API.
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
