// The files of docs/vectors, which the service must match like every receiver in every language. A vector never
// changes, because receivers and stored events rely on it.

import { describe, expect, it } from 'vitest'
import type { Environment } from '#platform/context.ts'
import type { Uuid } from '#platform/ids.ts'
import { eventNames, testEvent } from '#events/catalogue.ts'
import { payloadOf } from '#events/payload.ts'
import { headersOf, signingKey } from '#events/signature.ts'
import { expectedBody, expectedOf, payloadVectors, signatureVectors } from './reference.ts'

describe('a payload', () => {
  it.each(payloadVectors)('of $parts.event, $parts.reference: always the same bytes', ({ parts, expected }) => {
    const { id, environment, createdAt } = parts
    const made = payloadOf({
      ...parts,
      id: id as Uuid,
      environment: environment as Environment,
      createdAt: new Date(createdAt),
    })
    expect(made).toBe(expected.body)
    expect(expectedBody(parts)).toEqual(expected)
    expect(JSON.parse(made)).toMatchObject({ event: parts.event, reference: parts.reference })
  })

  it('has a vector for every event that there is', () => {
    const names = new Set(payloadVectors.map(({ parts }) => parts.event))
    expect([...names].toSorted()).toEqual([...eventNames, testEvent].toSorted())
  })
})

describe('a signature', () => {
  it.each(signatureVectors)('of $what: always the same digits', ({ secrets, id, t, body, expected }) => {
    const keys = secrets.map(signingKey)
    const message = { id, event: 'webhook.test', attempt: 1, unixSeconds: t, body: Buffer.from(body, 'utf8'), keys }
    expect(headersOf(message)).toMatchObject(expected.headers)
    expect(expectedOf({ secrets, id, t, body })).toEqual(expected)
    expect(expected.v1).toHaveLength(secrets.length)
  })
})
