// The rules of common tools for API descriptions (the recommended ones of redocly, spectral's for OpenAPI), as far as
// they apply here, and our own, so that no user of a generator is the first to find a gap.

import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { eventNames, testEvent } from '#events/catalogue.ts'
import { sampleOf } from '#webhooks/samples.ts'
import { document, documentText, faultsOf, operations, resolved, type Json } from './document.ts'

const { paths, webhooks, components, tags, info, servers } = document
const received = Object.entries(webhooks as Json).map(([event, item]) => ({ event, operation: item.post as Json }))
const all = [...operations.map(({ operation }) => operation), ...received.map(({ operation }) => operation)]

describe('each operation', () => {
  it('has a name that no other has, beginning with a verb', () => {
    const names = all.map((operation) => operation['operationId'] as string)
    expect(new Set(names).size).toBe(names.length)
    const verbs =
      'close|complete|create|delete|fund|get|initiate|list|open|receive|resolve|retry|rotate|settle|simulate|test|trigger|update|validate|verify'
    for (const name of names) expect(name).toMatch(new RegExp(`^(${verbs})[A-Z][A-Za-z]*$`))
  })

  it('has a summary without a full stop, a description that is another sentence, and a group that is described', () => {
    const described = new Map((tags as Json[]).map(({ name, description }) => [name, description]))
    for (const { operationId, summary, description, tags: groups } of all) {
      expect(summary, operationId).toMatch(/^[A-Z].*/)
      expect(description, operationId).toMatch(/^[A-Z].{20,}/)
      expect(description, operationId).not.toBe(summary)
      expect(groups, operationId).toHaveLength(1)
      expect(described.get(groups[0]), groups[0]).toMatch(/\w{4}/)
    }
    expect(described.size).toBe(tags.length)
  })

  it('takes the headers that every request may have', () => {
    for (const [path, item] of Object.entries(paths as Json)) {
      const names = (item.parameters as Json[]).map((parameter) => resolved(parameter)['name'])
      expect(names, path).toEqual(['X-Request-ID', 'X-API-Version'])
    }
  })

  it('describes each part of its path, and gives an example of what must be sent', () => {
    for (const { id, path, operation } of operations) {
      const parameters = (operation['parameters'] ?? []) as Json[]
      const named = parameters.filter((one) => one['in'] === 'path').map((one) => `{${one['name']}}`)
      expect(path.match(/\{\w+\}/g) ?? [], id).toEqual(named)
      const withoutExample = parameters.filter((one) => one['required'] === true && one['example'] === undefined)
      expect(withoutExample, id).toEqual([])
    }
  })

  it('shows every body by an example that its schema allows', () => {
    const bodies = all.flatMap(({ operationId, requestBody }) =>
      requestBody === undefined ? [] : [{ operationId, media: requestBody.content['application/json'] }],
    )
    expect(bodies.length).toBeGreaterThan(20)
    for (const { operationId, media } of bodies) {
      expect(media.example, operationId).toBeDefined()
      expect(faultsOf(media.schema, media.example), operationId).toEqual([])
    }
  })
})

describe('each answer', () => {
  const answers = operations.flatMap(({ id, operation }) =>
    Object.entries(operation['responses'] as Json).map(([status, answer]) => ({
      id,
      status,
      answer: resolved(answer),
    })),
  )

  it('has examples that its schema allows, an error one for each of its codes', () => {
    for (const { id, status, answer } of answers) {
      const media = answer['content']['application/json']
      const examples = media.examples === undefined ? { only: { value: media.example } } : (media.examples as Json)
      for (const [name, example] of Object.entries(examples)) {
        const { value } = resolved(example)
        expect(value, `${id} ${status} ${name}`).toBeDefined()
        expect(faultsOf(media.schema, value), `${id} ${status} ${name}`).toEqual([])
        expect(status === '200' ? name : value.error.code, `${id} ${status}`).toBe(name)
      }
    }
  })

  it('declares the headers that it carries, and with a 429 or 503 when to come again', () => {
    const common = ['X-Request-ID', 'X-API-Version', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']
    for (const { id, status, answer } of answers) {
      const names = Object.keys(answer['headers'])
      expect(names.slice(0, common.length), `${id} ${status}`).toEqual(common)
      expect(names.includes('Retry-After'), `${id} ${status}`).toBe(['429', '503'].includes(status))
    }
    const replayed = answers.filter(({ answer }) => Object.hasOwn(answer['headers'], 'Idempotent-Replayed'))
    expect(replayed.map(({ id }) => id)).toEqual(['initiateTransfer', 'initiateMomoTransfer', 'initiateMomoCollection'])
  })

  it('of 200, 400 and 401 is described for every operation', () => {
    for (const { id, operation } of operations) {
      expect(Object.keys(operation['responses']), id).toEqual(
        expect.arrayContaining(['200', '400', '401', '429', '503']),
      )
    }
  })
})

describe('the events', () => {
  it('are all there, the test too', () => {
    expect(received.map(({ event }) => event)).toEqual([...eventNames, testEvent])
  })

  it.each(eventNames)('%s is described as it is sent, and shown so', (event) => {
    const media = webhooks[event].post.requestBody.content['application/json']
    const sample = { ...media.example, data: sampleOf(event, Date.parse(media.example.createdAt)).data }
    expect(faultsOf(media.schema, sample)).toEqual([])
    expect(Object.keys(media.example.data)).toEqual(Object.keys(sample.data))
    expect(media.example.data.status).toBe(sample.data['status'])
  })

  it('show a signature that verifies with the secret of the example', () => {
    const { example } = webhooks['transfer.success'].post.requestBody.content['application/json']
    const { secret } = paths['/v1/webhooks'].post.responses['200'].content['application/json'].example.data
    const headers = webhooks['transfer.success'].post.parameters as Json[]
    const header = (name: string): string => headers.find((one) => one['name'] === name)?.['example']
    const signed = (t: string): string =>
      createHmac('sha256', secret)
        .update(`${t}.${JSON.stringify(example)}`)
        .digest('hex')
    const [t = ''] = /\d+/.exec(header('X-Webhook-Signature')) ?? []
    expect(header('X-Webhook-Signature')).toBe(`t=${t},v1=${signed(t)}`)
    const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
    const standard = createHmac('sha256', key)
      .update(`${example.id}.${t}.${JSON.stringify(example)}`)
      .digest('base64')
    expect(header('webhook-signature')).toBe(`v1,${standard}`)
    expect([header('webhook-id'), header('webhook-timestamp'), header('X-Webhook-Id')]).toEqual([
      example.id,
      t,
      example.id,
    ])
  })
})

describe('the document', () => {
  it('names what every record is called', () => {
    const records = `Transfer TransferRequest Deposit DepositValidation Customer VirtualAccount Bank BankAccount MomoOperator
      MomoWallet MomoTransfer MomoCollection WebhookSubscription WebhookDelivery WebhookEvent TransferSuccessEvent Balance
      LedgerEntry Fee Error ErrorDetail FieldError Pagination`
    expect(Object.keys(components.schemas)).toEqual(expect.arrayContaining(records.split(/\s+/)))
  })

  it('has no component that nothing refers to, and no reference to nothing', () => {
    const text = JSON.stringify(document)
    const names = ['schemas', 'responses', 'examples', 'headers', 'parameters'].flatMap((kind) =>
      Object.keys(components[kind]).map((name) => `#/components/${kind}/${name}`),
    )
    expect(names.filter((name) => !text.includes(`"${name}"`))).toEqual([])
    const references = [...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference]) => reference)
    expect(references.filter((reference) => !names.includes(reference ?? ''))).toEqual([])
  })

  it('says who made it, under what terms, where it is served and what key it takes', () => {
    expect(info.contact.name).toMatch(/\w/)
    expect(info.description).toMatch(/minor unit/)
    expect(info.license.identifier).toBe('Apache-2.0')
    expect(servers.map(({ url }: Json) => url)).not.toContainEqual(expect.stringMatching(/\/$/))
    expect(components.securitySchemes.apiKey).toMatchObject({ type: 'http', scheme: 'bearer' })
  })

  it('gives no amount the bounds of a double, and each of them 64 bits', () => {
    const text = JSON.stringify(document)
    expect(text).not.toContain('-9007199254740991')
    expect(components.schemas.Kobo).toMatchObject({ type: 'integer', format: 'int64', minimum: 0 })
  })

  it('says what each field means that has no named type', () => {
    const unsaid: string[] = []
    const look = (name: string, schema: unknown): void => {
      if (typeof schema !== 'object' || schema === null) return
      const { properties = {} } = schema as { properties?: Record<string, object> }
      for (const [field, one] of Object.entries(properties))
        if (!('description' in one || '$ref' in one)) unsaid.push(`${name}.${field}`)
      for (const inner of Object.values(schema)) look(name, inner)
    }
    for (const [name, schema] of Object.entries(components.schemas)) look(name, schema)
    expect(unsaid).toEqual([])
  })

  it('stays small, because records and enums are written once', () => {
    expect(Buffer.byteLength(documentText)).toBeLessThan(390_000)
  })
})

describe('for generated clients', () => {
  const schemas = components.schemas as Record<string, Json>
  const isReference = (schema: Json): boolean => typeof schema['$ref'] === 'string'

  /** Every schema object within a value, with its place. Examples are values, not schemas. */
  function within(value: unknown, place: string): { place: string; schema: Json }[] {
    if (typeof value !== 'object' || value === null) return []
    const inner = Object.entries(value).flatMap(([key, item]) =>
      key === 'example' || key === 'examples' ? [] : within(item, `${place}/${key}`),
    )
    return Array.isArray(value) ? inner : [{ place, schema: value }, ...inner]
  }

  it('every body and every answer is a named schema', () => {
    const bodies = operations.flatMap(({ id, operation: { requestBody } }) =>
      requestBody === undefined ? [] : [{ id, schema: requestBody.content['application/json'].schema as Json }],
    )
    expect(bodies.filter(({ schema }) => !isReference(schema)).map(({ id }) => id)).toEqual([])
    for (const { id, operation } of operations) {
      for (const [status, answer] of Object.entries(operation['responses'] as Json)) {
        expect(resolved(answer)['content']['application/json'].schema, `${id} ${status}`).toSatisfy(isReference)
      }
      const { schema } = operation['responses']['200'].content['application/json']
      expect(resolved(schema)['properties'].data, id).toSatisfy(isReference)
    }
  })

  it('every enum and every record has one name, and stands once', () => {
    const nested = Object.entries(schemas).flatMap(([name, schema]) => within(schema, name))
    const inline = [...nested, ...within(paths, 'paths')].filter(({ place }) => !Object.hasOwn(schemas, place))
    const nameless = inline.filter(({ schema }) => Array.isArray(schema['enum']) || schema['properties'] !== undefined)
    expect(nameless.filter(({ place }) => !place.endsWith('/properties')).map(({ place }) => place)).toEqual([])
    const lists = Object.values(schemas).flatMap(({ enum: values }) => (values === undefined ? [] : [String(values)]))
    expect(new Set(lists).size).toBe(lists.length)
  })

  it('a field that may be left out of a body has no default, which generators take as always there', () => {
    const withDefault = Object.entries(schemas).flatMap(([name, schema]) => within(schema, name))
    expect(withDefault.filter(({ schema }) => 'default' in schema).map(({ place }) => place)).toEqual([])
    expect(schemas['TransferRequest']?.['required']).not.toContain('currency')
  })

  it('names are identifiers, also without regard to case, and no two kinds share one', () => {
    const names = ['schemas', 'responses'].flatMap((kind) => Object.keys(components[kind]))
    expect(names.filter((name) => !/^[A-Z][A-Za-z0-9]*$/.test(name))).toEqual([])
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(names.length)
  })

  it('every header has a type, and headers of deliveries stand where generators find them', () => {
    for (const header of Object.values(components.headers as Json)) expect(header.schema.type).toMatch(/string|integer/)
    expect(Object.keys(components.parameters)).toEqual(['X-Request-ID', 'X-API-Version'])
  })
})
