// The fields of a subscription, validated without a database.

import { describe, expect, it } from 'vitest'
import { eventNames } from '#events/catalogue.ts'
import {
  faultOfEnvironment,
  faultOfEvents,
  faultOfScheme,
  faultOfUrl,
  hintOf,
  newSecret,
  urlLengthMax,
} from '#webhooks/subscription.ts'

describe('the address', () => {
  it.each([
    'https://example.com',
    'https://example.com/hooks?a=1&b=2',
    'HTTPS://EXAMPLE.COM:8443/x',
    'https://10.0.0.7/x', // The address is judged when the connection is made.
    'https://[2001:db8::1]/x',
    'https://bücher.example/ọ́nà',
    `https://example.com/${'x'.repeat(urlLengthMax - 20)}`,
  ])('%s may be subscribed', (url) => {
    expect(faultOfUrl(url)).toBeUndefined()
    expect(faultOfScheme(url, 'production', false)).toBeUndefined()
  })

  it.each([
    '',
    'example.com',
    '//example.com',
    'https:example.com',
    'https:/example.com',
    'https://',
    'https://?a',
    'https://exa mple.com',
    ' https://example.com',
    'https://example.com/a\nb',
    'https://example.com\\@other.example',
    'https://example.com/\u0085',
    'https://example.com/\ud800',
    'ftp://example.com',
    'javascript:alert(1)',
    'file:///etc/passwd',
    'https://example.com:99999',
    'https://[::1',
    'https://256.256.256.256',
    'https://user@example.com',
    'https://user:password@example.com',
    'https://@example.com',
    'https://example.com/#part',
    'https://example.com/#',
    `https://example.com/${'x'.repeat(urlLengthMax - 19)}`,
  ])('%j may not', (url) => {
    expect(faultOfUrl(url)).toMatch(/^must /)
  })

  it.each(['http://127.0.0.1:3000/x', 'http://localhost', 'http://[::1]:1', 'http://127.1/x', 'http://app.localhost/'])(
    '%s may be http on staging of a server that listens on loopback, and nowhere else',
    (url) => {
      expect(faultOfUrl(url)).toBeUndefined()
      expect(faultOfScheme(url, 'staging', true)).toBeUndefined()
      expect(faultOfScheme(url, 'staging', false)).toMatch(/^must begin with https/)
      expect(faultOfScheme(url, 'production', true)).toMatch(/^must begin with https/)
    },
  )

  it.each(['http://example.com', 'http://10.0.0.1', 'http://localhost.example.com', 'http://127.0.0.1.example.com'])(
    '%s is never http',
    (url) => {
      expect(faultOfUrl(url)).toMatch(/^must begin with https/)
      expect(faultOfScheme(url, 'staging', true)).toMatch(/^must begin with https/)
    },
  )
})

describe('the events', () => {
  it('may be all of the catalogue', () => {
    expect(faultOfEvents(eventNames)).toBeUndefined()
  })

  it('list the allowed ones when one is unknown', () => {
    for (const name of eventNames) expect(faultOfEvents(['transfer.sucess'])).toContain(name)
  })

  it.each([[[]], [['transfer.success', 'transfer.success']], [['webhook.test']], [['*']], [['__proto__']], [['']]])(
    'may not be %j',
    (names) => {
      expect(faultOfEvents(names)).toMatch(/^(must|holds) /)
    },
  )
})

it.each([
  ['staging', 'sandbox', undefined],
  ['staging', 'production', 'must be sandbox: the key is one of staging'],
  ['production', 'production', undefined],
  ['production', 'sandbox', 'must be production: the key is one of production'],
] as const)('a key of %s may say %s: %s', (environment, named, fault) => {
  expect(faultOfEnvironment(environment, named)).toBe(fault)
})

it('a secret is 32 random bytes in base64 behind its prefix, and its hint does not give it away', () => {
  const secrets = Array.from({ length: 100 }, newSecret)
  expect(new Set(secrets).size).toBe(100)
  for (const secret of secrets) {
    const [prefix, rest = ''] = secret.split('_')
    expect(prefix).toBe('whsec')
    expect(Buffer.from(rest, 'base64')).toHaveLength(32)
    expect(Buffer.from(rest, 'base64').toString('base64')).toBe(rest)
    expect(hintOf(secret)).toMatch(/^whsec_….{5}$/)
    expect(secret.endsWith(hintOf(secret).slice(-5))).toBe(true)
  }
})
