// Passwords, their hashes, and the limit of the processor time that hashing passwords of strangers may take. Also makes
// tokens, which have 256 random bits and cannot be guessed. So the database stores their SHA-256 and no slow hash.

import { argon2, randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { systemClock } from '#platform/clock.ts'
import { createTurns, type TurnLimits } from '#platform/concurrency.ts'
import { constantTimeEqual, sha256 } from '#platform/secrets.ts'
import common from '#users/data/common-passwords.json' with { type: 'json' }

type Token = { text: string; hash: Buffer }

export function newToken(): Token {
  const text = randomBytes(32).toString('base64url')
  return { text, hash: hashOfToken(text) }
}

export function hashOfToken(unchecked: string): Buffer {
  return sha256(unchecked)
}

/** Memory in KiB, passes over it, lanes. A password with a lower cost is rehashed when its user next signs in. */
type Cost = { memory: number; passes: number; parallelism: number }

const usualCost: Cost = { memory: 19_456, passes: 2, parallelism: 1 }
const tagBytes = 32
export const saltBytes = 16
const lineLimits: TurnLimits = {
  atOnceMax: 1,
  waitingMax: 50,
  waitMsMax: 10_000,
  sentence: 'Too many people are signing in at once. Try again in a few seconds.',
}
/** Hashing for strangers may take this long before they must wait: an office's sign-ins, at 10 to 40 ms a hash. */
const strangersFreeMs = 2_000
const strangersShare = 0.1

/** `known`: the caller has a known device of the user, or a link or a session with which a password is set. */
export type Requester = 'known' | 'stranger'

export type PasswordHasher = {
  /**
   * Runs the work in the queue of the requester. Rejects with `Unavailable` if too many wait, or one waits for too
   * long; then the work did not start.
   */
  inTurn<T>(requester: Requester, work: () => Promise<T>): Promise<T>
  /** Runs in the queue of known users, because only the holder of a link or a session sets a password. */
  hash(password: string, salt: Buffer): Promise<string>
  /**
   * Must run within `inTurn`. Returns the first stored password that matches. Those with one salt and cost share one
   * hash, and an empty list takes the same time, so that the response time does not reveal who has an account.
   */
  matches(stored: readonly string[], password: string): Promise<string | undefined>
  isOutdated(stored: string): boolean
}

/**
 * Argon2id by Node runs on the thread pool that webhooks use for DNS look-ups: with two hashes at once a look-up took
 * 0–2 ms, with four 60–208 ms. So there are two queues, for known users and for strangers. Each runs one hash at a time
 * and lets fifty wait; more are refused. After two seconds of work, the strangers' queue gets a tenth of the time. So
 * strangers, however many, neither slow down payments nor block known users.
 */
export function createPasswords(cost: Cost = usualCost): PasswordHasher {
  const [known, strangers] = [createTurns(lineLimits), createTurns(lineLimits)]
  const allowance = createAllowance({ freeMs: strangersFreeMs, share: strangersShare })
  const dummyHash = textOf({ cost, salt: randomBytes(saltBytes), tag: randomBytes(tagBytes) })

  return {
    inTurn(requester, work) {
      return requester === 'known' ? known.run(requester, work) : strangers.run(requester, () => allowance(work))
    },
    async hash(password, salt) {
      return textOf({ cost, salt, tag: await known.run('known', () => argon2id(password, salt, cost)) })
    },
    async matches(stored, password) {
      const groups = Map.groupBy(stored.length === 0 ? [dummyHash] : stored, (text) =>
        text.slice(0, text.lastIndexOf('$')),
      )
      const fits = new Set<string>()
      for (const [first = dummyHash, ...others] of groups.values()) {
        const { cost: by, salt } = parse(first)
        const made = await argon2id(password, salt, by)
        for (const text of [first, ...others]) if (constantTimeEqual(made, parse(text).tag)) fits.add(text)
      }
      return stored.find((text) => fits.has(text))
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

export function faultOfPassword(password: string): string | undefined {
  const length = Array.from(normal(password)).length
  if (length < lengthMin) return `A password has at least ${lengthMin} characters.`
  if (length > lengthMax) return `A password has at most ${lengthMax} characters.`
  if (tooCommon.has(normal(password).toLowerCase())) return 'Too many people have this password. Choose another one.'
  return undefined
}

/** Keyboards and systems encode the same character in different ways. */
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

type StoredPassword = { cost: Cost; salt: Buffer; tag: Buffer }

/** The common PHC format: `$argon2id$v=19$m=19456,t=2,p=1$…$…`. */
function textOf({ cost: { memory, passes, parallelism }, salt, tag }: StoredPassword): string {
  const [saltText, tagText] = [salt, tag].map((bytes) => bytes.toString('base64').replaceAll('=', ''))
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${saltText}$${tagText}`
}

function parse(stored: string): StoredPassword {
  const found = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/.exec(stored)
  if (found === null) throw new Error('assertion failed: a stored password is not one of ours')
  const [, memory, passes, parallelism, salt = '', tag = ''] = found
  return {
    cost: { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) },
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  }
}

// Limits the time that work for strangers takes, no matter how many strangers ask. The caller runs one task at a time.
// After a long idle time, tasks start at once until `freeMs` is used up. Then each task waits first, so that the tasks use
// only a given share of the time.

type Allowance = <T>(work: () => Promise<T>) => Promise<T>

type AllowanceOptions = {
  freeMs: number
  /** Less than 1. */
  share: number
  monotonicMs?: () => number
  waitMs?: (ms: number) => Promise<unknown>
}

export function createAllowance({
  freeMs,
  share,
  monotonicMs = systemClock.monotonicMs,
  waitMs = wait,
}: AllowanceOptions): Allowance {
  let savedMs = freeMs
  let savedAtMs = monotonicMs()

  return async (work) => {
    const nowMs = monotonicMs()
    savedMs = Math.min(freeMs, savedMs + (nowMs - savedAtMs) * share)
    savedAtMs = nowMs
    if (savedMs < 0) await waitMs(-savedMs / share)
    const begunMs = monotonicMs()
    try {
      return await work()
    } finally {
      savedMs -= monotonicMs() - begunMs
    }
  }
}
