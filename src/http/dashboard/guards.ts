// What keeps other sites out: headers that bind the browser, and the proof that a call comes from a page of ours.

import { ApiError } from '#base/error.ts'
import type { Exchange } from '#http/exchange.ts'
import type { DashboardAddress } from './address.ts'

const policy = [
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

/** On every answer below /dashboard, refusals too. */
export const securityHeaders: readonly string[] = [
  'Content-Security-Policy',
  policy,
  'X-Frame-Options',
  'DENY',
  'Referrer-Policy',
  'no-referrer',
  'Cross-Origin-Opener-Policy',
  'same-origin',
  'Cross-Origin-Resource-Policy',
  'same-origin',
]

/** A sentence of the browser, which no page can change; a cross-site page can send neither of the other two. */
export function requireOurPage({ request, method }: Exchange, { origin }: DashboardAddress): void {
  const { 'sec-fetch-site': site, origin: from, 'content-type': type = '' } = request.headers
  const isRead = method === 'GET' || method === 'HEAD'
  // `none`: typed into the address bar, or a bookmark. A browser of before 2023 says nothing of the site.
  const isOurs = site === undefined ? from === origin || (isRead && from === undefined) : isFromHere(site, isRead)
  if (!isOurs) throw new ApiError('FORBIDDEN', 'This was not asked by a page of the dashboard.')
  if (isRead) return
  if (!/^\s*application\/json\s*(;|$)/i.test(type) || request.headers['x-manilla-dashboard'] !== '1') {
    throw new ApiError('FORBIDDEN', 'Send Content-Type: application/json and X-Manilla-Dashboard: 1.')
  }
}

function isFromHere(site: string | string[], isRead: boolean): boolean {
  return site === 'same-origin' || (isRead && site === 'none')
}
