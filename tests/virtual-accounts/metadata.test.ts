// Metadata comes back as it was sent, or is refused, at every endpoint that takes it. The test finds the endpoints in
// the published description, so it includes new ones.

import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { expectError, expectSuccess } from '#tests/support/client.ts'
import { shareService } from '#tests/support/service.ts'
import { customerBody, newCustomer, newReference } from '#tests/deposits/requests.ts'

type Operation = {
  requestBody?: { content: { 'application/json': { schema: Schema } } }
}
type Named = { components: { schemas: Record<string, { properties?: Record<string, unknown> }> } }
type Description = Named & { paths: Record<string, Record<string, Operation>> }

type Schema = { $ref?: string; properties?: Record<string, unknown> }

/** Several operations refer to one schema by its name. */
function propertiesOf(schema: Schema | undefined): Record<string, unknown> | undefined {
  const name = schema?.$ref?.split('/').at(-1)
  return name === undefined ? schema?.properties : components.schemas[name]?.properties
}

const file = path.join(import.meta.dirname, '../../docs/openapi.json')
const { paths, components } = JSON.parse(await readFile(file, 'utf8')) as Description
const taking = Object.entries(paths).flatMap(([address, operations]) =>
  Object.entries(operations).flatMap(([method, { requestBody }]) =>
    propertiesOf(requestBody?.content['application/json'].schema)?.['metadata'] === undefined
      ? []
      : [[method.toUpperCase(), address.replaceAll(/\{\w+\}/g, 'unknown')] as const],
  ),
)

const service = await shareService()
const client = service.staging

const awkward = '{"constructor":"1","prototype":"2","toString":"3","hasOwnProperty":"4","toJSON":"5","then":"6"}'
const headers = { 'Content-Type': 'application/json' }

/** JSON as text, because an object literal would take `__proto__` for the prototype. */
function withMetadata(body: Record<string, unknown>, metadata: string): string {
  const rest = JSON.stringify(body).slice(1, -1)
  return rest === '' ? `{"metadata":${metadata}}` : `{${rest},"metadata":${metadata}}`
}

describe('metadata', () => {
  it('is taken by the endpoints that this is about', () => {
    expect(taking.map((operation) => operation.join(' '))).toEqual(
      expect.arrayContaining([
        'POST /v1/customers',
        'PATCH /v1/customers/unknown',
        'POST /v1/virtual-accounts/dynamic',
        'POST /v1/transfers/initiate',
      ]),
    )
  })

  it.each(taking)('with the key __proto__ is refused by %s %s, naming it', async (method, address) => {
    const answer = await client.call(address, { method, headers, body: '{"metadata":{"a":"1","__proto__":"2"}}' })
    expectError(answer, 400, 'VALIDATION_ERROR')
    expect(answer.body.error?.details).toContainEqual({
      field: 'metadata.__proto__',
      code: 'invalid',
      message: 'metadata.__proto__ cannot be kept: choose another name',
    })
  })

  it.each([
    ['POST', '/v1/customers', () => customerBody()],
    ['POST', '/v1/virtual-accounts/dynamic', () => ({ amount: 5 })],
    [
      'POST',
      '/v1/transfers/initiate',
      () => ({
        reference: newReference('PAYOUT'),
        amount: 5,
        bankSlug: 'guaranty-trust-bank',
        accountNumber: '0123456789',
        accountName: 'ADA OBI',
      }),
    ],
  ])('with keys that objects have comes back from %s %s as it was sent', async (method, address, body) => {
    const answer = await client.call(address, { method, headers, body: withMetadata(body(), awkward) })
    expectSuccess(answer)
    expect(answer.text).toContain(`"metadata":${awkward}`)
  })

  it('with keys that objects have comes back from PATCH and from every later read', async () => {
    const { reference } = await newCustomer(client)
    const address = `/v1/customers/${reference}`
    const answers = [
      await client.call(address, { method: 'PATCH', headers, body: withMetadata({}, awkward) }),
      await client.get(address),
      await client.get('/v1/customers?limit=1'),
    ]
    for (const answer of answers) {
      expectSuccess(answer)
      expect(answer.text).toContain(`"metadata":${awkward}`)
    }
  })

  it('that is refused leaves the earlier metadata', async () => {
    const customer = await newCustomer(client, { metadata: { tier: 'gold' } })
    const address = `/v1/customers/${customer.reference}`
    const body = '{"metadata":{"__proto__":"silver"}}'
    expectError(await client.call(address, { method: 'PATCH', headers, body }), 400, 'VALIDATION_ERROR')
    expect(expectSuccess(await client.get(address))).toEqual(customer)
  })
})
