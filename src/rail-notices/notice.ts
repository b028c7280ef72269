// A notice: one body that a rail sent by itself. It is stored sealed, because it names people and their accounts.

import { createHash } from 'node:crypto'
import type { Environment } from '#platform/context.ts'
import type { SecretBox } from '#platform/secrets.ts'

/** The digest identifies the body: the same bytes are the same notice. */
export type RailNoticeKey = { environment: Environment; rail: string; digest: Buffer }

/** States of an unfinished notice. `stuck`: an operator must review it. */
export const openStates = ['new', 'stuck'] as const
export type OpenState = (typeof openStates)[number]

export type ClaimedNotice = RailNoticeKey & {
  body: Buffer
  receivedAt: Date
  tries: number
  leaseEnd: Date
  why: string | null
}

export function noticeName({ environment, rail, digest }: RailNoticeKey): string {
  return `${environment}:${rail}:${digest.toString('hex')}`
}

/** Counted outcomes: the first four at the endpoint, the others in the worker. */
export const noticeOutcomes = ['stored', 'repeated', 'forged', 'turned-away', 'done', 'again', 'stuck'] as const

export function digestOf(rawBody: Buffer): Buffer {
  return createHash('sha256').update(rawBody).digest()
}

export function noticeContext({ environment, rail, digest }: RailNoticeKey): string {
  return `rail_notice.body:${environment}:${rail}:${digest.toString('hex')}`
}

/** A body is bytes and the box takes text: in latin1 each byte is one character, whatever encoding the rail uses. */
export function sealBody(box: SecretBox, key: RailNoticeKey, rawBody: Buffer): Buffer {
  return box.seal(rawBody.toString('latin1'), noticeContext(key))
}

export function openBody(box: SecretBox, notice: ClaimedNotice): Buffer {
  return Buffer.from(box.open(notice.body, noticeContext(notice)), 'latin1')
}
