// A notice: one body that a rail sent by itself. It is kept sealed, because it names people and their accounts.

import { createHash } from 'node:crypto'
import type { Environment } from '#platform/context.ts'
import type { SecretBox } from '#platform/secrets.ts'

/** Bodies are told apart by their digest: the same bytes are the same notice. */
export type NoticeKey = { environment: Environment; rail: string; digest: Buffer }

/** Of one that is not done. `stuck`: it waits for a person. */
export const openStates = ['new', 'stuck'] as const
export type OpenState = (typeof openStates)[number]

/** A notice that this process keeps to itself until `leaseEnd`. */
export type ClaimedNotice = NoticeKey & {
  body: Buffer
  receivedAt: Date
  tries: number
  leaseEnd: Date
  /** Why it was not done the last time, if there was one. */
  why: string | null
}

/** As a person finds it again. */
export function noticeName({ environment, rail, digest }: NoticeKey): string {
  return `${environment}:${rail}:${digest.toString('hex')}`
}

/** What is counted: the first four at the door, the others at the work. */
export const noticeOutcomes = ['stored', 'repeated', 'forged', 'turned-away', 'done', 'again', 'stuck'] as const

export function digestOf(rawBody: Buffer): Buffer {
  return createHash('sha256').update(rawBody).digest()
}

export function noticeContext({ environment, rail, digest }: NoticeKey): string {
  return `rail_notice.body:${environment}:${rail}:${digest.toString('hex')}`
}

/** A body is bytes and the box takes text: in latin1 each byte is a character, whatever encoding the rail uses. */
export function sealBody(box: SecretBox, key: NoticeKey, rawBody: Buffer): Buffer {
  return box.seal(rawBody.toString('latin1'), noticeContext(key))
}

export function openBody(box: SecretBox, notice: ClaimedNotice): Buffer {
  return Buffer.from(box.open(notice.body, noticeContext(notice)), 'latin1')
}
