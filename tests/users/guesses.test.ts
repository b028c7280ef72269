import { describe, expect, it, vi } from 'vitest'
import { Unavailable } from '#platform/errors.ts'
import { createPasswords, type PasswordHasher } from '#users/passwords.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { goodPassword, newVisit, openRoom, quickCost } from './room.ts'

const database = await useTestDatabase()
const room = await openRoom(database)
const { ctx, enter } = room

describe('guessing', () => {
  it('of 1,000 passwords at once gets five checked', async () => {
    // Hashes at once, as many processes would that each have their own turns.
    const passwords: PasswordHasher = { ...createPasswords(quickCost), inTurn: (_, work) => work() }
    const own = await openRoom(database, { passwords })
    const matches = vi.spyOn(passwords, 'matches')
    const ada = await own.owner()
    const stranger = newVisit()
    const outcomes: string[] = []
    for (let batch = 0; batch < 20; batch++) {
      const each = Array.from({ length: 50 }, (_, index) =>
        own.enter(ada.email, `guess ${batch} ${index} ..`, stranger),
      )
      outcomes.push(...(await Promise.all(each)).map(({ kind }) => kind))
    }
    expect(matches).toHaveBeenCalledTimes(5)
    expect(outcomes.filter((kind) => kind === 'too-many')).toHaveLength(995)
    // The right password is refused too until the time is over.
    expect(await own.enter(ada.email, goodPassword, stranger)).toEqual({ kind: 'too-many', retryAfterMs: 30_000 })
    own.ctx.clock.advance(30_000)
    expect((await own.enter(ada.email, goodPassword, stranger)).kind).toBe('signed-in')
  })

  it('waits 30 s after the fifth, then twice as long each time, up to a quarter of an hour', async () => {
    const ada = await room.owner()
    const waits: number[] = []
    for (let guess = 1; guess <= 12; guess++) {
      expect(await enter(ada.email, 'not the right one')).toEqual({ kind: 'wrong' })
      const closed = await enter(ada.email, 'not the right one')
      const waitMs = closed.kind === 'too-many' ? closed.retryAfterMs : 0
      if (waitMs === 0) guess += 1 // It was looked at.
      waits.push(waitMs / 1_000)
      ctx.clock.advance(waitMs)
    }
    expect(waits.slice(2)).toEqual([30, 60, 120, 240, 480, 900, 900, 900])
  })

  it('from one network at many accounts is closed to that network, and to no other', async () => {
    const ada = await room.owner()
    const near = (host: number) => ({ ...newVisit(), address: `198.51.100.${host}` })
    for (let host = 1; host <= 5; host++)
      expect((await enter(`n${host}@example.com`, 'wrong', near(host))).kind).toBe('wrong')
    expect((await enter(ada.email, goodPassword, near(77))).kind).toBe('too-many')
    expect((await enter(ada.email, goodPassword, { ...newVisit(), address: '198.51.101.1' })).kind).toBe('signed-in')
  })

  it("by a stranger never locks out a person with a known device; another person's device token does not help", async () => {
    const [ada, ben] = [await room.owner(), await room.owner()]
    const stranger = newVisit()
    for (let guess = 0; guess < 6; guess++) await enter(ada.email, 'not the right one', stranger)
    expect((await enter(ada.email, goodPassword, newVisit(ben.deviceToken))).kind).toBe('too-many')
    expect((await enter(ada.email, goodPassword, newVisit(ada.deviceToken))).kind).toBe('signed-in')
    // A known device gives no further guesses: it has its own count.
    for (let guess = 0; guess < 5; guess++) await enter(ada.email, 'not the right one', newVisit(ada.deviceToken))
    expect((await enter(ada.email, goodPassword, newVisit(ada.deviceToken))).kind).toBe('too-many')
  })

  it('is not forgiven by signing in to an account of one’s own', async () => {
    const [ada, mallory] = [await room.owner(), await room.owner()]
    const visit = { ...newVisit(), address: '198.51.102.9' }
    for (let guess = 0; guess < 4; guess++) {
      expect((await enter(ada.email, 'not the right one', visit)).kind).toBe('wrong')
      expect((await enter(mallory.email, goodPassword, visit)).kind).toBe('signed-in')
    }
    expect((await enter(ada.email, 'not the right one', visit)).kind).toBe('wrong')
    expect((await enter(mallory.email, goodPassword, visit)).kind).toBe('too-many')
  })

  it('is not counted if the request was refused before its password was checked', async () => {
    const passwords = createPasswords(quickCost)
    const own = await openRoom(database, { passwords })
    const ada = await own.owner()
    const busy = vi.spyOn(passwords, 'inTurn').mockRejectedValue(new Unavailable('Too many at once.'))
    const visit = newVisit()
    for (let attempt = 0; attempt < 8; attempt++)
      await expect(own.enter(ada.email, goodPassword, visit)).rejects.toThrow('Too many at once.')
    busy.mockRestore()
    expect((await own.enter(ada.email, goodPassword, visit)).kind).toBe('signed-in')
  })
})
