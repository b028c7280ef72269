import { describe, expect, it } from 'vitest'
import { listPeople, resetAtTerminal } from '#users/members.ts'
import { removeTotpOf, renewRecoveryCodes } from '#users/factors.ts'
import {
  addPasskey,
  beginPasskey,
  beginPasskeyConfirmation,
  beginPasskeySignIn,
  enterPasskey,
  listPasskeys,
  removePasskey,
  renamePasskey,
  signInWithPasskey,
  stepUpWithPasskey,
} from '#users/passkeys.ts'
import type { SignedIn } from '#users/service.ts'
import { actorOf } from '#users/sessions.ts'
import { enterCode } from '#users/sign-in.ts'
import { changeSettings } from '#businesses/settings.ts'
import { asOwner } from '#tests/support/owner.ts'
import { createAuthenticator, type Credential, type Flaw } from '#tests/support/authenticator.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { goodPassword, newVisit, openRoom, type Owner } from './room.ts'

const database = await useTestDatabase()
const room = await openRoom(database)
const { ctx, people, seen, enter } = room
const site = { origin: 'http://localhost:4000' }
const phone = createAuthenticator(site.origin)
const by = (who: SignedIn) => actorOf(who.person, newVisit())

async function begin(who: SignedIn, password?: string) {
  const begun = await beginPasskey(people, newVisit(), who, { password, site })
  if (begun.kind !== 'begun') throw new Error(begun.kind)
  return begun.options
}

type Holder = Owner & { credential: Credential; recoveryCodes: string[] | null }

async function withPasskey(person: Owner, name = 'Phone'): Promise<Holder> {
  const { credential, answer } = phone.create(await begin(person.who))
  const added = await addPasskey(people, by(person.who), person.who, { name, response: answer, site })
  if (added.kind !== 'added') throw new Error(added.kind)
  const { token = person.token, recoveryCodes } = added
  return { ...person, credential, recoveryCodes, token, who: await seen(token) }
}

async function signInWith({ credential }: Pick<Holder, 'credential'>, flaw: Flaw = {}) {
  const { attempt, options } = await beginPasskeySignIn(people, site)
  return signInWithPasskey(people, newVisit(), { attempt, response: phone.get(credential, options, flaw), site })
}

async function confirmation(who: SignedIn) {
  const options = await beginPasskeyConfirmation(people, who, site)
  if (options === undefined) throw new Error('no passkey')
  return options
}

async function half({ email }: Owner): Promise<SignedIn> {
  const outcome = await enter(email)
  if (outcome.kind !== 'signed-in') throw new Error(outcome.kind)
  return seen(outcome.signIn.token)
}

describe('a passkey', () => {
  it('is a second factor: it ends other sign-ins, brings recovery codes, and is asked for after the password', async () => {
    const owner = await room.owner()
    const elsewhere = await enter(owner.email)
    const ada = await withPasskey(owner)
    expect(ada.recoveryCodes).toHaveLength(10)
    expect(ada.who).toMatchObject({ person: { hasSecondFactor: true, hasApp: false } })
    expect(await people.signedIn(elsewhere.kind === 'signed-in' ? elsewhere.signIn.token : '')).toBeUndefined()
    const who = await half(ada)
    expect(who.level).toBe('half')
    const response = phone.get(ada.credential, await confirmation(who))
    const outcome = await enterPasskey(people, newVisit(), who, { response, site })
    expect(outcome.kind === 'signed-in' && (await seen(outcome.signIn.token)).level).toBe('full')
  })

  it('is the whole sign-in, with the second factor just checked', async () => {
    const ada = await withPasskey(await room.owner())
    const outcome = await signInWith(ada)
    if (outcome.kind !== 'signed-in') throw new Error(outcome.kind)
    const who = await seen(outcome.signIn.token)
    expect(who).toMatchObject({ person: { id: ada.id }, level: 'full' })
    expect(who.steppedUpUntilMs).toBe(ctx.clock.now() + 600_000)
    expect(outcome.signIn.deviceToken).toMatch(/^[\w-]{43}$/)
    expect(await room.acts()).toContain('sign-in.made')
    const [{ last_used_at } = { last_used_at: null }] = await listPasskeys(people, who)
    expect(last_used_at?.getTime()).toBe(ctx.clock.now())
  })

  it('lets its person in while strangers keep the password locked', async () => {
    const ada = await withPasskey(await room.owner())
    for (let guess = 0; guess < 6; guess++) await enter(ada.email, 'not the right one')
    expect((await enter(ada.email)).kind).toBe('too-many')
    expect((await signInWith(ada)).kind).toBe('signed-in')
    // The lock stays: a sign-in of the person gives strangers no new guesses.
    expect((await enter(ada.email)).kind).toBe('too-many')
  })

  it.each<[string, Flaw]>([
    ['of another origin', { origin: 'https://evil.example' }],
    ['for another relying party', { rpId: 'evil.example' }],
    ['without a verified user', { isVerified: false }],
    ['of another kind', { type: 'webauthn.create' }],
    ['with a wrong signature', { signature: Buffer.alloc(70, 1) }],
  ])('is refused %s, and the challenge is used up', async (_, flaw) => {
    const ada = await withPasskey(await room.owner())
    const { attempt, options } = await beginPasskeySignIn(people, site)
    const answered = (flawed: Flaw) =>
      signInWithPasskey(people, newVisit(), { attempt, response: phone.get(ada.credential, options, flawed), site })
    expect(await answered(flaw)).toEqual({ kind: 'wrong' })
    expect(room.refused.at(-1)).toMatchObject({ reason: 'wrong-passkey' })
    expect(await answered({})).toEqual({ kind: 'over' })
  })

  it('is refused if its counter did not go up, because there is a copy of it', async () => {
    const ada = await withPasskey(await room.owner())
    expect((await signInWith(ada, { count: 7 })).kind).toBe('signed-in')
    for (const count of [7, 6, 0]) expect(await signInWith(ada, { count })).toEqual({ kind: 'wrong' })
    expect(room.refused.at(-1)).toMatchObject({ reason: 'copied-passkey', personId: ada.id })
    expect((await signInWith(ada, { count: 8 })).kind).toBe('signed-in')
  })

  it('whose counter is always 0 is accepted each time', async () => {
    const ada = await withPasskey(await room.owner())
    for (const _ of [1, 2]) expect((await signInWith(ada, { count: 0 })).kind).toBe('signed-in')
  })
})

describe('a challenge', () => {
  it('is good for one answer, for five minutes, from the browser that asked, for what it was asked', async () => {
    const ada = await withPasskey(await room.owner())
    const { attempt, options } = await beginPasskeySignIn(people, site)
    const given = { attempt, response: phone.get(ada.credential, options), site }
    const other = await beginPasskeySignIn(people, site)
    expect(await signInWithPasskey(people, newVisit(), { ...given, attempt: other.attempt })).toEqual({ kind: 'over' })
    const who = await half(ada)
    expect(await enterPasskey(people, newVisit(), who, given)).toEqual({ kind: 'over' })
    const twice = [1, 2].map(() => signInWithPasskey(people, newVisit(), given))
    expect((await Promise.all(twice)).map(({ kind }) => kind).toSorted()).toEqual(['over', 'signed-in'])
    const late = await beginPasskeySignIn(people, site)
    ctx.clock.advance(5 * 60_000)
    const response = phone.get(ada.credential, late.options)
    expect(await signInWithPasskey(people, newVisit(), { attempt: late.attempt, response, site })).toEqual({
      kind: 'over',
    })
    const made = phone.get(ada.credential, { challenge: 'A'.repeat(43), rpId: 'localhost' })
    expect(await signInWithPasskey(people, newVisit(), { attempt, response: made, site })).toEqual({ kind: 'over' })
  })

  it('leaves no expired rows behind', async () => {
    for (let asked = 0; asked < 30; asked++) await beginPasskeySignIn(people, site)
    ctx.clock.advance(5 * 60_000)
    for (let asked = 0; asked < 5; asked++) await beginPasskeySignIn(people, site)
    const [row] = await asOwner<{ count: number }>(database, 'select count(*)::int as count from passkey_challenge')
    expect(row?.count).toBe(5)
  })
})

describe('a step-up', () => {
  it('is done with a passkey of one’s own, and with no other', async () => {
    const [ada, ben] = [await withPasskey(await room.owner()), await withPasskey(await room.owner())]
    ctx.clock.advance(600_000)
    const wrong = phone.get(ben.credential, await confirmation(ada.who))
    expect(await stepUpWithPasskey(people, newVisit(), ada.who, { response: wrong, site })).toEqual({ kind: 'wrong' })
    const response = phone.get(ada.credential, await confirmation(ada.who))
    const outcome = await stepUpWithPasskey(people, newVisit(), ada.who, { response, site })
    if (outcome.kind !== 'stepped-up') throw new Error(outcome.kind)
    expect((await seen(outcome.token)).steppedUpUntilMs).toBe(ctx.clock.now() + 600_000)
  })
})

describe('adding a passkey', () => {
  it('asks for the password unless it was given a moment ago', async () => {
    const ada = await room.owner()
    ctx.clock.advance(600_000)
    const late = await beginPasskey(people, newVisit(), ada.who, { password: undefined, site })
    expect(late).toEqual({ kind: 'password-needed' })
    expect(await begin(ada.who, goodPassword)).toMatchObject({
      rp: { id: 'localhost' },
      user: { name: ada.email },
      attestation: 'none',
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    })
  })

  it.each<[string, Flaw]>([
    ['another origin', { origin: 'https://evil.example' }],
    ['another relying party', { rpId: 'evil.example' }],
    ['no verified user', { isVerified: false }],
    ['another kind of answer', { type: 'webauthn.get' }],
  ])('is refused with %s', async (_, flaw) => {
    const ada = await room.owner()
    const { answer: response } = phone.create(await begin(ada.who), flaw)
    expect(await addPasskey(people, by(ada.who), ada.who, { name: 'Phone', response, site })).toEqual({ kind: 'wrong' })
    expect((await seen(ada.token)).person.hasSecondFactor).toBe(false)
  })

  it('is refused with bytes that are no passkey, and with the challenge of another sign-in', async () => {
    const [ada, ben] = [await room.owner(), await room.owner()]
    const { answer } = phone.create(await begin(ada.who))
    const broken = { ...answer, response: { ...answer.response, attestationObject: 'oWNmbXQ' } }
    const add = (who: SignedIn, response: typeof answer) =>
      addPasskey(people, by(who), who, { name: 'Phone', response, site })
    expect(await add(ben.who, answer)).toEqual({ kind: 'over' })
    expect(await add(ada.who, broken)).toEqual({ kind: 'wrong' })
    expect(await add(ada.who, answer)).toEqual({ kind: 'over' })
  })

  it('is possible several times, and no account takes a passkey of another', async () => {
    const ada = await withPasskey(await withPasskey(await room.owner()), 'Key in the safe')
    expect(ada.recoveryCodes).toBeNull()
    expect((await listPasskeys(people, ada.who)).map(({ name }) => name)).toEqual(['Phone', 'Key in the safe'])
    expect((await begin(ada.who)).excludeCredentials).toHaveLength(2)
    const ben = await room.owner()
    const [options, challenge] = [await begin(ben.who), await begin(ada.who)]
    const { answer: first } = phone.create(challenge)
    await addPasskey(people, by(ada.who), ada.who, { name: 'Third', response: first, site })
    const response = { ...first, response: { ...first.response, clientDataJSON: clientDataOf(options.challenge) } }
    expect(await addPasskey(people, by(ben.who), ben.who, { name: 'Mine', response, site })).toEqual({
      kind: 'already',
    })
  })
})

function clientDataOf(challenge: string): string {
  const data = { type: 'webauthn.create', challenge, origin: site.origin, crossOrigin: false }
  return Buffer.from(JSON.stringify(data)).toString('base64url')
}

it('a passkey is renamed by its person alone', async () => {
  const [ada, ben] = [await withPasskey(await room.owner()), await withPasskey(await room.owner())]
  const [passkey] = await listPasskeys(people, ada.who)
  if (passkey === undefined) throw new Error('no passkey')
  expect(await renamePasskey(people, by(ben.who), ben.who, passkey.id, 'Mine')).toBe(false)
  expect(await renamePasskey(people, by(ada.who), ada.who, passkey.id, 'Work laptop')).toBe(true)
  expect(await listPasskeys(people, ada.who)).toMatchObject([{ name: 'Work laptop' }])
  expect(await room.acts()).toContain('person.passkey-renamed')
})

describe('removing a passkey', () => {
  it('leaves the others; with the last one go the recovery codes', async () => {
    const ada = await withPasskey(await withPasskey(await room.owner()), 'Second')
    const [first, second] = await listPasskeys(people, ada.who)
    if (first === undefined || second === undefined) throw new Error('no passkeys')
    expect(await removePasskey(people, by(ada.who), ada.who, first.id)).toEqual({ kind: 'removed', token: undefined })
    expect(await removePasskey(people, by(ada.who), ada.who, first.id)).toEqual({ kind: 'not-found' })
    expect((await signInWith(ada)).kind).toBe('signed-in')
    const last = await removePasskey(people, by(ada.who), ada.who, second.id)
    if (last.kind !== 'removed') throw new Error(last.kind)
    const who = await seen(last.token ?? '')
    expect(who).toMatchObject({ person: { hasSecondFactor: false }, steppedUpUntilMs: 0 })
    expect(await renewRecoveryCodes(people, by(who), who)).toBeUndefined()
    expect(await signInWith(ada)).toEqual({ kind: 'wrong' })
    expect((await enter(ada.email)).kind === 'signed-in' && (await half(ada)).level).toBe('full')
    expect((await room.acts()).filter((act) => act === 'person.factor-removed').length).toBeGreaterThanOrEqual(2)
  })

  it('is refused for the last second factor while a role requires one', async () => {
    const owner = await room.withFactor(await room.owner())
    const ada = await withPasskey(owner)
    const { businessId } = ada
    await changeSettings(ctx, businessId, { compulsoryFactorRoles: ['owner'] })
    const [passkey] = await listPasskeys(people, ada.who)
    expect((await removeTotpOf(people, by(ada.who), ada.who)).kind).toBe('removed')
    expect(await removePasskey(people, by(ada.who), ada.who, passkey?.id ?? ada.id)).toEqual({
      kind: 'compulsory',
      businessName: 'A Business',
    })
    await changeSettings(ctx, businessId, { compulsoryFactorRoles: ['viewer'] })
    expect((await removePasskey(people, by(ada.who), ada.who, passkey?.id ?? ada.id)).kind).toBe('removed')
  })
})

describe('a person who lost their passkeys', () => {
  it('gets in with a recovery code, and with a reset at the terminal that takes the passkeys', async () => {
    const ada = await withPasskey(await room.owner())
    const outcome = await enterCode(people, newVisit(), await half(ada), ada.recoveryCodes?.[0] ?? '')
    expect(outcome.kind).toBe('signed-in')
    expect((await enterCode(people, newVisit(), await half(ada), '123456')).kind).toBe('wrong')
    expect((await listPeople(ctx, ada.businessId))[0]).toMatchObject({ has_second_factor: true })
    const reset = await resetAtTerminal(ctx, { id: ada.id, email: ada.email }, { takesFactor: true })
    expect(reset?.hadFactor).toBe(true)
    expect((await listPeople(ctx, ada.businessId))[0]).toMatchObject({ has_second_factor: false })
    expect(await signInWith(ada)).toEqual({ kind: 'wrong' })
  })
})
