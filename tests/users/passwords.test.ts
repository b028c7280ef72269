import { describe, expect, it } from 'vitest'
import { Unavailable } from '#platform/errors.ts'
import common from '#users/data/common-passwords.json' with { type: 'json' }
import { createPasswords, faultOfPassword, type Requester, type PasswordHasher } from '#users/passwords.ts'
import { goodPassword, quickCost } from './room.ts'

const salt = Buffer.alloc(16, 1)

const passwords = createPasswords(quickCost)

describe('a stored password', () => {
  it('matches what it was made of, however a keyboard composes it, and nothing else', async () => {
    const stored = await passwords.hash('caf\u00e9 au lait 2026', salt)
    expect(stored).toMatch(/^\$argon2id\$v=19\$m=8,t=1,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
    expect(await passwords.matches([stored], 'cafe\u0301 au lait 2026')).toBe(stored)
    expect(await passwords.matches([stored], 'cafe au lait 2026')).toBeUndefined()
    expect(await passwords.hash('caf\u00e9 au lait 2026', Buffer.alloc(16, 2))).not.toBe(stored)
  })

  it('equals the hash of the reference implementation', async () => {
    // Made by the reference implementation: echo -n password | argon2 somesalt -id -t 2 -k 65536 -p 1 -l 32
    const reference = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc'
    expect(await passwords.matches([reference], 'password')).toBe(reference)
  })

  it('is outdated if it was hashed at less than the current cost', async () => {
    const stronger = createPasswords({ memory: 16, passes: 2, parallelism: 1 })
    const stored = await passwords.hash(goodPassword, salt)
    expect(passwords.isOutdated(stored)).toBe(false)
    expect(stronger.isOutdated(stored)).toBe(true)
    const raised = await stronger.hash(goodPassword, salt)
    expect(await stronger.matches([raised, stored], goodPassword)).toBe(raised)
    expect(await stronger.matches([stored], goodPassword)).toBe(stored)
    expect(passwords.isOutdated(raised)).toBe(false)
  })

  it('matches nothing if the list is empty', async () => {
    expect(await passwords.matches([], goodPassword)).toBeUndefined()
  })
})

describe('a turn', () => {
  const ask = (own: PasswordHasher, asker: Requester, count: number, work: () => Promise<unknown>) =>
    Promise.allSettled(Array.from({ length: count }, () => own.inTurn(asker, work)))

  it.each(['known', 'stranger'] as const)(
    'of the %s is one at a time, fifty wait, others come again',
    async (asker) => {
      let [underWay, most] = [0, 0]
      const ended = await ask(createPasswords(quickCost), asker, 60, async () => {
        underWay += 1
        most = Math.max(most, underWay)
        await loopTurn()
        underWay -= 1
      })
      const refused = ended.filter(({ status }) => status === 'rejected')
      expect(refused).toHaveLength(9)
      expect(refused.every((one) => one.status === 'rejected' && one.reason instanceof Unavailable)).toBe(true)
      expect(most).toBe(1)
    },
  )

  it('of a known person waits for no stranger', async () => {
    const own = createPasswords(quickCost)
    let release = (): void => undefined
    const flood = ask(own, 'stranger', 60, () => new Promise<void>((resolve) => (release = resolve)))
    expect(await own.inTurn('known', async () => 'in')).toBe('in')
    const stored = await own.hash(goodPassword, salt)
    expect(await own.matches([stored], goodPassword)).toBe(stored)
    const ended = flood.then((all) => all.length)
    await drain(() => release(), ended)
    expect(await ended).toBe(60)
  })
})

const loopTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

/** Releases the current turn again and again, until all have had theirs. */
async function drain(release: () => void, ended: Promise<unknown>): Promise<void> {
  let over = false
  void ended.then(() => (over = true))
  while (!over) {
    release()
    await loopTurn()
  }
}

describe('a password to choose', () => {
  it.each([
    ['x'.repeat(11), 'A password has at least 12 characters.'],
    ['\u{1F511}'.repeat(11), 'A password has at least 12 characters.'],
    ['x'.repeat(201), 'A password has at most 200 characters.'],
    ['QWERTY123456', 'Too many people have this password. Choose another one.'],
  ])('is not %s', (unfit, sentence) => {
    expect(faultOfPassword(unfit)).toBe(sentence)
  })

  it('may be any other text', () => {
    expect([goodPassword, 'x'.repeat(12), 'x'.repeat(200)].map(faultOfPassword)).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })

  it('is compared with a list that holds none which is too short, and each once', () => {
    expect(common.filter((one) => Array.from(one).length < 12 || one !== one.normalize('NFKC').toLowerCase())).toEqual(
      [],
    )
    expect(new Set(common).size).toBe(common.length)
  })
})
