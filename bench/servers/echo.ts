// The yardstick: the least that a JSON service on this Node can do. It reads the body, parses it and answers with a
// small envelope, without key, database or check.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serveParent, usage } from '#bench/child.ts'

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const text = Buffer.concat(chunks).toString('utf8')
    const data = text === '' ? {} : (JSON.parse(text) as unknown)
    const body = JSON.stringify({ success: true, data, requestId: 'echo' })
    response.writeHead(200, [
      'Content-Type',
      'application/json; charset=utf-8',
      'Content-Length',
      String(Buffer.byteLength(body)),
    ])
    response.end(body)
  })
})

await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', 1_024, resolve))
const { port } = server.address() as AddressInfo
serveParent(() => Promise.resolve({ port, ...usage() }))
