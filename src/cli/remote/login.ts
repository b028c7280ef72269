// `manilla login`: checks an API key and keeps it. The key comes from the terminal without echo, from standard input or from
// MANILLA_API_KEY, never from an argument, which other users of the machine could see.

import { createInterface } from 'node:readline/promises'
import { text } from 'node:stream/consumers'
import type { Output } from '#cli/output.ts'
import { UsageError } from '#cli/output.ts'
import { OperatorError } from '#platform/errors.ts'
import { connect } from './api.ts'
import { defaultProfile, profilesFile, removeProfile, storeProfile, variable, type ProfileOption } from './profiles.ts'

type LoginOptions = ProfileOption & { baseUrl?: string }

const environmentNames = { sandbox: 'staging', production: 'production' } as const

export async function loginCommand(output: Output, options: LoginOptions): Promise<void> {
  const name = profileNameOf(options)
  const apiKey = variable('MANILLA_API_KEY') ?? (await readKey())
  const baseUrl = options.baseUrl ?? variable('MANILLA_BASE_URL') ?? (await readBaseUrl(apiKey))
  const { manilla, call } = connect({ apiKey, baseUrl })
  // Any valid key may ask this, whatever its scopes.
  await call(() => manilla.transfers.fee(100))
  await storeProfile(name, { apiKey, baseUrl: manilla.baseUrl })
  const environment = environmentNames[manilla.environment as keyof typeof environmentNames]
  output.result(
    { profile: name, baseUrl: manilla.baseUrl, environment },
    `Logged in to ${manilla.baseUrl} (${environment}). The key is kept in ${profilesFile()}.`,
  )
}

export async function logoutCommand(output: Output, options: ProfileOption): Promise<void> {
  const name = profileNameOf(options)
  if (!(await removeProfile(name))) throw new OperatorError(`There is no profile ${name} in ${profilesFile()}.`)
  output.result({ profile: name }, `Removed the key of the profile ${name}. It still works until you revoke it.`)
}

function profileNameOf({ profile = defaultProfile }: ProfileOption): string {
  if (/^[a-z0-9][a-z0-9_-]{0,39}$/i.test(profile)) return profile
  throw new UsageError('A profile has a name of 1 to 40 letters, digits, - and _.')
}

async function readKey(): Promise<string> {
  if (!process.stdin.isTTY) return (await text(process.stdin)).trim()
  return (await readWithoutEcho('API key (it is not shown): ')).trim()
}

/** Left out, the SDK takes the server that `npm start` runs on this machine. */
async function readBaseUrl(apiKey: string): Promise<string | undefined> {
  if (!process.stdin.isTTY) return undefined
  const local = connect({ apiKey, baseUrl: undefined }).manilla.baseUrl
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const answer = (await terminal.question(`Base URL (default: ${local}): `)).trim()
    return answer === '' ? undefined : answer
  } finally {
    terminal.close()
  }
}

function readWithoutEcho(question: string): Promise<string> {
  const { stdin, stderr } = process
  stderr.write(question)
  stdin.setRawMode(true).setEncoding('utf8').resume()
  return new Promise((resolve, reject) => {
    let typed = ''
    const end = (): void => {
      stdin.off('data', read).setRawMode(false).pause()
      stderr.write('\n')
    }
    const read = (chunk: string): void => {
      for (const character of chunk) {
        if (character === '\r' || character === '\n') {
          end()
          return resolve(typed)
        }
        if (character === '\u0003' || character === '\u0004') {
          end()
          return reject(new OperatorError('Stopped. Nothing was stored.'))
        }
        typed = character === '\u007F' ? typed.slice(0, -1) : typed + character
      }
    }
    stdin.on('data', read)
  })
}
