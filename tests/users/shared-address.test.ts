// An invitation does not prove who owns an address: a business may invite any address, follow the link itself and
// create an account. So accounts may share an address, and none of them blocks another.

import { describe, expect, it, vi } from 'vitest'
import { createBusiness } from '#businesses/business.ts'
import type { Uuid } from '#platform/ids.ts'
import { acceptInvitation, inviteUser } from '#users/invitations.ts'
import { readLink, resetPassword } from '#users/links.ts'
import { makeResetLink, listPeople, removeMember } from '#users/members.ts'
import { changePassword } from '#users/profile.ts'
import type { UserRole } from '#users/user.ts'
import { actorOf } from '#users/sessions.ts'
import { enterCode } from '#users/sign-in.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { goodPassword, newVisit, openRoom, type Owner } from './room.ts'

const database = await useTestDatabase()
const room = await openRoom(database)
const { ctx, people } = room
const theirs = 'a sentence of a squatter'

let addresses = 0
function newAddress(): string {
  addresses += 1
  return `newhire${addresses}@example.com`
}

const managerOf = (one: Owner) => ({
  businessId: one.businessId,
  by: actorOf(one.who.person, newVisit()),
  personId: one.id,
})

async function invited(owner: Owner, email: string, role: UserRole = 'viewer'): Promise<string> {
  const made = await inviteUser(ctx, managerOf(owner), { email, role })
  if (made.kind !== 'invited') throw new Error(made.kind)
  return made.token
}

/** Follows the link as a person without an account does. */
async function arrive(owner: Owner, email: string, password = goodPassword, role: UserRole = 'viewer'): Promise<Owner> {
  const given = { token: await invited(owner, email, role), name: 'New Hire', password }
  const accepted = await acceptInvitation(people, newVisit(), undefined, given)
  if (accepted.kind !== 'signed-in') throw new Error(accepted.kind)
  const { token, deviceToken = '' } = accepted.signIn
  const who = await room.seen(token)
  return { businessId: owner.businessId, email, id: who.person.id, who, token, deviceToken }
}

/** A hostile business has created an account with the address before its owner comes. */
async function squatted(role: UserRole = 'viewer') {
  const [hostile, honest, email] = [await room.owner(), await room.owner(), newAddress()]
  const squatter = await arrive(hostile, email, theirs, 'owner')
  const person = await arrive(honest, email, goodPassword, role)
  return { hostile, honest, email, squatter, person }
}

async function whoEnters(email: string, password: string, visit = newVisit()): Promise<Uuid | string> {
  const entered = await room.enter(email, password, visit)
  if (entered.kind !== 'signed-in') return entered.kind
  return (await people.signedIn(entered.signIn.token))?.person.id ?? 'nobody'
}

describe('an address that a hostile business has invited first', () => {
  it('is still that of its person, who makes an account of their own', async () => {
    const { hostile, honest, email, squatter, person } = await squatted()
    expect(person.id).not.toBe(squatter.id)
    expect([...(await room.seen(person.token)).roles]).toEqual([[honest.businessId, 'viewer']])
    expect([...(await room.seen(squatter.token)).roles]).toEqual([[hostile.businessId, 'owner']])
    expect(await whoEnters(email, goodPassword)).toBe(person.id)
    expect(await whoEnters(email, theirs)).toBe(squatter.id)
    expect(await whoEnters(email, 'of neither of them')).toBe('wrong')
  })

  it('shows nothing of the one account to the business of the other', async () => {
    const { hostile, honest, email, squatter, person } = await squatted()
    expect((await makeResetLink(ctx, managerOf(hostile), person.id)).kind).toBe('not-found')
    const ofHostile = await listPeople(ctx, hostile.businessId)
    expect(ofHostile.filter((one) => one.email === email).map(({ id }) => id)).toEqual([squatter.id])
    expect(await inviteUser(ctx, managerOf(honest), { email, role: 'admin' })).toEqual({ kind: 'already' })
    const third = await room.owner()
    const look = await readLink(people, await invited(third, email), third.who)
    expect(look).toMatchObject({ hasAccount: null })
  })

  it('has resets and removals for one account each', async () => {
    const { hostile, honest, email, squatter, person } = await squatted()
    const made = await makeResetLink(ctx, managerOf(honest), person.id)
    const token = made.kind === 'made' ? made.link.token : ''
    const password = 'another sentence of theirs'
    expect((await resetPassword(people, newVisit(), { token, password })).kind).toBe('signed-in')
    expect(await whoEnters(email, password)).toBe(person.id)
    expect(await whoEnters(email, theirs)).toBe(squatter.id)
    expect(await people.signedIn(squatter.token)).toBeDefined()
    expect(await removeMember(ctx, managerOf(hostile), squatter.id)).toEqual({ kind: 'done' })
    expect(await whoEnters(email, password)).toBe(person.id)
  })
})

describe('an honest second invitation', () => {
  it('is accepted into the account that there is: signed in, with its password, or by the form for newcomers', async () => {
    const person = await room.owner()
    const ways = [
      (token: string) => acceptInvitation(people, newVisit(), person.who, { token }),
      (token: string) => acceptInvitation(people, newVisit(), undefined, { token, password: goodPassword }),
      (token: string) =>
        acceptInvitation(people, newVisit(), undefined, { token, name: 'Again', password: goodPassword }),
    ]
    for (const accept of ways) {
      const other = await room.owner()
      expect(['joined', 'signed-in']).toContain((await accept(await invited(other, person.email))).kind)
      expect((await room.seen(person.token)).roles.get(other.businessId)).toBe('viewer')
    }
    const all = await listPeople(ctx, null)
    expect(new Set(all.filter(({ email }) => email === person.email).map(({ id }) => id)).size).toBe(1)
  })

  it('goes to the account with that password', async () => {
    const { email, squatter, person } = await squatted()
    const third = await room.owner()
    const token = await invited(third, email)
    expect((await acceptInvitation(people, newVisit(), undefined, { token, password: goodPassword })).kind).toBe(
      'signed-in',
    )
    expect((await room.seen(person.token)).roles.get(third.businessId)).toBe('viewer')
    expect((await room.seen(squatter.token)).roles.get(third.businessId)).toBeUndefined()
  })

  it('asks for the second factor of the existing account', async () => {
    const person = await room.withFactor(await room.owner())
    const token = await invited(await room.owner(), person.email)
    const given = { token, name: 'Again', password: goodPassword }
    expect(await acceptInvitation(people, newVisit(), undefined, given)).toMatchObject({ signIn: { next: 'code' } })
  })
})

describe('signing in at an address of several accounts', () => {
  it('costs one hash, one query and one transaction, as at an address without accounts', async () => {
    const { email } = await squatted()
    const spies = [
      vi.spyOn(people.passwords, 'matches'),
      vi.spyOn(ctx.db, 'query'),
      vi.spyOn(ctx.db, 'transaction'),
    ] as const
    await room.enter(email, 'of neither of them')
    expect(spies.map(({ mock }) => mock.calls.length)).toEqual([1, 1, 1])
    const [stored = []] = spies[0].mock.calls[0] ?? []
    for (const spy of spies) spy.mockRestore()
    expect(stored).toHaveLength(2)
    expect(new Set(stored.map((text) => text.slice(0, text.lastIndexOf('$')))).size).toBe(1)
  })

  it('with a password of two of them opens one, and the other once it has another password', async () => {
    const { email, squatter, person } = await squatted()
    const given = { current: theirs, next: goodPassword }
    const by = actorOf(squatter.who.person, newVisit())
    expect((await changePassword(people, by, newVisit(), squatter.who, given)).kind).toBe('changed')
    const first = await whoEnters(email, goodPassword)
    expect([squatter.id, person.id]).toContain(first)
    // A browser with an account's device token signs in to that account.
    expect(await whoEnters(email, goodPassword, newVisit(person.deviceToken))).toBe(person.id)
  })

  it('with an account of one’s own gives no more guesses at another one', async () => {
    const { email, squatter } = await squatted()
    let looked = 0
    for (let guess = 0; guess < 20; guess++) {
      if ((await room.enter(email, `guess number ${guess} of`)).kind === 'wrong') looked += 1
      await room.enter(email, theirs)
    }
    // The answer is also `wrong` when the service checked only the attacker's own account.
    expect(looked).toBeGreaterThan(5)
    expect(await whoEnters(email, theirs)).toBe(squatter.id)
    expect(await whoEnters(email, goodPassword)).toBe('wrong')
  })

  it('tells the owner of one account nothing about another, also by its locks', async () => {
    const [hostile, alone] = [await room.owner(), newAddress()]
    await arrive(hostile, alone, theirs)
    const { email } = await squatted()
    const seen = await Promise.all(
      [alone, email].map(async (address) => {
        const kinds: string[] = [(await room.enter(address, theirs)).kind]
        for (const password of ['1', '2', '3', '4', theirs, '5', theirs, '6', '7', '8', '9', '10', '11'])
          kinds.push((await room.enter(address, password)).kind)
        return kinds
      }),
    )
    expect(seen[0]).toEqual(seen[1])
  })

  it('by strangers locks out no person with a known device, and no account of another person', async () => {
    const { email, person } = await squatted()
    const code = await room.withFactor(person)
    for (let guess = 0; guess < 8; guess++) await room.enter(email, 'not the right one')
    expect(await whoEnters(email, goodPassword)).toBe('too-many')
    const visit = newVisit(person.deviceToken)
    const half = await room.enter(email, goodPassword, visit)
    const waiting = await room.seen(half.kind === 'signed-in' ? half.signIn.token : '')
    expect((await enterCode(people, visit, waiting, room.codeOf(code.secret))).kind).toBe('signed-in')
  })

  it('day by day with one account does not close the other one of the same person and browser', async () => {
    const [one, other, email] = [await room.owner(), await room.owner(), newAddress()]
    const first = await arrive(one, email, goodPassword)
    const visit = newVisit(first.deviceToken)
    const given = { token: await invited(other, email), name: 'Two', password: 'a second sentence' }
    expect((await acceptInvitation(people, visit, undefined, given)).kind).toBe('signed-in')
    for (let day = 0; day < 10; day++) {
      ctx.clock.advance(20 * 3_600_000)
      expect((await room.enter(email, 'a second sentence', visit)).kind).toBe('signed-in')
    }
    expect(await whoEnters(email, goodPassword, visit)).toBe(first.id)
  })
})

describe('an invitation as a way to guess', () => {
  it('gets no more passwords checked than signing in', async () => {
    const victim = await room.owner()
    const { id } = await createBusiness(ctx, 'Guesses')
    const hostile = await room.join(id, 'owner')
    const guessAt = async (password: string) => {
      const arrived = await arrive(hostile, victim.email, password)
      await removeMember(ctx, managerOf(hostile), arrived.id)
      return arrived.id
    }
    for (let guess = 0; guess < 5; guess++) expect(await guessAt(`guess number ${guess} of`)).not.toBe(victim.id)
    expect(await guessAt(goodPassword)).not.toBe(victim.id)
  })
})
