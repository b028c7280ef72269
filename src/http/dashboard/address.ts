// The one address of the dashboard: whom it answers, and under which names its cookies stand.

import { ApiError } from '#base/error.ts'
import { isLoopback, isLoopbackHost } from '#base/network.ts'
import { hostNamed, plainHost, type Exchange } from '#http/exchange.ts'

export type DashboardAddress = {
  /** As a browser names it: `http://localhost:4000`. */
  origin: string
  host: string
  isSecure: boolean
  cookieNames: { session: string; device: string }
}

export function dashboardAddress(url: string): DashboardAddress {
  const { origin, host, protocol, port } = new URL(url)
  const isSecure = protocol === 'https:'
  // Cookies know no ports: two services on one laptop would sign each other out.
  const session = isSecure ? '__Host-manilla' : `manilla-${port === '' ? '80' : port}`
  return { origin, host, isSecure, cookieNames: { session, device: `${session}-device` } }
}

/**
 * Whatever name leads to this machine, a page of another site must not pass for ours: a name of its own that it lets lead
 * here is refused.
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
 * Passkeys and cookies belong to a name, and a number is none: who comes to 127.0.0.1 is led to localhost, where the same
 * service listens. Undefined: it is called by a name.
 */
export function nameInPlaceOfNumber({ request }: Exchange): string | undefined {
  const named = hostNamed(request)
  const name = nameOf(named)
  if (!isLoopback(name)) return undefined
  const port = /:(\d+)$/.exec(named)?.[1]
  const path = /^\/(?!\/)/.test(request.url ?? '') ? request.url : '/dashboard'
  return `http://localhost${port === undefined ? '' : `:${port}`}${path}`
}

/** A Host header without its port; an address of IPv6 without its brackets. */
function nameOf(host: string): string {
  return host.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1')
}
