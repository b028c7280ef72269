// The users module on a database, with passwords that are quick to hash, and helpers for its tests.

import { listAudit } from '#audit/list.ts'
import type { AuditedRefusal } from '#audit/refusals.ts'
import type { Uuid } from '#platform/ids.ts'
import { createSecretBox } from '#platform/secrets.ts'
import { createBusiness } from '#businesses/business.ts'
import { beginTotp, confirmTotpOf } from '#users/factors.ts'
import { codeAt } from '#users/factor-codes.ts'
import { acceptInvitation, inviteUser } from '#users/invitations.ts'
import { makeWelcomeLink, welcomeFirst } from '#users/links.ts'
import { createPasswords, type PasswordHasher } from '#users/passwords.ts'
import { createPeople, type People, type SignedIn, type Visit } from '#users/service.ts'
import type { UserRole } from '#users/user.ts'
import { actorOf } from '#users/sessions.ts'
import { signIn } from '#users/sign-in.ts'
import { createTestContext, type TestContext } from '#tests/support/context.ts'
import type { TestDatabase } from '#tests/support/database.ts'

export const goodPassword = 'an unlikely sentence'
export const quickCost = { memory: 8, passes: 1, parallelism: 1 }

/** Each visit is another browser in another network. */
let visitors = 0
let made = 0
export function newVisit(deviceToken?: string): Visit {
  visitors += 1
  const address = `203.${visitors >> 8}.${visitors & 255}.7`
  return { address, device: 'Firefox', requestId: `r${visitors}`, deviceToken }
}

export type Owner = { businessId: Uuid; email: string; id: Uuid; who: SignedIn; token: string; deviceToken: string }

export async function openRoom(
  database: TestDatabase,
  { passwords = createPasswords(quickCost) }: { passwords?: PasswordHasher } = {},
) {
  const ctx: TestContext = createTestContext(database.connect())
  const refused: AuditedRefusal[] = []
  const box = createSecretBox(Buffer.alloc(32, 5))
  const people: People = createPeople(ctx, { box, passwords, refusals: { note: (one) => void refused.push(one) } })

  async function seen(token: string): Promise<SignedIn> {
    const who = await people.signedIn(token)
    if (who === undefined) throw new Error('nobody is signed in with this token')
    return who
  }

  /** Adds another person to a business, as a link from a terminal does. */
  async function join(businessId: Uuid, role: UserRole): Promise<Owner> {
    made += 1
    const email = `person${made}@example.com`
    const by = { kind: 'terminal', name: 'ada@lagos' } as const
    const invited = await inviteUser(ctx, { businessId, by, personId: null }, { email, role })
    if (invited.kind !== 'invited') throw new Error(invited.kind)
    const given = { token: invited.token, name: `Person ${made}`, password: goodPassword }
    const accepted = await acceptInvitation(people, newVisit(), undefined, given)
    if (accepted.kind !== 'signed-in') throw new Error(accepted.kind)
    const { token, deviceToken = '' } = accepted.signIn
    const who = await seen(token)
    return { businessId, email, id: who.person.id, who, token, deviceToken }
  }

  return {
    ctx,
    people,
    refused,
    seen,
    join,
    newBusiness: async (): Promise<Uuid> => (await createBusiness(ctx, 'A Business')).id,
    async owner(): Promise<Owner> {
      return join((await createBusiness(ctx, 'A Business')).id, 'owner')
    },
    async withFactor(person: Owner): Promise<Owner & { secret: Buffer; recoveryCodes: string[] }> {
      const visit = newVisit()
      const begun = await beginTotp(people, visit, person.who, goodPassword)
      if (begun.kind !== 'begun') throw new Error(begun.kind)
      const secret = bytesOf(begun.secret)
      const code = codeAt(secret, Math.floor(ctx.clock.now() / 30_000))
      const confirmed = await confirmTotpOf(people, actorOf(person.who.person, visit), person.who, code)
      if (confirmed.kind !== 'confirmed') throw new Error(confirmed.kind)
      ctx.clock.advance(60_000) // The code just used is over.
      const { token, recoveryCodes } = confirmed
      return { ...person, secret, recoveryCodes, token, who: await seen(token) }
    },
    codeOf: (secret: Buffer): string => codeAt(secret, Math.floor(ctx.clock.now() / 30_000)),
    async welcome(): Promise<{ token: string } | undefined> {
      const link = await makeWelcomeLink(ctx)
      if (link === undefined) return undefined
      const given = { token: link, name: 'Ada Obi', email: 'ada@example.com', password: goodPassword }
      const outcome = await welcomeFirst(people, newVisit(), given)
      return outcome.kind === 'signed-in' ? outcome.signIn : undefined
    },
    enter: (email: string, password = goodPassword, visit = newVisit()) => signIn(people, visit, { email, password }),
    async acts(): Promise<string[]> {
      return (await listAudit(ctx, { sinceMs: 0, limit: 100 })).map(({ act }) => act)
    },
  }
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Decodes the text as an authenticator app does. */
export function bytesOf(base32: string): Buffer {
  const bits = Array.from(base32, (letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}
