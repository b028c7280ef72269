import { describe, expect, it, vi } from 'vitest'
import { removeTotpOf, renewRecoveryCodes } from '#users/factors.ts'
import { createPasswords } from '#users/passwords.ts'
import { changePassword } from '#users/profile.ts'
import { actorOf, endAllSignIns, endOneSignIn, listSignIns } from '#users/sessions.ts'
import { enterCode, signIn, stepUp } from '#users/sign-in.ts'
import { asOwner } from '#tests/support/owner.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { goodPassword, newVisit, openRoom, quickCost, type Owner } from './room.ts'

const database = await useTestDatabase()
const room = await openRoom(database)
const { ctx, people, enter, seen } = room
const hour = 3_600_000

async function signedIn(email: string, visit = newVisit(), password = goodPassword) {
  const outcome = await enter(email, password, visit)
  if (outcome.kind !== 'signed-in') throw new Error(outcome.kind)
  return outcome.signIn
}

const half = async (person: Owner, visit = newVisit()) => seen((await signedIn(person.email, visit)).token)

describe('a sign-in', () => {
  it('is complete with the right password of a person without a second factor', async () => {
    const ada = await room.owner()
    const { token, next, deviceToken } = await signedIn(ada.email)
    expect([next, token, deviceToken]).toEqual([
      null,
      expect.stringMatching(/^[\w-]{43}$/),
      expect.stringMatching(/^[\w-]{43}$/),
    ])
    expect(await people.signedIn(token)).toMatchObject({
      person: { id: ada.id, email: ada.email, hasSecondFactor: false, isOperator: false },
      level: 'full',
      steppedUpUntilMs: 0,
      roles: new Map([[ada.businessId, 'owner']]),
    })
  })

  it('is refused with a wrong password, an unknown address or a made-up token', async () => {
    const ada = await room.owner()
    expect(await enter(ada.email, 'not the right one')).toEqual({ kind: 'wrong' })
    expect(await enter('nobody@example.com')).toEqual({ kind: 'wrong' })
    expect(await people.signedIn('x'.repeat(43))).toBeUndefined()
    expect(room.refused.slice(-2)).toMatchObject([
      { reason: 'wrong-password', personId: ada.id },
      { reason: 'wrong-password' },
    ])
  })

  it('leaves no token and no password in the database', async () => {
    const ada = await room.owner()
    const { token } = await signedIn(ada.email)
    const rows = await asOwner<{ text: string }>(
      database,
      'select sign_in::text as text from sign_in union all select person::text from person',
    )
    const stored = rows.map(({ text }) => text).join('\n')
    expect(stored).toContain(ada.id)
    expect(stored).not.toContain(token)
    expect(stored).not.toContain(goodPassword)
  })

  it('ends after 12 hours without use, and after 7 days whatever its use', async () => {
    const ada = await room.owner()
    const idle = (await signedIn(ada.email)).token
    ctx.clock.advance(12 * hour - 1)
    const { token } = await signedIn(ada.email)
    expect(await people.signedIn(idle)).toBeDefined()
    ctx.clock.advance(12 * hour)
    expect(await people.signedIn(idle)).toBeUndefined()
    expect(await people.signedIn(token)).toBeUndefined()
    const busy = (await signedIn(ada.email)).token
    for (let passed = 0; passed < 7 * 24 - 6; passed += 6) {
      ctx.clock.advance(6 * hour)
      expect(await people.signedIn(busy)).toBeDefined()
    }
    ctx.clock.advance(6 * hour)
    expect(await people.signedIn(busy)).toBeUndefined()
  })

  it('updates its last use once a minute at most, and is read with one query', async () => {
    const ada = await room.owner()
    const asked = vi.spyOn(ctx.db, 'query')
    await people.signedIn(ada.token)
    expect(asked).toHaveBeenCalledTimes(1)
    ctx.clock.advance(60_000)
    await Promise.all(Array.from({ length: 5 }, () => people.signedIn(ada.token)))
    await people.signedIn(ada.token)
    const rows = await asOwner<{ seen: Date }>(
      database,
      `select seen_at as seen from sign_in where id = '${ada.who.signInId}'`,
    )
    asked.mockRestore()
    expect(rows[0]?.seen.getTime()).toBe(ctx.clock.now())
  })

  it('is listed to its person with the others, and ended by them alone', async () => {
    const [ada, ben] = [await room.owner(), await room.owner()]
    const other = await seen((await signedIn(ada.email)).token)
    const by = actorOf(ada.who.person, newVisit())
    expect((await listSignIns(ctx, ada.who)).map(({ id }) => id).toSorted()).toEqual(
      [ada.who.signInId, other.signInId].toSorted(),
    )
    expect(await endOneSignIn(ctx, by, ben.who, other.signInId)).toBe(false)
    expect(await endOneSignIn(ctx, by, ada.who, other.signInId)).toBe(true)
    expect(await endOneSignIn(ctx, by, ada.who, other.signInId)).toBe(false)
    expect(await people.signedIn(ada.token)).toBeDefined()
    await endAllSignIns(ctx, by, ada.who)
    expect(await people.signedIn(ada.token)).toBeUndefined()
    expect(await people.signedIn(ben.token)).toBeDefined()
  })
})

describe('the work for an unknown address', () => {
  it('is the work for a wrong password: as many hashes and as many statements', async () => {
    const passwords = createPasswords(quickCost)
    const matches = vi.spyOn(passwords, 'matches')
    const own = await openRoom(database, { passwords })
    const ada = await own.owner()
    const statements = async (email: string) => {
      const [plain, whole] = [vi.spyOn(own.ctx.db, 'query'), vi.spyOn(own.ctx.db, 'transaction')]
      const before = matches.mock.calls.length
      await own.enter(email, 'not the right one')
      const counts = [matches.mock.calls.length - before, plain.mock.calls.length, whole.mock.calls.length]
      plain.mockRestore()
      whole.mockRestore()
      return counts
    }
    expect(await statements(ada.email)).toEqual([1, 1, 1])
    expect(await statements('nobody.at.all@example.com')).toEqual([1, 1, 1])
  })
})

describe('a password that was hashed at a lower cost', () => {
  it('is hashed at the current cost once its person signs in', async () => {
    const ada = await room.owner()
    const stronger = await openRoom(database, { passwords: createPasswords({ memory: 16, passes: 1, parallelism: 1 }) })
    const stored = async () =>
      (await asOwner<{ password: string }>(database, `select password from person where id = '${ada.id}'`))[0]?.password
    expect(await stored()).toContain('$m=8,')
    expect((await stronger.enter(ada.email)).kind).toBe('signed-in')
    expect(await stored()).toContain('$m=16,')
    expect((await stronger.enter(ada.email)).kind).toBe('signed-in')
  })
})

describe('a second factor', () => {
  it('is due after the password: until then a sign-in is half, and ten minutes long', async () => {
    const ada = await room.withFactor(await room.owner())
    const visit = newVisit()
    const { token, next, deviceToken } = await signedIn(ada.email, visit)
    expect([next, deviceToken]).toEqual(['code', undefined])
    const waiting = await seen(token)
    expect(waiting.level).toBe('half')
    const done = await enterCode(people, visit, waiting, room.codeOf(ada.secret))
    if (done.kind !== 'signed-in') throw new Error(done.kind)
    expect(await people.signedIn(token)).toBeUndefined()
    expect(await seen(done.signIn.token)).toMatchObject({ level: 'full', steppedUpUntilMs: ctx.clock.now() + 600_000 })
    const slow = (await signedIn(ada.email)).token
    ctx.clock.advance(600_000)
    expect(await people.signedIn(slow)).toBeUndefined()
  })

  it('takes a code once, also when it comes twice at once from two places', async () => {
    const ada = await room.withFactor(await room.owner())
    const code = room.codeOf(ada.secret)
    const [one, two] = [await half(ada), await half(ada)]
    const outcomes = await Promise.all([
      enterCode(people, newVisit(), one, code),
      enterCode(people, newVisit(), two, code),
    ])
    expect(outcomes.map(({ kind }) => kind).toSorted()).toEqual(['signed-in', 'wrong'])
    expect((await enterCode(people, newVisit(), await half(ada), code)).kind).toBe('wrong')
  })

  it('does not take the code with which it was set up', async () => {
    const ada = await room.owner()
    const fresh = await room.withFactor(ada)
    ctx.clock.advance(-60_000)
    expect((await enterCode(people, newVisit(), await half(ada), room.codeOf(fresh.secret))).kind).toBe('wrong')
    ctx.clock.advance(60_000)
  })

  it('is tried five times, then the password is due again', async () => {
    const ada = await room.withFactor(await room.owner())
    const waiting = await half(ada)
    const outcomes: string[] = []
    for (let attempt = 0; attempt < 6; attempt++)
      outcomes.push((await enterCode(people, newVisit(), waiting, '000000')).kind)
    expect(outcomes).toEqual(['wrong', 'wrong', 'wrong', 'wrong', 'ended', 'ended'])
    expect((await enterCode(people, newVisit(), waiting, room.codeOf(ada.secret))).kind).toBe('ended')
    expect(room.refused.at(-1)).toMatchObject({ reason: 'wrong-code', personId: ada.id })
  })

  it('cannot be guessed by repeated sign-ins: a guesser with the password waits like one without', async () => {
    const ada = await room.withFactor(await room.owner())
    const outcomes: string[] = []
    for (let attempt = 0; attempt < 6; attempt++) outcomes.push((await enter(ada.email, goodPassword)).kind)
    expect(outcomes).toEqual([...Array.from({ length: 5 }, () => 'signed-in'), 'too-many'])
  })

  it('is replaced by a recovery code, each once', async () => {
    const ada = await room.withFactor(await room.owner())
    const [code = ''] = ada.recoveryCodes
    const [one, two] = [await half(ada), await half(ada)]
    const outcomes = await Promise.all([one, two].map((who) => enterCode(people, newVisit(), who, code.toUpperCase())))
    expect(outcomes.map(({ kind }) => kind).toSorted()).toEqual(['signed-in', 'wrong'])
    const made = await renewRecoveryCodes(people, actorOf(ada.who.person, newVisit()), ada.who)
    expect(made).toHaveLength(10)
    expect((await enterCode(people, newVisit(), await half(ada), ada.recoveryCodes[1] ?? '')).kind).toBe('wrong')
  })

  it('is sealed in the database, and set up by a person who gives the password, or gave it a moment ago', async () => {
    const ada = await room.withFactor(await room.owner())
    const [row] = await asOwner<{ secret: string }>(
      database,
      `select encode(totp_secret, 'hex') as secret from person where id = '${ada.id}'`,
    )
    expect(row?.secret).not.toContain(ada.secret.toString('hex'))
    expect(row?.secret).toMatch(/^01/)
  })

  it('ends all other sign-ins when it comes and when it goes, and gives this one a new token', async () => {
    const owner = await room.owner()
    const elsewhere = (await signedIn(owner.email)).token
    const ada = await room.withFactor(owner)
    expect(await people.signedIn(elsewhere)).toBeUndefined()
    expect(await people.signedIn(owner.token)).toBeUndefined()
    const removed = await removeTotpOf(people, actorOf(ada.who.person, newVisit()), ada.who)
    if (removed.kind !== 'removed' || removed.token === undefined) throw new Error(removed.kind)
    const { token } = removed
    expect(await people.signedIn(ada.token)).toBeUndefined()
    expect(await seen(token)).toMatchObject({ person: { hasSecondFactor: false }, steppedUpUntilMs: 0 })
    expect((await signedIn(ada.email)).next).toBeNull()
  })
})

describe('a step up', () => {
  it('lasts ten minutes, and belongs to the new token alone', async () => {
    const ada = await room.withFactor(await room.owner())
    ctx.clock.advance(600_000)
    expect((await stepUp(people, newVisit(), ada.who, '000000')).kind).toBe('wrong')
    const outcome = await stepUp(people, newVisit(), ada.who, room.codeOf(ada.secret))
    if (outcome.kind !== 'stepped-up') throw new Error(outcome.kind)
    expect(outcome.untilMs).toBe(ctx.clock.now() + 600_000)
    expect((await seen(outcome.token)).steppedUpUntilMs).toBe(outcome.untilMs)
    // A request in progress is answered as one without a step-up; soon later requests are refused.
    expect((await seen(ada.token)).steppedUpUntilMs).toBe(0)
    ctx.clock.advance(10_000)
    expect(await people.signedIn(ada.token)).toBeUndefined()
  })

  it('does not exist for a person without a second factor', async () => {
    const ada = await room.owner()
    expect(await stepUp(people, newVisit(), ada.who, '000000')).toEqual({ kind: 'no-factor' })
  })
})

describe('a new password', () => {
  it('given with the right one is no guess, also for a person with a second factor', async () => {
    const ada = await room.withFactor(await room.owner())
    const visit = newVisit(ada.deviceToken)
    const kinds: string[] = []
    for (let change = 0; change < 7; change++) {
      const given = { current: goodPassword, next: goodPassword }
      kinds.push((await changePassword(people, actorOf(ada.who.person, visit), visit, ada.who, given)).kind)
    }
    expect(new Set(kinds)).toEqual(new Set(['changed']))
  })

  it('is taken with the current one: all other sign-ins end, and this one has a new token', async () => {
    const ada = await room.owner()
    const elsewhere = (await signedIn(ada.email)).token
    const visit = newVisit()
    const by = actorOf(ada.who.person, visit)
    const change = (current: string, next: string) => changePassword(people, by, visit, ada.who, { current, next })
    expect(await change('not the right one', 'another sentence')).toEqual({ kind: 'wrong' })
    expect((await change(goodPassword, 'short')).kind).toBe('unfit')
    const changed = await change(goodPassword, 'another sentence')
    if (changed.kind !== 'changed') throw new Error(changed.kind)
    expect(await people.signedIn(elsewhere)).toBeUndefined()
    expect(await people.signedIn(ada.token)).toBeUndefined()
    expect((await seen(changed.token)).signInId).toBe(ada.who.signInId)
    expect((await enter(ada.email)).kind).toBe('wrong')
    expect((await signIn(people, newVisit(), { email: ada.email, password: 'another sentence' })).kind).toBe(
      'signed-in',
    )
  })
})
