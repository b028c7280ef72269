// The two cookies: one is a person's sign-in, the other says that they have signed in from this browser before. No script
// reads them, and no page of another site has them sent.

import type { IncomingMessage } from 'node:http'
import type { DashboardAddress } from './address.ts'
import type { DashboardReply } from './endpoint.ts'

/** As people/ makes them; anything else is not worth a question to the database. */
const tokenForm = /^[A-Za-z0-9_-]{43}$/
/** As long as people/ knows a device. */
const deviceSeconds = 90 * 86_400
/** The service ends a sign-in after a week at most. */
const sessionSeconds = 7 * 86_400

export type Tokens = { session: string | undefined; device: string | undefined }

export function readTokens({ headers }: IncomingMessage, { cookieNames }: DashboardAddress): Tokens {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim())
  return { session: valueOf(pairs, cookieNames.session), device: valueOf(pairs, cookieNames.device) }
}

/** Of two of one name, one was put there by somebody else, and nothing tells which: neither counts. */
function valueOf(pairs: string[], name: string): string | undefined {
  const values = pairs.filter((pair) => pair.startsWith(`${name}=`)).map((pair) => pair.slice(name.length + 1))
  const [value = ''] = values
  return values.length === 1 && tokenForm.test(value) ? value : undefined
}

/** Headers, as name, value, name, value. */
export function cookieHeaders(cookie: DashboardReply['cookie'], address: DashboardAddress): string[] {
  if (cookie === undefined) return []
  const { session, device } = address.cookieNames
  if (cookie === null) return set(address, session, '', 0)
  const { token, deviceToken } = cookie
  return [
    ...set(address, session, token, sessionSeconds),
    ...(deviceToken === undefined ? [] : set(address, device, deviceToken, deviceSeconds)),
  ]
}

function set({ isSecure }: DashboardAddress, name: string, value: string, maxAgeSeconds: number): string[] {
  const secure = isSecure ? '; Secure' : ''
  return ['Set-Cookie', `${name}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${secure}`]
}
