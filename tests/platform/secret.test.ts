import { fork } from 'node:child_process'
import { once } from 'node:events'
import { chmod, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { OperatorError } from '#platform/errors.ts'
import {
  constantTimeEqual,
  createSecretBox,
  loadSecretKeys,
  parseSecretKey,
  randomBase62,
  sha256,
} from '#platform/secrets.ts'
import { newFolder } from '#tests/support/run.ts'

const anyText = fc.string({ unit: 'grapheme', maxLength: 200 })

describe('secret box', () => {
  const box = createSecretBox(randomBytes(32))

  test('opens what it sealed, for any text and context', () => {
    fc.assert(
      fc.property(anyText, anyText, (plain, context) => {
        expect(box.open(box.seal(plain, context), context)).toBe(plain)
      }),
    )
  })

  test('does not open a value under another context', () => {
    fc.assert(
      fc.property(anyText, anyText, anyText, (plain, context, other) => {
        fc.pre(context !== other)
        const sealed = box.seal(plain, context)
        expect(() => box.open(sealed, other)).toThrow('does not open')
      }),
    )
  })

  test('does not open a value in which any single bit was changed', () => {
    const sealed = box.seal('whsec_example', 'row:1')
    for (let bit = 0; bit < sealed.length * 8; bit++) {
      const changed = Buffer.from(sealed)
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      expect(() => box.open(changed, 'row:1'), `bit ${bit}`).toThrow()
    }
  })

  test('does not open a value that was cut short, at any length', () => {
    const sealed = box.seal('whsec_example', 'row:1')
    for (let length = 0; length < sealed.length; length++) {
      expect(() => box.open(sealed.subarray(0, length), 'row:1'), `length ${length}`).toThrow('does not open')
    }
  })

  test('tells an operator that another key sealed the value', () => {
    const sealed = createSecretBox(randomBytes(32)).seal('whsec_example', 'row:1')
    expect(() => box.open(sealed, 'row:1')).toThrow(OperatorError)
    expect(() => box.open(sealed, 'row:1')).toThrow(/another SECRET_KEY/)
  })

  test('seals the same text differently each time and shows nothing of it', () => {
    const first = box.seal('whsec_example', 'row:1')
    const second = box.seal('whsec_example', 'row:1')
    expect(first.equals(second)).toBe(false)
    expect(first.includes('whsec')).toBe(false)
    expect(first.length).toBe(1 + 4 + 12 + 'whsec_example'.length + 16)
  })

  test('is stable: a value sealed by the first release still opens', () => {
    const fixed = createSecretBox(Buffer.alloc(32, 7))
    const sealed = Buffer.from(fixedVector, 'hex')
    expect(fixed.open(sealed, 'webhook_subscription.secret:1')).toBe('whsec_vector')
  })

  test('opens a value of an earlier key, and seals it once with the current key', () => {
    const [older, old, now] = [randomBytes(32), randomBytes(32), randomBytes(32)]
    const changed = createSecretBox(now, [old, older])
    for (const key of [old, older]) {
      const sealed = createSecretBox(key).seal('whsec_example', 'row:1')
      expect(changed.open(sealed, 'row:1')).toBe('whsec_example')
      const fresh = changed.reseal(sealed, 'row:1') ?? Buffer.alloc(0)
      expect(createSecretBox(now).open(fresh, 'row:1')).toBe('whsec_example')
      expect(changed.reseal(fresh, 'row:1')).toBeUndefined()
      expect(() => changed.reseal(sealed, 'row:2')).toThrow('does not open')
    }
    expect(() => changed.reseal(box.seal('x', 'row:1'), 'row:1')).toThrow(/another SECRET_KEY/)
  })

  test('refuses a key of another length', () => {
    expect(() => createSecretBox(randomBytes(16))).toThrow('32 bytes')
  })
})

const fixedVector = '012364c26d987dc4d82dd782c64185da67f5573485e1c79f61a7e2a105319f60ab3f2b2ae2f2b9472d55ebb024'

describe('parseSecretKey', () => {
  test('reads every 32 bytes in hex, base64 and base64url, padded or not, with blanks around', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
        const key = Buffer.from(bytes)
        const base64 = key.toString('base64')
        const forms = [key.toString('hex'), key.toString('hex').toUpperCase(), base64, base64.replace('=', '')]
        for (const form of [...forms, key.toString('base64url'), ` ${base64}\n`]) {
          expect(parseSecretKey(form).equals(key)).toBe(true)
        }
      }),
    )
  })

  test.each([
    ['nothing', ''],
    ['a password', 'correct horse battery staple'],
    ['31 bytes', Buffer.alloc(31, 1).toString('base64')],
    ['33 bytes', Buffer.alloc(33, 1).toString('base64')],
    ['63 hex digits', 'a'.repeat(63)],
    ['two base64 alphabets at once', `+_${'A'.repeat(41)}=`],
    ['bits that no encoder writes', `${'A'.repeat(42)}B=`],
  ])('refuses %s with a sentence that says how to make a key and does not repeat the text', (_name, text) => {
    const refused = (): Buffer => parseSecretKey(text)
    expect(refused).toThrow(OperatorError)
    expect(refused).toThrow(/openssl rand -base64 32/)
    expect(refused).not.toThrow(text === '' ? 'nothing to repeat' : text)
  })
})

const loadSecretKey = async (settings: Parameters<typeof loadSecretKeys>[0]): Promise<Buffer> =>
  (await loadSecretKeys(settings)).secretKey

describe('the key', () => {
  let dataDir: string
  let path: string
  beforeEach(async () => {
    dataDir = await newFolder('secret')
    path = join(dataDir, 'secret.key')
  })
  afterEach(() => rm(dataDir, { recursive: true }))

  test('takes SECRET_KEY when it is set, and makes no file', async () => {
    const key = randomBytes(32)
    expect(await loadSecretKey({ secretKey: key.toString('base64'), dataDir })).toEqual(key)
    expect(await readdir(dataDir)).toEqual([])
  })

  test('must be given where the database is the operator’s own: each machine would make one for itself', async () => {
    await expect(loadSecretKey({ dataDir, databaseUrl: 'postgres://a@b/c' })).rejects.toThrow(/^SECRET_KEY is missing/)
    expect(await readdir(dataDir)).toEqual([])
  })

  test('refuses a wrong SECRET_KEY instead of falling back to the file', async () => {
    await loadSecretKey({ dataDir })
    await expect(loadSecretKey({ secretKey: '', dataDir })).rejects.toThrow(/openssl rand/)
  })

  test('makes the file at the first run, readable by its owner alone, and finds the same key later', async () => {
    const nested = join(dataDir, 'not', 'there', 'yet')
    const key = await loadSecretKey({ dataDir: nested })
    expect(key).toHaveLength(32)
    expect((await stat(join(nested, 'secret.key'))).mode & 0o777).toBe(0o600)
    expect((await stat(nested)).mode & 0o777).toBe(0o700)
    expect(await loadSecretKey({ dataDir: nested })).toEqual(key)
    expect(await readdir(nested)).toEqual(['secret.key'])
  })

  test('ends with one key when many starts race in one process', async () => {
    const keys = await Promise.all(Array.from({ length: 20 }, () => loadSecretKey({ dataDir })))
    expect(new Set(keys.map((key) => key.toString('hex'))).size).toBe(1)
    expect(await readdir(dataDir)).toEqual(['secret.key'])
  })

  test('ends with one key when several processes start at once', async () => {
    const program = join(dataDir, 'start.mjs')
    const secretModule = import.meta.resolve('#platform/secrets.ts')
    await writeFile(
      program,
      `import { loadSecretKeys } from ${JSON.stringify(secretModule)}
       process.send('ready')
       process.once('message', async () => {
         process.send((await loadSecretKeys({ dataDir: process.argv[2] })).secretKey.toString('hex'))
         process.disconnect()
       })`,
    )
    const target = join(dataDir, 'data')
    const children = Array.from({ length: 4 }, () => fork(program, [target], { execArgv: [] }))
    await Promise.all(children.map((child) => once(child, 'message')))
    const answers = children.map((child) => once(child, 'message'))
    for (const child of children) child.send('go')
    const keys = (await Promise.all(answers)).map(([key]) => String(key))
    expect(new Set(keys).size).toBe(1)
    expect(parseSecretKey(await readFile(join(target, 'secret.key'), 'utf8')).toString('hex')).toBe(keys[0])
    expect(await readdir(target)).toEqual(['secret.key'])
  })

  test.each([0o640, 0o604, 0o660, 0o644, 0o610])('refuses a file of mode %o and says chmod 600', async (mode) => {
    await loadSecretKey({ dataDir })
    await chmod(path, mode)
    const loading = loadSecretKey({ dataDir })
    await expect(loading).rejects.toThrow(OperatorError)
    await expect(loading).rejects.toThrow(`chmod 600 ${path}`)
  })

  test.each([
    ['an empty file', ''],
    ['half a key', 'q83vEjRWeJCr'],
    ['bytes that are not text', '\u0000\u0001'.repeat(16)],
  ])('refuses %s, says so, and leaves it as it is', async (_name, content) => {
    await writeFile(path, content, { mode: 0o600 })
    const loading = loadSecretKey({ dataDir })
    await expect(loading).rejects.toThrow(OperatorError)
    await expect(loading).rejects.toThrow(/damaged/)
    expect(await readFile(path, 'utf8')).toBe(content)
  })

  test('says what to do when the directory cannot be used', async () => {
    const file = join(dataDir, 'a-file')
    await writeFile(file, '')
    await expect(loadSecretKey({ dataDir: file })).rejects.toThrow(OperatorError)
  })
})

describe('small functions', () => {
  test('sha256 is the known one', () => {
    expect(sha256('abc').toString('hex')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  })

  test('constantTimeEqual agrees with equality, and different lengths are different', () => {
    const bytes = fc.uint8Array({ maxLength: 40 })
    fc.assert(
      fc.property(bytes, bytes, (a, b) => {
        expect(constantTimeEqual(Buffer.from(a), Buffer.from(b))).toBe(Buffer.from(a).equals(Buffer.from(b)))
        expect(constantTimeEqual(Buffer.from(a), Buffer.from(a))).toBe(true)
      }),
    )
  })

  test('randomBase62 gives the asked length of base62 and no repeats', () => {
    fc.assert(
      fc.property(fc.nat(100), (length) => {
        expect(randomBase62(length)).toMatch(new RegExp(`^[0-9A-Za-z]{${length}}$`))
      }),
    )
    const drawn = new Set(Array.from({ length: 1_000 }, () => randomBase62(24)))
    expect(drawn.size).toBe(1_000)
  })

  test('randomBase62 favours no character', () => {
    const drawn = 124_000
    const counts = new Map<string, number>()
    for (const character of randomBase62(drawn)) counts.set(character, (counts.get(character) ?? 0) + 1)
    expect(counts.size).toBe(62)
    // Each character comes 2,000 times on average, with a standard deviation of 44: a limit of eight deviations fails
    // one run in 10^13. The plain remainder of a byte would give its first eight characters 2,422 each, which fails
    // every time.
    for (const [character, count] of counts) expect(Math.abs(count - drawn / 62), character).toBeLessThan(8 * 44.4)
  })
})
