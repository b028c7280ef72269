// Secrets: the service decrypts each once, for its own subscription alone, and forgets the oldest.

import { describe, expect, it } from 'vitest'
import type { Uuid } from '#platform/ids.ts'
import { createSecretBox } from '#platform/secrets.ts'
import { secretContext } from '#events/signature.ts'
import { createKeyOpener } from '#webhooks/delivery/attempt.ts'

describe('the keys of a receiver', () => {
  const box = createSecretBox(Buffer.alloc(32, 1))
  const subscriptionId = '019bc119-0e40-7001-8a1b-2c3d4e5f6071' as Uuid
  const seal = (secret: string): Buffer => box.seal(secret, secretContext(subscriptionId))
  const until = new Date(1_000)
  const receiver = { subscriptionId, url: 'https://example.com/', failing: false, oldSecretUntil: until }
  const [fresh, old] = [seal('whsec_bmV3'), seal('whsec_b2xk')]

  it('are the new one and, until it expires, the old one', () => {
    const keysOf = createKeyOpener(box)
    const [first, second, ...rest] = keysOf({ ...receiver, secret: fresh, oldSecret: old }, 999)
    expect([first, second].map((key) => key?.whole.export().toString())).toEqual(['whsec_bmV3', 'whsec_b2xk'])
    expect([first, second].map((key) => key?.decoded.export().toString())).toEqual(['new', 'old'])
    expect(rest).toEqual([])
    expect(keysOf({ ...receiver, secret: fresh, oldSecret: old }, 1_000)).toHaveLength(1)
  })

  it('are opened once, and never for another subscription', () => {
    let opened = 0
    const keysOf = createKeyOpener({ ...box, open: (...values) => (opened++, box.open(...values)) })
    const only = { ...receiver, secret: fresh, oldSecret: null, oldSecretUntil: null }
    for (const time of [1, 2, 3]) keysOf({ ...only, secret: Buffer.from(fresh) }, time)
    expect(opened).toBe(1)
    const another = { ...only, secret: old, subscriptionId: '019bc119-0e40-7001-8a1b-2c3d4e5f6072' as Uuid }
    expect(() => keysOf(another, 1)).toThrow('does not open')
  })

  it('are cached for the last 10 000 receivers, so that memory is bounded', () => {
    const opened: string[] = []
    const keysOf = createKeyOpener({
      ...box,
      open: (sealed) => {
        opened.push(sealed.toString())
        return 'whsec_bmV3'
      },
    })
    const ask = (name: string) =>
      keysOf({ ...receiver, secret: Buffer.from(name), oldSecret: null, oldSecretUntil: null }, 1)
    for (let number = 0; number < 20_000; number++) ask(`${number % 10_000}`)
    expect(opened).toHaveLength(10_000)
    for (const name of ['one more', '9999', '0']) ask(name)
    expect(opened.slice(10_000)).toEqual(['one more', '0'])
  })
})
