// Receives webhooks as cheaply as possible. At each path it answers at once, late, with 500 or never, as the parent says.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serveParent } from '#bench/child.ts'
import type { Behaviours } from '#bench/webhooks.ts'

let behaviours: Behaviours = {}

const server = createServer((request, response) => {
  request.resume()
  request.on('end', () => {
    const behaviour = behaviours[request.url ?? '/'] ?? 'ok'
    if (behaviour === 'hang') return
    const status = behaviour === 'refuse' ? 500 : 200
    const answer = (): void => void response.writeHead(status, { 'Content-Length': 0 }).end()
    if (typeof behaviour === 'number') setTimeout(answer, behaviour)
    else answer()
  })
})
server.keepAliveTimeout = 60_000

await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', 1_024, resolve))
const { port } = server.address() as AddressInfo
serveParent((given: Behaviours) => {
  behaviours = { ...behaviours, ...given }
  return Promise.resolve({ port })
})
