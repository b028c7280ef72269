// What only a person or a program on this machine may read.

import type { IncomingMessage } from 'node:http'
import { isLoopback } from '#base/network.ts'
import { addressOf } from './caller-address.ts'

/** What proxies add to a request that they pass on. */
const forwarding =
  /^(x-forwarded-.+|forwarded|via|x-real-ip|x-client-ip|x-cluster-client-ip|true-client-ip|cf-.+|fastly-.+)$/

/**
 * Behind a proxy on this machine every caller looks like loopback. Such a request names the host that the world calls, or has
 * a header that proxies add. One that does neither cannot be told from ours: hence METRICS_PORT.
 */
export function isFromThisMachine(request: IncomingMessage): boolean {
  const host = /^(?:\[([^\]]*)\]|([^:]*))(?::\d+)?$/.exec(request.headers.host ?? '')
  const name = host?.[1] ?? host?.[2] ?? ''
  return (
    isLoopback(addressOf(request.socket)) &&
    (name.toLowerCase() === 'localhost' || isLoopback(name)) &&
    !Object.keys(request.headers).some((header) => forwarding.test(header))
  )
}
