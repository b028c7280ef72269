// Secrets that we make and the browser or a person keeps. Only their SHA-256 is in the database: nobody guesses 80 random bits
// and more, so no slow hash is needed.

import { randomBytes, argon2 } from 'node:crypto'
import { createTurns, type TurnLimits } from '#platform/concurrency.ts'
import { sha256, constantTimeEqual } from '#platform/secrets.ts'
import common from './data/common-passwords.json' with { type: 'json' }
import { createAllowance } from './work-budget.ts'

type Token = { text: string; hash: Buffer }

/** For a cookie or a link: 32 random bytes. */
export function newToken(): Token {
  const text = randomBytes(32).toString('base64url')
  return { text, hash: hashOfToken(text) }
}

export function hashOfToken(unchecked: string): Buffer {
  return sha256(unchecked)
}

/** Without those that look alike. */
const letters = '0123456789abcdefghjkmnpqrstvwxyz'
const recoveryCodes = 10

/** To be written down: sixteen characters of five bits, in groups of four. */
export function newRecoveryCodes(): Token[] {
  return Array.from({ length: recoveryCodes }, () => {
    const characters = [...randomBytes(16)].map((byte) => letters.charAt(byte & 0x1f)).join('')
    return { text: characters.replaceAll(/(.{4})(?=.)/g, '$1-'), hash: hashOfRecoveryCode(characters) }
  })
}

/** However it was typed: with or without hyphens and spaces, in small letters or capitals. */
export function hashOfRecoveryCode(unchecked: string): Buffer {
  return sha256(unchecked.toLowerCase().replaceAll(/[^0-9a-z]/g, ''))
}

// Passwords, as Argon2id of Node's own cryptography keeps them. Its work is done on the thread pool by which webhooks look up
// names: with two hashes at a time a look-up took 0–2 ms, with four 60–208 ms. So there are two lines with one turn each, in
// which fifty may wait; whoever comes then is told to come again. Strangers have a line of their own, and after two
// seconds of work a tenth of the time: however many ask, payments are accepted as before, and whoever is known here is let in.

/** Memory in KiB, passes over it, lanes. What is stored with less is hashed anew when its person next signs in. */
type Cost = { memory: number; passes: number; parallelism: number }

const usualCost: Cost = { memory: 19_456, passes: 2, parallelism: 1 }
const tagBytes = 32
const saltBytes = 16
const lineLimits: TurnLimits = {
  atOnceMax: 1,
  waitingMax: 50,
  waitMsMax: 10_000,
  sentence: 'Too many people are signing in at once. Try again in a few seconds.',
}
/** An office on a Monday morning: a turn takes 10 to 40 ms. */
const strangersFreeMs = 2_000
const strangersShare = 0.1

/** By a device, a link or a session that is theirs. */
export type Asker = 'known' | 'stranger'

export type Passwords = {
  /** When it is the asker's turn. Rejects with `Unavailable` when too many wait; then the work was not begun. */
  inTurn<T>(asker: Asker, work: () => Promise<T>): Promise<T>
  /** To keep a password, which nobody does who is not known. Takes a turn. */
  hash(password: string): Promise<string>
  /** To be asked in a turn. Takes the same work whether there is anything stored or not, so that nobody learns by the time who has an account. */
  matches(stored: string | undefined, password: string): Promise<boolean>
  /** It was stored with less than is usual now. */
  isOutdated(stored: string): boolean
}

export function createPasswords(cost: Cost = usualCost): Passwords {
  const [known, strangers] = [createTurns(lineLimits), createTurns(lineLimits)]
  const allowance = createAllowance({ freeMs: strangersFreeMs, share: strangersShare })
  const ofNobody = textOf({ cost, salt: randomBytes(saltBytes), tag: randomBytes(tagBytes) })

  return {
    inTurn(asker, work) {
      return asker === 'known' ? known.run(asker, work) : strangers.run(asker, () => allowance(work))
    },
    async hash(password) {
      const salt = randomBytes(saltBytes)
      return textOf({ cost, salt, tag: await known.run('known', () => argon2id(password, salt, cost)) })
    },
    async matches(stored, password) {
      const { cost: by, salt, tag } = parse(stored ?? ofNobody)
      return constantTimeEqual(await argon2id(password, salt, by), tag)
    },
    isOutdated(stored) {
      const { cost: by } = parse(stored)
      return by.memory < cost.memory || by.passes < cost.passes || by.parallelism < cost.parallelism
    },
  }
}

const lengthMin = 12
const lengthMax = 200
const tooCommon = new Set(common)

/** Why it is no password to choose; undefined when it is one. What it must hold is left to whoever chooses it. */
export function faultOfPassword(password: string): string | undefined {
  const length = Array.from(normal(password)).length
  if (length < lengthMin) return `A password has at least ${lengthMin} characters.`
  if (length > lengthMax) return `A password has at most ${lengthMax} characters.`
  if (tooCommon.has(normal(password).toLowerCase())) return 'Too many people have this password. Choose another one.'
  return undefined
}

/** Keyboards and systems write one and the same character in different ways. */
function normal(password: string): string {
  return password.normalize('NFKC')
}

function argon2id(password: string, nonce: Buffer, cost: Cost): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    argon2('argon2id', { message: normal(password), nonce, tagLength: tagBytes, ...cost }, (error, tag) =>
      error === null ? resolve(tag) : reject(error),
    )
  })
}

type Stored = { cost: Cost; salt: Buffer; tag: Buffer }

/** As everybody writes it: `$argon2id$v=19$m=19456,t=2,p=1$…$…`. */
function textOf({ cost: { memory, passes, parallelism }, salt, tag }: Stored): string {
  const [saltText, tagText] = [salt, tag].map((bytes) => bytes.toString('base64').replaceAll('=', ''))
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${saltText}$${tagText}`
}

function parse(stored: string): Stored {
  const found = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/.exec(stored)
  if (found === null) throw new Error('assertion failed: a stored password is not one of ours')
  const [, memory, passes, parallelism, salt = '', tag = ''] = found
  return {
    cost: { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) },
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  }
}
