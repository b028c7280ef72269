// The kinds of values that settings have, each with the words that say what is wrong with another one.

import { validateHeaderName, validateHeaderValue } from 'node:http'
import { isIP } from 'node:net'
import { z } from 'zod'
import { isLoopbackHost, isNetwork } from '#base/network.ts'
import { asksForPrimary } from '#base/primary.ts'
import { parseSecretKey } from '#base/secret.ts'

export const wholeNumber = (what: string, min: number, max: number) =>
  z
    .string()
    .regex(/^-?\d+$/, `is ${what}`)
    .transform(Number)
    .pipe(z.number().min(min, `is at least ${min}`).max(max, `is at most ${max}`))
/** At most 50 waits of at most a week each. */
export const waits = z
  .string()
  .regex(/^\d+(\s*,\s*\d+)*$/, 'is whole seconds with commas between, such as 5,30,120')
  .transform((text) => text.split(',').map(Number))
  .refine((seconds) => seconds.length <= 50 && Math.max(...seconds) <= 604_800, 'is at most 50 waits of at most 604800')
export const portNumber = wholeNumber('a port number', 0, 65_535)
export const perMinute = wholeNumber('a whole number', 1, 100_000_000)
export const key = (prefix: string) =>
  z.string().regex(new RegExp(`^${prefix}[A-Za-z0-9]{40}$`), `is ${prefix} and 40 letters or digits`)
export const networks = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim()))
  .refine((list) => list.every(isNetwork), 'is addresses or networks with commas between, such as 10.0.0.0/8,192.0.2.7')
export const hostName = z.string().refine(isHost, 'is a host name or an IP address')
export const baseUrl = z
  .url({ protocol: /^https?$/, error: 'is an absolute http(s) address such as https://pay.example.com/staging' })
  .refine((text) => /^https?:\/\/[^/?#@]+(\/[^?#]*)?$/i.test(text), 'has no query, no fragment and no user name')
export const dashboardPath = '/dashboard'
/** A password and a session pass there in plain text unless it is https; on this machine nobody else reads along. */
export const dashboardUrl = baseUrl
  .refine(isSafeForSignIn, 'begins with https:// unless it is this machine (localhost): people sign in there')
  .refine(
    (text) => ['', '/', dashboardPath].includes(trimmedPath(text)),
    `ends with its host, or with ${dashboardPath}`,
  )
  .transform((text) => new URL(text).origin + dashboardPath)
export const httpHeaders = z
  .string()
  .refine((text) => parseHeaders(text) !== undefined, 'is headers with commas between, such as api-key=abc,tenant=42')
  .transform((text) => parseHeaders(text) ?? {})
export const secretKey = z.string().refine(isSecretKey, 'is 32 random bytes in base64 or hex (openssl rand -base64 32)')
/** Longer lists are a change of keys that nobody ended. */
const previousKeysMax = 8
export const secretKeys = z
  .string()
  .transform((text) => text.split(',').map((one) => one.trim()))
  .refine((keys) => keys.every(isSecretKey), 'is keys like SECRET_KEY, with commas between')
  .refine((keys) => keys.length <= previousKeysMax, `is at most ${previousKeysMax} keys`)
export const postgresUrl = z
  .string()
  .regex(/^postgres(ql)?:\/\/./, 'is an address such as postgres://user:password@host:5432/manilla')
  .refine(asksForPrimary, 'asks for target_session_attrs=read-write, or says nothing of it: Manilla writes')

export const daysOrForEver = (least: number) =>
  z.union([z.literal('forever'), wholeNumber('a whole number of days', least, 36_500)], {
    error: `is forever, or a whole number of days of at least ${least} and at most 36500`,
  })

function isSafeForSignIn(unchecked: string): boolean {
  if (!URL.canParse(unchecked)) return true // It is refused for what it is.
  const { protocol, hostname } = new URL(unchecked)
  return protocol === 'https:' || isLoopbackHost(hostname)
}

function trimmedPath(unchecked: string): string {
  return URL.canParse(unchecked) ? new URL(unchecked).pathname.replace(/(?<=.)\/$/, '') : ''
}

/** A name, or an address of which a URL can be made: 999.1.1.1 is neither. */
function isHost(unchecked: string): boolean {
  const named = isIP(unchecked) !== 0 || /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(unchecked)
  return named && URL.canParse(localAddress(unchecked, 0, ''))
}

export function localAddress(host: string, port: number, below: string): string {
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}/${below}`
}

/** As OpenTelemetry has it: names and percent-encoded values. */
function parseHeaders(unchecked: string): Record<string, string> | undefined {
  try {
    const pairs = unchecked.split(',').map((pair): [string, string] => {
      const [, name = '', value = ''] = /^([^=]*)=(.*)$/.exec(pair.trim()) ?? []
      validateHeaderName(name.trim())
      const decoded = decodeURIComponent(value.trim())
      validateHeaderValue(name, decoded)
      return [name.trim(), decoded]
    })
    return Object.fromEntries(pairs)
  } catch {
    return undefined
  }
}

function isSecretKey(unchecked: string): boolean {
  try {
    parseSecretKey(unchecked)
    return true
  } catch {
    return false
  }
}
