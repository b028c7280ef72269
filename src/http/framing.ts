// Requests that a proxy in front may read otherwise than we do. They are the last ones of their connection: what seems to come
// behind one may be, to that proxy, a part of it, and somebody else's.

import type { IncomingMessage } from 'node:http'

export type Framing = {
  /** Nothing behind this request is read as another one. */
  isLast: boolean
  /** Why it is refused. */
  fault: string | undefined
}

const certain: Framing = { isLast: false, fault: undefined }

export function framingOf({ headers, httpVersion, rawHeaders }: IncomingMessage): Framing {
  const hosts = countHosts(rawHeaders)
  if (hosts > 1) return { isLast: true, fault: 'There is more than one Host header.' }
  if (httpVersion !== '1.0') return hosts === 1 ? certain : { isLast: true, fault: 'The Host header is missing.' }
  return headers['transfer-encoding'] === undefined ? certain : { isLast: true, fault: undefined }
}

/** Node keeps the first one and says nothing of the others. */
function countHosts(rawHeaders: string[]): number {
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts
}
