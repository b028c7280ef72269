// Deliveries are signed as the vectors for receivers say.

import { describe, expect, it } from 'vitest'
import { headersOf, signingKey } from '#events/signature.ts'
import { signatureVectors } from './reference.ts'

describe('the headers of an attempt', () => {
  it.each(signatureVectors)('sign as the vector says: $what', ({ secrets, id, t, body, expected }) => {
    const message = { id, event: 'transfer.success', attempt: 3, unixSeconds: t, body: Buffer.from(body, 'utf8') }
    expect(headersOf({ ...message, keys: secrets.map(signingKey) })).toEqual({
      'Content-Type': 'application/json',
      'User-Agent': 'Manilla-Webhooks/1',
      'X-Webhook-Event': 'transfer.success',
      'X-Webhook-Id': id,
      'X-Webhook-Attempt': '3',
      ...expected.headers,
    })
  })
})
