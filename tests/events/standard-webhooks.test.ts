// The public library of Standard Webhooks verifies our deliveries as they are, with the secret as the API shows it, and
// refuses others.

import { Webhook, WebhookVerificationError } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { newSecret } from '#webhooks/subscription.ts'
import { headersOf, signingKey } from '#events/signature.ts'
import { payloadVectors, signatureVectors } from './reference.ts'

type Changes = { keys?: string[]; id?: string; ageSeconds?: number }

const [oldSecret, newerSecret] = [newSecret(), newSecret()]
const body = payloadVectors[4]?.expected.body ?? ''

function signed(text: string, { keys = [newerSecret], id = 'evt_1', ageSeconds = 0 }: Changes = {}) {
  const unixSeconds = Math.floor(Date.now() / 1_000) - ageSeconds
  const message = { id, event: 'transfer.success', attempt: 1, unixSeconds, body: Buffer.from(text, 'utf8') }
  return headersOf({ ...message, keys: keys.map(signingKey) })
}

const verify = (secret: string, text: string, headers: Record<string, string>): unknown =>
  new Webhook(secret).verify(text, headers)

describe('the standardwebhooks package', () => {
  it.each(payloadVectors.map(({ parts, expected }) => [parts.event, parts.reference, expected.body] as const))(
    'verifies %s, %s, and reads it',
    (_event, _reference, text) => {
      expect(verify(newerSecret, text, signed(text))).toEqual(JSON.parse(text))
    },
  )

  it('verifies with either secret during a rotation, and then with the new one alone', () => {
    const both = signed(body, { keys: [newerSecret, oldSecret] })
    expect(verify(newerSecret, body, both)).toEqual(JSON.parse(body))
    expect(verify(oldSecret, body, both)).toEqual(JSON.parse(body))
    expect(() => verify(oldSecret, body, signed(body))).toThrow(WebhookVerificationError)
  })

  it('signs as we do', () => {
    for (const { secrets, id, t, body: text, expected } of signatureVectors) {
      const theirs = secrets.map((secret) => new Webhook(secret).sign(id, new Date(t * 1_000), text))
      expect(expected.headers['webhook-signature']).toBe(theirs.join(' '))
    }
  })

  it.each([
    ['a changed body', () => verify(newerSecret, body.replace('Ọ', 'O'), signed(body))],
    ['another id', () => verify(newerSecret, body, { ...signed(body), 'webhook-id': 'evt_2' })],
    [
      'another time',
      () =>
        verify(newerSecret, body, { ...signed(body), 'webhook-timestamp': `${Math.floor(Date.now() / 1_000) - 60}` }),
    ],
    ['another secret', () => verify(newSecret(), body, signed(body))],
    ['one more than 5 minutes old', () => verify(newerSecret, body, signed(body, { ageSeconds: 302 }))],
  ])('refuses %s', (_what, attempt) => {
    expect(attempt).toThrow(WebhookVerificationError)
  })
})
