// The service deletes sign-ins that have ended and invitations that have expired, also if the user never comes back.

import { expect, it } from 'vitest'
import { inviteUser } from '#users/invitations.ts'
import { forgetInvitations } from '#users/links.ts'
import { actorOf, forgetSignIns } from '#users/sessions.ts'
import { asOwner } from '#tests/support/owner.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { goodPassword, newVisit, openRoom, type Owner } from './room.ts'

const database = await useTestDatabase()
const room = await openRoom(database)
const { ctx, people, enter, seen } = room
const hour = 3_600_000

async function signedIn(email: string) {
  const outcome = await enter(email, goodPassword, newVisit())
  if (outcome.kind !== 'signed-in') throw new Error(outcome.kind)
  return outcome.signIn
}

it('an ended sign-in is deleted with its device and address, also if the user never comes back', async () => {
  const [ada, bola] = [await room.owner(), await room.owner()]
  const [{ token }] = [await signedIn(ada.email), await signedIn(bola.email)]
  const rowsOf = async ({ id }: Owner) =>
    (await asOwner(database, `select 1 from sign_in where person_id = '${id}'`)).length
  ctx.clock.advance(11 * hour)
  await seen(token)
  ctx.clock.advance(2 * hour)
  for (let more = await forgetSignIns(ctx, 1); more > 0; more = await forgetSignIns(ctx, 1)) expect(more).toBe(1)
  expect([await rowsOf(ada), await rowsOf(bola)]).toEqual([1, 0])
  expect(await people.signedIn(token)).toBeDefined()
})

it('an expired invitation is deleted with its address, and not before', async () => {
  const owner = await room.owner()
  const by = { businessId: owner.businessId, personId: owner.id, by: actorOf(owner.who.person, newVisit()) }
  const left = async () => (await asOwner(database, 'select 1 from invitation')).length
  await inviteUser(ctx, by, { email: 'never@example.com', role: 'viewer' })
  ctx.clock.advance(6 * 24 * hour)
  expect(await forgetInvitations(ctx, 10)).toBe(0)
  await inviteUser(ctx, by, { email: 'later@example.com', role: 'viewer' })
  ctx.clock.advance(25 * hour)
  expect(await forgetInvitations(ctx, 10)).toBe(1)
  expect(await left()).toBe(1)
})
