// The server that others are compared with, because no JSON service on this Node can do less: it parses the body and answers with
// it in a small envelope, without key, database or validation.

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
