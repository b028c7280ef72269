// A proxy to a provider that kills at the first call of a kind: before the call arrives, after the provider did the
// work and before its answer, or after the answer.

import { createServer, request as ask, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type StrikingProxy = {
  url: string
  /** Resolves when it has struck. */
  arm(call: RegExp, when: When, strike: Strike): Promise<void>
  close(): Promise<void>
}

/**
 * `before`: before the provider has the call. `after`: after the provider has done the work. `heard`: after its answer
 * was passed on.
 */
export type When = 'before' | 'after' | 'heard'

/** `prepare` runs while the proxy holds the answer back. */
export type Strike = { prepare?: () => Promise<void>; strike: () => void | Promise<void> }

type Armed = Strike & { call: RegExp; when: When }

export async function startStrikingProxy(target: string): Promise<StrikingProxy> {
  let armed: Armed | undefined

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const isMet = armed?.call.test(`${request.method} ${(request.url ?? '').split('?')[0]}`) === true
    const met = isMet ? armed : undefined
    if (isMet) armed = undefined
    if (met?.when === 'before') return void (await met.strike(), response.destroy())
    const { status, body } = await forward(target, request, Buffer.concat(chunks))
    if (met?.when === 'after') return void (await met.strike(), response.destroy())
    await met?.prepare?.()
    response.writeHead(status, { 'content-type': 'application/json' }).end(body)
    await met?.strike()
  }

  const server = createServer((request, response) => void pass(request, response).catch(() => response.destroy()))
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arm: (call, when, { prepare, strike }) =>
      new Promise((resolve, reject) => {
        armed = {
          call,
          when,
          prepare: async () => prepare?.().catch(reject),
          strike: () => Promise.resolve(strike()).then(resolve, reject),
        }
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function forward(target: string, request: IncomingMessage, body: Buffer): Promise<{ status: number; body: Buffer }> {
  return new Promise((resolve, reject) => {
    const { method, headers } = request
    const asked = ask(`${target}${request.url ?? ''}`, { method, headers }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('end', () => resolve({ status: answer.statusCode ?? 502, body: Buffer.concat(chunks) }))
      answer.on('error', reject)
    })
    asked.on('error', reject)
    asked.end(body)
  })
}
