import { describe, expect, it, onTestFinished } from 'vitest'
import type { Uuid } from '#platform/ids.ts'
import { createBusiness } from '#businesses/business.ts'
import { perDayMax } from '#mail/queue.ts'
import { sealContext } from '#mail/queue.ts'
import { answerResetRequests, requestReset } from '#users/password-resets.ts'
import { acceptInvitation, inviteUser, listInvitations, withdrawInvitation } from '#users/invitations.ts'
import { readLink, makeWelcomeLink, resetPassword, welcomeFirst } from '#users/links.ts'
import { changeRole, makeResetLink, makeOperator, removeMember, resetAtTerminal } from '#users/members.ts'
import { createPasswords, type PasswordHasher } from '#users/passwords.ts'
import type { UserRole } from '#users/user.ts'
import { changePassword } from '#users/profile.ts'
import { actorOf } from '#users/sessions.ts'
import { createTestDatabase, useTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'
import { goodPassword, newVisit, openRoom, quickCost, type Owner } from './room.ts'

const database = await useTestDatabase()
const room = await openRoom(database)
const { ctx, people } = room
const terminal = { kind: 'terminal', name: 'ada@lagos' } as const
const managerOf = (one: Owner) => ({
  businessId: one.businessId,
  by: actorOf(one.who.person, newVisit()),
  personId: one.id,
})
const newcomer = { name: 'Ada Obi', email: 'ada@example.com', password: goodPassword }

async function openEmptyRoom() {
  const own = await createTestDatabase()
  onTestFinished(() => own.drop())
  return openRoom(own)
}

async function invited(owner: Owner, email: string, role: UserRole = 'viewer'): Promise<string> {
  const made = await inviteUser(ctx, managerOf(owner), { email, role })
  if (made.kind !== 'invited') throw new Error(made.kind)
  return made.token
}

describe('the first run', () => {
  it('makes the first person, an operator and owner of the first business, and no one after', async () => {
    const empty = await openEmptyRoom()
    const first = await createBusiness(empty.ctx, 'First')
    await createBusiness(empty.ctx, 'Second')
    const entered = await empty.welcome()
    const who = await empty.seen(entered?.token ?? '')
    expect(who.person).toMatchObject({ name: 'Ada Obi', email: 'ada@example.com', isOperator: true })
    expect([...who.roles]).toEqual([[first.id, 'owner']])
    expect(await makeWelcomeLink(empty.ctx)).toBeUndefined()
  })

  it('has one first person when several links are used at once, from one process or from two', async () => {
    const empty = await openEmptyRoom()
    await createBusiness(empty.ctx, 'First')
    const links = await Promise.all(Array.from({ length: 4 }, () => makeWelcomeLink(empty.ctx)))
    const tries = links.flatMap((token = '') =>
      [0, 1].map((twin) => ({ token, email: `a${token.slice(0, 5).toLowerCase()}${twin}@example.com` })),
    )
    const outcomes = await Promise.all(
      tries.map((given) => welcomeFirst(empty.people, newVisit(), { ...newcomer, ...given })),
    )
    expect(outcomes.filter(({ kind }) => kind === 'signed-in')).toHaveLength(1)
    expect(outcomes.filter(({ kind }) => kind === 'over')).toHaveLength(7)
  })

  it('ends with its link after a day; an unfit password does not use up the link', async () => {
    const empty = await openEmptyRoom()
    const token = (await makeWelcomeLink(empty.ctx)) ?? ''
    expect(await readLink(empty.people, token)).toEqual({
      kind: 'welcome',
      email: null,
      businessName: null,
      role: null,
      hasAccount: false,
    })
    expect((await welcomeFirst(empty.people, newVisit(), { ...newcomer, token, password: 'short' })).kind).toBe('unfit')
    empty.ctx.clock.advance(24 * 3_600_000)
    expect(await readLink(empty.people, token)).toBeUndefined()
    expect((await welcomeFirst(empty.people, newVisit(), { ...newcomer, token })).kind).toBe('over')
    expect(await makeWelcomeLink(empty.ctx)).toBeDefined()
  })
})

describe('an invitation', () => {
  it('shows its business and role, makes an account, and works only once', async () => {
    const owner = await room.owner()
    const token = await invited(owner, 'ben@example.com', 'finance')
    expect(await readLink(people, token)).toEqual({
      kind: 'invitation',
      email: 'ben@example.com',
      businessName: 'A Business',
      role: 'finance',
      hasAccount: null,
    })
    expect(await acceptInvitation(people, newVisit(), undefined, { token })).toEqual({ kind: 'missing' })
    const accepted = await acceptInvitation(people, newVisit(), undefined, {
      token,
      name: 'Ben',
      password: goodPassword,
    })
    const who = await room.seen(accepted.kind === 'signed-in' ? accepted.signIn.token : '')
    expect(who).toMatchObject({
      person: { email: 'ben@example.com', isOperator: false },
      roles: new Map([[owner.businessId, 'finance']]),
    })
    expect(await readLink(people, token)).toBeUndefined()
    expect(
      (await acceptInvitation(people, newVisit(), undefined, { token, name: 'Ben', password: goodPassword })).kind,
    ).toBe('over')
  })

  it('that is accepted many times at once makes one account and one membership', async () => {
    const owner = await room.owner()
    const token = await invited(owner, 'twice@example.com')
    const outcomes = await Promise.all(
      Array.from({ length: 6 }, () =>
        acceptInvitation(people, newVisit(), undefined, { token, name: 'Two', password: goodPassword }),
      ),
    )
    expect(outcomes.map(({ kind }) => kind).toSorted()).toEqual([
      ...Array.from({ length: 5 }, () => 'over'),
      'signed-in',
    ])
  })

  it('is accepted by a signed-in person with its address, and by no one else', async () => {
    const [owner, ben, eve] = [await room.owner(), await room.owner(), await room.owner()]
    const token = await invited(owner, ben.email)
    expect(await acceptInvitation(people, newVisit(), eve.who, { token })).toEqual({ kind: 'missing' })
    expect(await acceptInvitation(people, newVisit(), ben.who, { token })).toEqual({ kind: 'joined' })
    expect([...(await room.seen(ben.token)).roles]).toEqual(
      expect.arrayContaining([
        [ben.businessId, 'owner'],
        [owner.businessId, 'viewer'],
      ]),
    )
  })

  it('is accepted with the password of the account, whose second factor is asked for all the same', async () => {
    const owner = await room.owner()
    const ben = await room.withFactor(await room.owner())
    const token = await invited(owner, ben.email)
    const accept = (password: string) => acceptInvitation(people, newVisit(), undefined, { token, password })
    expect(await accept('not the right one')).toEqual({ kind: 'wrong' })
    const accepted = await accept(goodPassword)
    expect(accepted).toMatchObject({ kind: 'signed-in', signIn: { next: 'code' } })
  })

  it('tells a stranger the same whether its address has an account or not, and says so to its person alone', async () => {
    const [owner, ben] = [await room.owner(), await room.owner()]
    const [taken, free] = [await invited(owner, ben.email), await invited(owner, 'free@example.com')]
    for (const visitor of [undefined, owner.who])
      for (const token of [taken, free])
        expect(await readLink(people, token, visitor)).toMatchObject({ hasAccount: null })
    expect(await readLink(people, taken, ben.who)).toMatchObject({ hasAccount: true })
    for (const token of [taken, free]) {
      const accept = (given: { name?: string; password?: string }) =>
        acceptInvitation(people, newVisit(), undefined, { token, ...given })
      expect(await accept({})).toEqual({ kind: 'missing' })
      expect(await accept({ name: 'Eve' })).toEqual({ kind: 'missing' })
      expect(await accept({ name: 'Eve', password: 'short' })).toMatchObject({ kind: 'unfit' })
      expect(await accept({ password: 'not the right one' })).toEqual({ kind: 'wrong' })
    }
  })

  it('is replaced by a new one; after a withdrawal or a week it opens nothing', async () => {
    const owner = await room.owner()
    const [first, second] = [
      await invited(owner, 'dora@example.com'),
      await invited(owner, 'dora@example.com', 'admin'),
    ]
    expect(await readLink(people, first)).toBeUndefined()
    expect((await readLink(people, second))?.role).toBe('admin')
    const [open] = await listInvitations(ctx, owner.businessId)
    expect(open).toMatchObject({ email: 'dora@example.com', role: 'admin', invited_by: owner.who.person.name })
    const id = open?.id as Uuid
    expect(await withdrawInvitation(ctx, managerOf(await room.owner()), id)).toEqual({ kind: 'not-found' })
    expect(await withdrawInvitation(ctx, managerOf(owner), id)).toEqual({ kind: 'done' })
    expect(await withdrawInvitation(ctx, managerOf(owner), id)).toEqual({ kind: 'not-found' })
    expect(await readLink(people, second)).toBeUndefined()
    const late = await invited(owner, 'late@example.com')
    ctx.clock.advance(7 * 24 * 3_600_000)
    expect(await readLink(people, late)).toBeUndefined()
    expect(await listInvitations(ctx, owner.businessId)).toEqual([])
  })

  it('is not made for a member', async () => {
    const owner = await room.owner()
    expect(await inviteUser(ctx, managerOf(owner), { email: owner.email, role: 'viewer' })).toEqual({ kind: 'already' })
  })
})

describe('a reset link', () => {
  async function linkFor(owner: Owner, person: Owner): Promise<string> {
    const made = await makeResetLink(ctx, managerOf(owner), person.id)
    if (made.kind !== 'made') throw new Error(made.kind)
    return made.link.token
  }

  it('sets a new password once, ends every sign-in, and forgets the guesses of strangers', async () => {
    const owner = await room.owner()
    const ben = await room.join(owner.businessId, 'viewer')
    const stranger = newVisit()
    for (let guess = 0; guess < 6; guess++) await room.enter(ben.email, 'not the right one', stranger)
    const token = await linkFor(owner, ben)
    expect(await readLink(people, token)).toMatchObject({ kind: 'reset', email: ben.email, hasAccount: true })
    const reset = (password: string) => resetPassword(people, newVisit(), { token, password })
    expect((await reset('short')).kind).toBe('unfit')
    const outcomes = await Promise.all([reset('another sentence'), reset('a third sentence')])
    expect(outcomes.map(({ kind }) => kind).toSorted()).toEqual(['over', 'signed-in'])
    expect(await people.signedIn(ben.token)).toBeUndefined()
    expect((await room.enter(ben.email)).kind).toBe('wrong')
    const [done] = outcomes.filter(({ kind }) => kind === 'signed-in')
    expect(done).toMatchObject({ signIn: { next: null } })
  })

  it('keeps the second factor, and asks for it', async () => {
    const owner = await room.owner()
    const ben = await room.withFactor(await room.join(owner.businessId, 'viewer'))
    const done = await resetPassword(people, newVisit(), {
      token: await linkFor(owner, ben),
      password: 'another sentence',
    })
    expect(done).toMatchObject({ kind: 'signed-in', signIn: { next: 'code' } })
  })

  async function expectOver(token: string): Promise<void> {
    expect(await readLink(people, token)).toBeUndefined()
    expect(await resetPassword(people, newVisit(), { token, password: 'another sentence' })).toEqual({ kind: 'over' })
  }

  async function staff(role: UserRole = 'finance') {
    const owner = await room.owner()
    const [admin, target] = [await room.join(owner.businessId, 'admin'), await room.join(owner.businessId, role)]
    return { owner, admin, target }
  }

  it('stops working once the person has changed the password', async () => {
    const { admin, target } = await staff()
    const token = await linkFor(admin, target)
    const given = { current: goodPassword, next: 'a sentence of their own' }
    const by = actorOf(target.who.person, newVisit())
    expect((await changePassword(people, by, newVisit(), target.who, given)).kind).toBe('changed')
    await expectOver(token)
  })

  it('is over once the role of the person changes, here or in another business, also if it changes back', async () => {
    const { owner, admin, target } = await staff()
    const up = await linkFor(admin, target)
    expect(await changeRole(ctx, managerOf(owner), target.id, 'owner')).toEqual({ kind: 'done' })
    await expectOver(up)
    expect(await changeRole(ctx, managerOf(owner), target.id, 'finance')).toEqual({ kind: 'done' })
    await expectOver(up)
    const elsewhere = await linkFor(admin, target)
    const other = await room.owner()
    const invitation = await invited(other, target.email, 'owner')
    const accepted = { token: invitation, password: goodPassword }
    expect((await acceptInvitation(people, newVisit(), undefined, accepted)).kind).toBe('signed-in')
    await expectOver(elsewhere)
  })

  it('is over once its maker is removed or gets a lower role, or the person becomes an operator', async () => {
    const { owner, admin, target } = await staff('viewer')
    const ofRemoved = await linkFor(admin, target)
    expect(await removeMember(ctx, managerOf(owner), admin.id)).toEqual({ kind: 'done' })
    await expectOver(ofRemoved)
    const second = await room.join(owner.businessId, 'admin')
    const ofOther = await linkFor(second, target)
    expect(await changeRole(ctx, managerOf(owner), second.id, 'developer')).toEqual({ kind: 'done' })
    await expectOver(ofOther)
    expect(await changeRole(ctx, managerOf(owner), second.id, 'admin')).toEqual({ kind: 'done' })
    await expectOver(ofOther)
    const ofOwner = await linkFor(owner, target)
    await makeOperator({ ...ctx, by: terminal }, target.id, true)
    await expectOver(ofOwner)
    // An operator at a terminal may always reset a password, whatever the person's role is.
    const made = await resetAtTerminal({ ...ctx, by: terminal }, target, { takesFactor: false })
    const token = made?.link.token ?? ''
    expect((await resetPassword(people, newVisit(), { token, password: 'another sentence' })).kind).toBe('signed-in')
  })

  it('is checked again after the password was hashed', async () => {
    const quick = createPasswords(quickCost)
    let meanwhile = (): Promise<void> => Promise.resolve()
    const hash: PasswordHasher['hash'] = async (password, salt) => {
      const hashed = await quick.hash(password, salt)
      await meanwhile()
      return hashed
    }
    const slow = await openRoom(database, { passwords: { ...quick, hash } })
    const { admin, target } = await staff()
    const token = await linkFor(admin, target)
    meanwhile = () => makeOperator({ ...ctx, by: terminal }, target.id, true)
    const reset = await resetPassword(slow.people, newVisit(), { token, password: 'another sentence' })
    expect(reset).toEqual({ kind: 'over' })
    expect((await room.enter(target.email)).kind).toBe('signed-in')
  })

  it('used at the moment of a promotion signs no one in with the new role', async () => {
    for (let round = 0; round < 8; round++) {
      const { owner, admin, target } = await staff()
      const token = await linkFor(admin, target)
      const [reset] = await Promise.all([
        resetPassword(people, newVisit(), { token, password: 'another sentence' }),
        changeRole(ctx, managerOf(owner), target.id, 'owner'),
      ])
      const sessionToken = reset.kind === 'signed-in' ? reset.signIn.token : 'none'
      expect(await people.signedIn(sessionToken)).toBeUndefined()
    }
  })

  it('stops working after an hour, and when another one is made', async () => {
    const owner = await room.owner()
    const ben = await room.join(owner.businessId, 'viewer')
    const [first, second] = [await linkFor(owner, ben), await linkFor(owner, ben)]
    expect(await readLink(people, first)).toBeUndefined()
    ctx.clock.advance(3_600_000)
    expect((await resetPassword(people, newVisit(), { token: second, password: 'another sentence' })).kind).toBe('over')
  })

  it('still works after a request whose e-mail was over the daily limit of its address', async () => {
    const mailing = { ...ctx, sendsMail: true }
    const { box } = people
    const owner = await room.owner()
    const ben = await room.join(owner.businessId, 'viewer')
    const request = async (): Promise<void> => {
      await requestReset(mailing, newVisit(), ben.email)
      await answerResetRequests(mailing, box)
    }
    const lettersBefore = perDayMax.reset - 1
    for (let count = 0; count < lettersBefore; count++) await makeResetLink(mailing, managerOf(owner), ben.id, box)
    ctx.clock.advance(3_600_000)
    await request()
    const [letter] = await asOwner<{ id: Uuid; token: Buffer }>(
      database,
      `select id, token from letter where recipient = '${ben.email}' order by id desc limit 1`,
    )
    const token = letter === undefined ? '' : box.open(letter.token, sealContext(letter.id))
    expect(await readLink(people, token)).toMatchObject({ kind: 'reset', email: ben.email })
    const actsBefore = await room.acts()
    await request()
    expect(await readLink(people, token)).toMatchObject({ kind: 'reset', email: ben.email })
    expect(await room.acts()).toEqual(actsBefore)
  })

  it('is mailed for the latest request of an address after all workers stood still for more than an hour', async () => {
    const mailing = { ...ctx, sendsMail: true }
    const ben = await room.owner()
    await requestReset(mailing, newVisit(), ben.email)
    ctx.clock.advance(3_600_000)
    await requestReset(mailing, newVisit(), ben.email)
    await answerResetRequests(mailing, people.box)
    const mailed = await asOwner(database, `select 1 from letter where recipient = '${ben.email}' and kind = 'reset'`)
    expect(mailed).toHaveLength(1)
  })

  it('is made at a terminal for any person, and only there removes a lost second factor', async () => {
    const here = { ...ctx, by: terminal }
    const ada = await room.withFactor(await room.owner())
    const made = await resetAtTerminal(here, ada, { takesFactor: true })
    expect(made?.hadFactor).toBe(true)
    expect(await people.signedIn(ada.token)).toBeUndefined()
    expect(await room.enter(ada.email)).toEqual({ kind: 'wrong' })
    const done = await resetPassword(people, newVisit(), {
      token: made?.link.token ?? '',
      password: 'another sentence',
    })
    expect(done).toMatchObject({ kind: 'signed-in', signIn: { next: null } })
  })
})
