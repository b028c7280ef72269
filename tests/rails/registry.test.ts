import { describe, expect, it } from 'vitest'
import { Unavailable } from '#base/error.ts'
import { newUuid } from '#base/ids.ts'
import { railReferenceOf } from '#rails/reference.ts'
import type { Rail } from '#rails/rail.ts'
import { createRailRegistry, requirePort, type RailRegistry } from '#rails/registry.ts'
import { createSimulator } from '#rails/simulator/simulator.ts'
import { createFakeClock } from '#tests/support/clock.ts'

const clock = createFakeClock()
const registry = createRailRegistry({ clock, settleMs: 1_000 })
const ports = Object.keys(registry).filter((key) => key !== 'namesOf') as Exclude<keyof RailRegistry, 'namesOf'>[]

const missing = { kind: 'missing', setting: 'PRODUCTION_RAIL' }
const registryOf = (...production: Rail[]) => createRailRegistry({ clock, settleMs: 1_000, rails: { production } })
const simulatedPayout = (settleMs: number) => createSimulator({ clock, settleMs }).payout

describe('rail registry', () => {
  it('knows eight ports', () => {
    expect(ports.toSorted()).toEqual([
      'bankDirectory',
      'float',
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

  it('serves the port that it was given, and does not fill the gaps of one rail with those of staging', () => {
    const mixed = registryOf({ name: 'half', payout: simulatedPayout(5) })
    expect(mixed.payout('production')).toMatchObject({ kind: 'served', rail: 'half', port: { submitLeaseMs: 5 } })
    expect(mixed.bankDirectory('production')).toEqual(missing)
    expect(mixed.bankDirectory('staging').kind).toBe('served')
  })

  it('serves what is new by the first rail that has the port, and knows the others by name', () => {
    const wallets = { name: 'wallets', momoPayout: createSimulator({ clock, settleMs: 7 }).momoPayout }
    const several = registryOf(
      wallets,
      { name: 'new', payout: simulatedPayout(5) },
      { name: 'old', payout: simulatedPayout(6) },
    )
    expect(several.payout('production')).toMatchObject({ rail: 'new', port: { submitLeaseMs: 5 } })
    expect(several.momoPayout('production')).toMatchObject({ rail: 'wallets' })
    expect(several.payout('production', 'old')).toMatchObject({ rail: 'old', port: { submitLeaseMs: 6 } })
    expect(several.namesOf('production')).toEqual(['wallets', 'new', 'old'])
  })

  it('never serves another rail in place of the one that is named', () => {
    const several = registryOf({ name: 'new', payout: simulatedPayout(5) }, { name: 'empty' })
    expect(several.payout('production', 'gone')).toEqual(missing)
    expect(several.payout('production', 'empty')).toEqual(missing)
    expect(several.payout('production', 'simulator')).toEqual(missing)
    expect(several.payout('staging', 'new')).toMatchObject({ kind: 'missing' })
  })

  it.each([
    ['of one environment', [{ name: 'same' }, { name: 'same' }]],
    ['of both environments', [{ name: 'simulator' }]],
  ])('refuses two rails of one name: %s', (_where, rails: Rail[]) => {
    expect(() => registryOf(...rails)).toThrow(/one rail with the name/)
  })

  it('gives the port, or a 503 with a sentence that names the setting', () => {
    expect(requirePort(registry.payout('staging'), 'Bank transfers').submitLeaseMs).toBe(1_000)
    const asked = (): unknown => requirePort(registry.payout('production'), 'Bank transfers')
    expect(asked).toThrow(Unavailable)
    expect(asked).toThrow(/^Bank transfers .*PRODUCTION_RAIL\.$/)
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
