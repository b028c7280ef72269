// Under overload the service refuses a request at once and says when to retry, instead of letting it wait.

import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createLane, type Operation } from '#platform/db/lane.ts'
import { createLoader } from '#platform/db/loader.ts'
import { createMetrics } from '#platform/observability/metrics.ts'
import type { Tx } from '#platform/db/db.ts'
import { endpoint, type Endpoint } from '#api/server/endpoint.ts'
import { noParams, noQuery } from '#api/server/fields.ts'
import { expectError, type Answer } from '#tests/support/client.ts'
import { useFrontDoor } from '#tests/support/front-door.ts'

const waitingMax = 10
const metrics = createMetrics()
const held: (() => void)[] = []
const hold = (): Promise<void> => new Promise((resolve) => held.push(resolve))
const letGo = (): void => held.splice(0).forEach((resolve) => resolve())

const echo: Operation<string, string> = { name: 'echo', run: async (_tx, commands) => commands }
const lane = createLane({
  name: 'overload',
  metrics,
  commandsPerBatchMax: 1,
  commandsWaitingMax: waitingMax,
  // The work of this lane needs no database, only time.
  transaction: async (work) => {
    await hold()
    return work({} as Tx)
  },
})
const loader = createLoader<string, string>({
  name: 'overload',
  metrics,
  keysPerQueryMax: 1,
  keysWaitingMax: waitingMax,
  keyText: (key) => key,
  query: async (keys) => {
    await hold()
    return new Map(keys.map((key) => [key, key]))
  },
})

function endpointOf(path: `/v1/${string}`, work: (requestId: string) => Promise<unknown>): Endpoint {
  return endpoint({
    operationId: `work${path.replaceAll('/', '-')}`,
    method: 'POST',
    path,
    scope: 'any',
    tag: 'Test',
    summary: 'For tests',
    description: 'For tests',
    params: noParams,
    query: noQuery,
    body: z.object({}),
    bodyOptional: true,
    data: z.object({ did: z.unknown() }),
    handle: async ({ requestId }) => ({ data: { did: await work(requestId) } }),
  })
}

const door = await useFrontDoor({
  moreEndpoints: [
    endpointOf('/v1/lane', (id) => lane.submit(echo, id)),
    endpointOf('/v1/loader', (id) => loader.load(id)),
  ],
})

describe.each(['/v1/lane', '/v1/loader'])('%s, full', (path) => {
  it('refuses at once with 503 and Retry-After, and does what it took', async () => {
    const many = 60
    const settled: Answer[] = []
    const all = Array.from({ length: many }, async () => void settled.push(await door.staging.post(path)))
    // The lane stands still, and the service still answers all requests but those that fit into its queue.
    await expect.poll(() => settled.length).toBeGreaterThanOrEqual(many - waitingMax - 2)
    for (const answer of settled) {
      expectError(answer, 503, 'SERVICE_UNAVAILABLE', /^Too many requests are waiting/)
      expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1)
    }
    const freeing = setInterval(letGo, 5)
    await Promise.all(all)
    clearInterval(freeing)
    const done = settled.filter((answer) => answer.status === 200)
    expect(done.length).toBeGreaterThanOrEqual(waitingMax)
    expect(done.length).toBeLessThanOrEqual(waitingMax + 2)
  })

  it('logs only a few refusals of a minute, because a line for each would add to the load', () => {
    const refusals = door.lines.filter((line) => line['status'] === 503)
    expect(refusals.length).toBeGreaterThan(0)
    expect(refusals.length).toBeLessThanOrEqual(20)
  })
})
