import { describe, expect, it } from 'vitest'
import { listAudit } from '#audit/list.ts'
import { verifyAudit } from '#audit/verify.ts'
import { formatId } from '#platform/ids.ts'
import { acceptInvitation, inviteUser } from '#users/invitations.ts'
import { readLink } from '#users/links.ts'
import { changeRole, makeResetLink, listPeople, makeOperator, removeMember } from '#users/members.ts'
import { mayManage, parseEmail, parseName, roles, type UserRole } from '#users/user.ts'
import { actorOf } from '#users/sessions.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { newVisit, openRoom, type Owner } from './room.ts'

const database = await useTestDatabase()
const room = await openRoom(database)
const { ctx, people } = room
const managerOf = (one: Owner) => ({
  businessId: one.businessId,
  by: actorOf(one.who.person, newVisit()),
  personId: one.id,
})
const atTerminal = (businessId: Owner['businessId']) => ({
  businessId,
  by: { kind: 'terminal', name: 'ada@lagos' } as const,
  personId: null,
})
const others = roles.filter((role) => role !== 'owner' && role !== 'admin')

describe('the rights to manage members', () => {
  it('an owner manages everyone, an admin those who are neither owner nor admin, and no one else anyone', () => {
    const managed = (actor: UserRole) => roles.filter((role) => mayManage(actor, role))
    expect(roles.map(managed)).toEqual([[...roles], others, [], [], [], []])
  })

  it('is judged when it is done: an admin neither invites, raises nor removes owners and admins', async () => {
    const owner = await room.owner()
    const [admin, other, viewer] = [
      await room.join(owner.businessId, 'admin'),
      await room.join(owner.businessId, 'admin'),
      await room.join(owner.businessId, 'viewer'),
    ]
    const by = managerOf(admin)
    const kinds = await Promise.all([
      inviteUser(ctx, by, { email: 'x@example.com', role: 'admin' }),
      inviteUser(ctx, by, { email: 'x@example.com', role: 'owner' }),
      changeRole(ctx, by, viewer.id, 'admin'),
      changeRole(ctx, by, other.id, 'viewer'),
      removeMember(ctx, by, owner.id),
      removeMember(ctx, by, other.id),
      makeResetLink(ctx, by, other.id),
      inviteUser(ctx, managerOf(viewer), { email: 'x@example.com', role: 'viewer' }),
    ])
    expect(kinds.map(({ kind }) => kind)).toEqual(kinds.map(() => 'not-allowed'))
    expect((await changeRole(ctx, by, viewer.id, 'finance')).kind).toBe('done')
    expect((await removeMember(ctx, by, viewer.id)).kind).toBe('done')
    expect((await removeMember(ctx, by, viewer.id)).kind).toBe('not-found')
  })

  it('no one manages people of another business', async () => {
    const [owner, stranger] = [await room.owner(), await room.owner()]
    const viewer = await room.join(owner.businessId, 'viewer')
    const from = { ...managerOf(stranger), businessId: owner.businessId }
    expect((await removeMember(ctx, from, viewer.id)).kind).toBe('not-allowed')
    expect((await makeResetLink(ctx, from, viewer.id)).kind).toBe('not-allowed')
    expect((await removeMember(ctx, managerOf(stranger), viewer.id)).kind).toBe('not-found')
  })

  it('no one manages themselves', async () => {
    const owner = await room.owner()
    expect((await changeRole(ctx, managerOf(owner), owner.id, 'admin')).kind).toBe('yourself')
    expect((await removeMember(ctx, managerOf(owner), owner.id)).kind).toBe('yourself')
    expect((await makeResetLink(ctx, managerOf(owner), owner.id)).kind).toBe('not-allowed')
  })
})

describe('at least one owner stays', () => {
  it('when two remove each other at once', async () => {
    for (let round = 0; round < 5; round++) {
      const ada = await room.owner()
      const ben = await room.join(ada.businessId, 'owner')
      const outcomes = await Promise.all([
        removeMember(ctx, managerOf(ada), ben.id),
        removeMember(ctx, managerOf(ben), ada.id),
      ])
      expect(outcomes.map(({ kind }) => kind).toSorted()).toEqual(['done', 'not-allowed'])
      expect((await listPeople(ctx, ada.businessId)).map(({ role }) => role)).toEqual(['owner'])
    }
  })

  it('when two are removed, or lowered, at once from terminals', async () => {
    const ada = await room.owner()
    const ben = await room.join(ada.businessId, 'owner')
    const outcomes = await Promise.all([
      removeMember(ctx, atTerminal(ada.businessId), ben.id),
      changeRole(ctx, atTerminal(ada.businessId), ada.id, 'viewer'),
    ])
    expect(outcomes.map(({ kind }) => kind).toSorted()).toEqual(['done', 'last-owner'])
  })
})

describe('a changed role, or a removal', () => {
  it('takes effect at once: the person is signed out everywhere, and their invitations end', async () => {
    const owner = await room.owner()
    const admin = await room.join(owner.businessId, 'admin')
    const invited = await inviteUser(ctx, managerOf(admin), { email: 'friend@example.com', role: 'viewer' })
    const link = invited.kind === 'invited' ? invited.token : ''
    expect(await readLink(people, link)).toBeDefined()
    expect((await changeRole(ctx, managerOf(owner), admin.id, 'viewer')).kind).toBe('done')
    expect(await people.signedIn(admin.token)).toBeUndefined()
    expect(await readLink(people, link)).toBeUndefined()
    const again = await room.enter(admin.email)
    const { token } = again.kind === 'signed-in' ? again.signIn : { token: '' }
    expect([...(await room.seen(token)).roles]).toEqual([[owner.businessId, 'viewer']])
    await removeMember(ctx, managerOf(owner), admin.id)
    expect(await people.signedIn(token)).toBeUndefined()
  })
})

describe('a reset link', () => {
  it('is not a way into another business, where its person has more rights than the maker of the link', async () => {
    const [owner, elsewhere] = [await room.owner(), await room.owner()]
    const invited = await inviteUser(ctx, managerOf(owner), { email: elsewhere.email, role: 'viewer' })
    await acceptInvitation(people, newVisit(), elsewhere.who, {
      token: invited.kind === 'invited' ? invited.token : '',
    })
    expect((await makeResetLink(ctx, managerOf(owner), elsewhere.id)).kind).toBe('not-allowed')
  })

  it('is not made for an operator, nor by an owner for another one', async () => {
    const owner = await room.owner()
    const [viewer, equal] = [await room.join(owner.businessId, 'viewer'), await room.join(owner.businessId, 'owner')]
    expect((await makeResetLink(ctx, managerOf(owner), equal.id)).kind).toBe('not-allowed')
    expect((await makeResetLink(ctx, managerOf(owner), viewer.id)).kind).toBe('made')
    await makeOperator(ctx, viewer.id, true)
    expect((await makeResetLink(ctx, managerOf(owner), viewer.id)).kind).toBe('not-allowed')
  })
})

describe('the audit log', () => {
  it('names the actor, the role, the place and the business, and its chain is whole', async () => {
    const owner = await room.owner()
    const viewer = await room.join(owner.businessId, 'viewer')
    const visit = newVisit()
    const actor = actorOf(owner.who.person, visit)
    const by = { ...actor, person: { ...actor.person, role: 'owner' } as typeof actor.person }
    await changeRole(ctx, { ...managerOf(owner), by }, viewer.id, 'support')
    const [latest] = await listAudit(ctx, { sinceMs: 0, limit: 1, businessId: owner.businessId })
    expect(latest).toMatchObject({
      act: 'person.role-changed',
      actorKind: 'person',
      actor: owner.email,
      address: visit.address,
      businessId: owner.businessId,
      environment: null,
      subject: formatId('person', viewer.id),
      details: { before: 'viewer', after: 'support' },
      personId: owner.id,
      role: 'owner',
      device: 'Firefox',
      requestId: visit.requestId,
      outcome: 'done',
    })
    expect((await verifyAudit(ctx)).fault).toBeUndefined()
  })
})

describe('an e-mail address and a name', () => {
  it('have one way of being written', () => {
    expect([' Ada@Example.COM ', 'ＡＤＡ@example.com'].map(parseEmail)).toEqual(['ada@example.com', 'ada@example.com'])
    expect(
      [
        '',
        'ada',
        'ada@',
        '@example.com',
        'a b@example.com',
        'a@b@example.com',
        'ada@example',
        'a\0@example.com',
        `${'a'.repeat(200)}@example.com`,
      ].map(parseEmail),
    ).toEqual(Array.from({ length: 9 }))
    expect([parseName('  Ada Obi '), parseName(' '), parseName('a\u202Eb'), parseName('x'.repeat(101))]).toEqual([
      'Ada Obi',
      undefined,
      undefined,
      undefined,
    ])
  })
})
