// Protects the dashboard from other sites: checks the host and the origin of requests, defines the security headers such
// as Content-Security-Policy, and reads and writes the cookies.

import type { IncomingMessage } from 'node:http'
import { hostNamed, plainHost, type Exchange } from '#api/server/exchange.ts'
import { ApiError } from '#platform/errors.ts'
import { isLoopback, isLoopbackHost } from '#platform/http-client/addresses.ts'
import type { DashboardReply } from './endpoint.ts'

export type DashboardAddress = {
  /** In the form of the Origin header: `http://localhost:4000`. */
  origin: string
  host: string
  isSecure: boolean
  cookieNames: { session: string; device: string }
}

export function dashboardAddress(url: string): DashboardAddress {
  const { origin, host, protocol, port } = new URL(url)
  const isSecure = protocol === 'https:'
  // Cookies are shared by all ports of a host. Without the port in the name, two services on one machine would overwrite
  // each other's sessions.
  const session = isSecure ? '__Host-manilla' : `manilla-${port === '' ? '80' : port}`
  return { origin, host, isSecure, cookieNames: { session, device: `${session}-device` } }
}

/**
 * Refuses host names other than the dashboard's and loopback ones. Otherwise another site could point its own name to
 * this machine, and the browser would take its pages for ours (DNS rebinding).
 */
export function requireHost({ request }: Exchange, { host, origin }: DashboardAddress): void {
  const named = plainHost(hostNamed(request))
  if (named === plainHost(host) || isLoopbackHost(nameOf(named))) return
  throw new ApiError(
    'MISDIRECTED',
    `The dashboard is at ${origin}/dashboard. To call it by another name, set DASHBOARD_URL.`,
  )
}

/**
 * Returns the address of this page at localhost if the request names a loopback address such as 127.0.0.1, else
 * undefined. The page must be at localhost because passkeys and cookies are bound to a host name.
 */
export function nameInPlaceOfNumber({ request }: Exchange): string | undefined {
  const named = hostNamed(request)
  const name = nameOf(named)
  if (!isLoopback(name)) return undefined
  const port = /:(\d+)$/.exec(named)?.[1]
  const path = /^\/(?!\/)/.test(request.url ?? '') ? request.url : '/dashboard'
  return `http://localhost${port === undefined ? '' : `:${port}`}${path}`
}

/** The Host header without its port; an IPv6 address without its brackets. */
function nameOf(host: string): string {
  return host.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1')
}

/** The form of the users module's tokens. Other values are ignored without a query to the database. */
const tokenForm = /^[A-Za-z0-9_-]{43}$/
/** The users module remembers a device for as long. */
const deviceSeconds = 90 * 86_400
/** The users module ends every session within a week. */
const sessionSeconds = 7 * 86_400

export type Tokens = { session: string | undefined; device: string | undefined }

export function readTokens({ headers }: IncomingMessage, { cookieNames }: DashboardAddress): Tokens {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim())
  return { session: valueOf(pairs, cookieNames.session), device: valueOf(pairs, cookieNames.device) }
}

/**
 * Returns undefined if there are two cookies of this name: another site planted one of them, and we cannot tell which.
 */
function valueOf(pairs: string[], name: string): string | undefined {
  const values = pairs.filter((pair) => pair.startsWith(`${name}=`)).map((pair) => pair.slice(name.length + 1))
  const [value = ''] = values
  return values.length === 1 && tokenForm.test(value) ? value : undefined
}

/** An array of name, value, name, value, …. */
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

const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

/** Headers of every response below /dashboard, refusals included. */
export const securityHeaders: readonly string[] = [
  'Content-Security-Policy',
  contentSecurityPolicy,
  'X-Frame-Options',
  'DENY',
  'Referrer-Policy',
  'no-referrer',
  'Cross-Origin-Opener-Policy',
  'same-origin',
  'Cross-Origin-Resource-Policy',
  'same-origin',
]

/**
 * Requires that a page of the dashboard sent the request. No page can change Sec-Fetch-Site, and a page of another site
 * cannot send the two headers that writes need.
 */
export function requireOurPage({ request, method }: Exchange, { origin }: DashboardAddress): void {
  const { 'sec-fetch-site': site, origin: from, 'content-type': type = '' } = request.headers
  const isRead = method === 'GET' || method === 'HEAD'
  // `none` means that the user typed the address or opened a bookmark. Browsers from before 2023 do not send
  // Sec-Fetch-Site.
  const isOurs = site === undefined ? from === origin || (isRead && from === undefined) : isFromHere(site, isRead)
  if (!isOurs) throw new ApiError('FORBIDDEN', 'This request was not sent by a page of the dashboard.')
  if (isRead) return
  if (!/^\s*application\/json\s*(;|$)/i.test(type) || request.headers['x-manilla-dashboard'] !== '1') {
    throw new ApiError('FORBIDDEN', 'Send Content-Type: application/json and X-Manilla-Dashboard: 1.')
  }
}

function isFromHere(site: string | string[], isRead: boolean): boolean {
  return site === 'same-origin' || (isRead && site === 'none')
}
