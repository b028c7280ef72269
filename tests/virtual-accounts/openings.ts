// Shared by the tests of openings: a module with a second process beside it, and a rail that remembers its open
// accounts.

import { beforeEach, expect } from 'vitest'
import type { DynamicRequest } from '#virtual-accounts/provisioning.ts'
import type { TestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'
import { freshNumber } from '#tests/support/scripted-rail.ts'
import { createRoom } from './room.ts'

export const minuteMs = 60_000
export const resumableMs = 10 * minuteMs
export const died = new Error('the process died')

let references = 0

export const newReference = (): string => `ORDER-${(references += 1)}`

export async function useOpenings(database: TestDatabase) {
  const room = createRoom(database)
  const { accounts, ctx, port } = room
  const tenant = await room.newTenant()

  beforeEach(async () => {
    const usual = { refusal: undefined, gate: undefined, down: false, onCall: () => undefined }
    Object.assign(port, usual, { numberFor: freshNumber })
    // Openings that an earlier test left are given back before the next test counts.
    ctx.clock.advance(24 * 60 * minuteMs)
    await accounts.releaseNumbers(tenant.lane)
    port.asked.splice(0)
    port.closed.splice(0)
    port.live.clear()
  })

  async function openingsLeft(): Promise<number> {
    const [row] = await asOwner<{ count: number }>(database, 'select count(*)::int from virtual_account_opening')
    return row?.count ?? -1
  }

  /** Dies once, when the rail has got the call. */
  function dieAt(call: 'create' | 'close'): void {
    port.onCall = (heard) => {
      if (heard !== call) return
      port.onCall = () => undefined
      throw died
    }
  }

  const openOrder = (reference: string | null, changes: Partial<DynamicRequest> = {}, by = accounts) =>
    room.openDynamic(tenant, 30, { reference, ...changes }, by)

  return {
    ...room,
    tenant,
    other: room.startProcess(),
    openingsLeft,
    dieAt,
    openOrder,
    async leaveOpening(reference: string | null, changes: Partial<DynamicRequest> = {}): Promise<void> {
      dieAt('create')
      await expect(openOrder(reference, changes)).rejects.toThrow(died)
    },
    /** Every open account of the rail belongs to a tenant. */
    async expectNothingLost(): Promise<void> {
      for (const number of port.live) expect((await accounts.read(tenant, number))?.accountNumber).toBe(number)
      expect(await openingsLeft()).toBe(0)
    },
  }
}
