// A user's write by an endpoint of /v1 is recorded before it runs. Its outcome reaches the user, also if the audit log
// cannot be written any more.

import { expect, it } from 'vitest'
import { z } from 'zod'
import { expectError } from '#tests/support/client.ts'
import { addPerson, below } from '#tests/support/dashboard.ts'
import { shareService } from '#tests/support/service.ts'
import { createActs } from '#api/dashboard/acts.ts'
import type { AnyInput } from '#api/dashboard/endpoint.ts'
import { asDashboardEndpoint } from '#api/dashboard/v1.ts'
import { endpoint } from '#api/server/endpoint.ts'
import type { Context } from '#platform/context.ts'
import { ApiError, Unavailable } from '#platform/errors.ts'

const down = new Unavailable('The database cannot be reached right now.')

/** The transactions of the audit log: the first `writable` succeed. */
function callWith(writable: number, handle: () => Promise<{ data: object }>): Promise<unknown> {
  let written = 0
  const db = { transaction: () => ((written += 1) <= writable ? Promise.resolve() : Promise.reject(down)) }
  const ctx = { db, clock: { now: () => 0 }, log: { warn: () => undefined } } as unknown as Context
  const createCustomer = endpoint({
    operationId: 'createCustomer',
    method: 'POST',
    path: '/v1/customers',
    scope: 'collect',
    tag: 'Customers',
    summary: '',
    description: '',
    data: z.object({}),
    handle: async () => ({ data: { ...(await handle()).data } }),
  })
  const input = {
    params: {},
    body: { reference: 'CUSTOMER-1' },
    by: () => ({ kind: 'service', name: 'manilla' }),
    tenant: { id: '0192f0c1-0000-7000-8000-000000000000', environment: 'staging' },
    visitor: { confirmed: null, requestId: 'r' },
  } as unknown as AnyInput
  const policies = { approvalFor: () => Promise.resolve(undefined) }
  return asDashboardEndpoint(createCustomer, createActs(ctx), policies).handle(input)
}

const conflict = new ApiError('CONFLICT', 'A customer with this reference already exists')

it('does not run if it cannot be recorded', async () => {
  let ran = false
  const handle = (): Promise<{ data: object }> => {
    ran = true
    return Promise.resolve({ data: {} })
  }
  await expect(callWith(0, handle)).rejects.toBe(down)
  expect(ran).toBe(false)
})

it('answers with its own error if the failure cannot be recorded', async () => {
  await expect(callWith(1, () => Promise.reject(conflict))).rejects.toBe(conflict)
})

it('answers with its data if the success cannot be recorded', async () => {
  await expect(callWith(1, () => Promise.resolve({ data: { id: 'cus_1' } }))).resolves.toEqual({
    data: { id: 'cus_1' },
  })
})

it.each([
  ['PATCH', 'customers/REFERENCE', { firstName: 'Ada' }],
  ['DELETE', 'virtual-accounts/REFERENCE', undefined],
  ['POST', 'sandbox/deposits/REFERENCE/settle', { status: 'FAILED' }],
])('a reference that is longer than the audit log stores is not found: %s %s', async (method, path, body) => {
  const service = await shareService()
  const owner = await addPerson(service, { role: 'owner' })
  const address = `${below(service, 'staging')}/v1/${path.replace('REFERENCE', 'x'.repeat(5_000))}`
  const call =
    method === 'PATCH'
      ? owner.patch(address, body)
      : method === 'POST'
        ? owner.post(address, body)
        : owner.delete(address)
  expectError(await call, 404, 'NOT_FOUND')
})
