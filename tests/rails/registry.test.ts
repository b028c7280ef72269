import { describe, expect, it } from 'vitest'
import { Unavailable } from '#base/error.ts'
import { newUuid } from '#base/ids.ts'
import { railReferenceOf } from '#rails/reference.ts'
import { createRailRegistry, requirePort, type RailRegistry } from '#rails/registry.ts'
import { createSimulator } from '#rails/simulator/simulator.ts'
import { createFakeClock } from '#tests/support/clock.ts'

const clock = createFakeClock()
const registry = createRailRegistry({ clock, settleMs: 1_000 })
const ports = Object.keys(registry) as (keyof RailRegistry)[]

describe('rail registry', () => {
  it('knows seven ports', () => {
    expect(ports.toSorted()).toEqual([
      'bankDirectory',
      'inbound',
      'momoCollection',
      'momoDirectory',
      'momoPayout',
      'payout',
      'virtualAccounts',
    ])
  })

  it.each(ports)('serves %s on staging, and in production names the setting that is missing', (port) => {
    expect(registry[port]('staging').kind).toBe('served')
    expect(registry[port]('production')).toEqual({ kind: 'missing', setting: 'PRODUCTION_RAIL' })
  })

  it('serves the port that it was given, and does not fill the gaps of one rail with another', () => {
    const { payout } = createSimulator({ clock, settleMs: 5 })
    const mixed = createRailRegistry({ clock, settleMs: 1_000, rails: { production: { name: 'half', payout } } })
    expect(mixed.payout('production')).toEqual({ kind: 'served', port: payout })
    expect(mixed.bankDirectory('production')).toEqual({ kind: 'missing', setting: 'PRODUCTION_RAIL' })
    expect(mixed.bankDirectory('staging').kind).toBe('served')
  })

  it('gives the port, or a 503 with a sentence that names the setting', () => {
    expect(requirePort(registry.payout('staging'), 'Bank transfers').submitLeaseMs).toBe(1_000)
    const missing = (): unknown => requirePort(registry.payout('production'), 'Bank transfers')
    expect(missing).toThrow(Unavailable)
    expect(missing).toThrow(/^Bank transfers .*PRODUCTION_RAIL\.$/)
  })
})

describe('rail references', () => {
  it('have the form that every provider accepts: a lower-case UUID of version 4', () => {
    for (let count = 0; count < 1_000; count++) {
      const reference = railReferenceOf(newUuid(clock.now()))
      expect(reference).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    }
  })

  it('are the same for the same payment, in every release', () => {
    const id = '019b0000-0000-7000-8000-000000000001' as Parameters<typeof railReferenceOf>[0]
    expect(railReferenceOf(id)).toBe('ca13e378-d30f-4aeb-a54a-81ad60fa66f7')
  })

  it('differ from payment to payment', () => {
    const references = Array.from({ length: 10_000 }, () => railReferenceOf(newUuid(clock.now())))
    expect(new Set(references).size).toBe(10_000)
  })
})
