// Takes in what a rail sends. Nothing is done here but to see that it is the rail's word, and to keep it: whoever answers
// late is sent everything again, and whoever answers before it is kept loses it.

import type { IncomingHttpHeaders } from 'node:http'
import type { Context, Environment } from '#base/context.ts'
import { constantTimeEqual, sha256, type SecretBox } from '#base/secret.ts'
import type { InboundNotices } from '#rails/rail.ts'
import type { RailRegistry } from '#rails/registry.ts'
import { digestOf, sealBody } from './notice.ts'
import { insertNotice } from './sql.ts'

/** `token`: what stood behind the address. */
export type Posted = {
  environment: Environment
  rail: string
  token: string | undefined
  headers: IncomingHttpHeaders
  rawBody: Buffer
}

/** What must stand behind the address of a rail that signs nothing. */
export type TokenOf = (rail: string) => string | undefined

export type ReceiveOptions = { ctx: Context; rails: RailRegistry; box: SecretBox; tokenOf: TokenOf }

/** Whether it is the word of the rail. Counts what is not. */
export function judgeNotice({ ctx, rails, tokenOf }: ReceiveOptions, posted: Posted): boolean {
  const { environment, rail } = posted
  const served = rails.inbound(environment, { rail })
  const isGenuine = served.kind === 'served' && isTrusted(served.port, tokenOf(rail), posted)
  if (!isGenuine) ctx.metrics.railNotices.inc({ rail, outcome: 'forged' })
  return isGenuine
}

/** Keeps one that is genuine. False: the same bytes are kept already. */
export async function keepNotice(
  { ctx, box }: ReceiveOptions,
  { environment, rail, rawBody }: Pick<Posted, 'environment' | 'rail' | 'rawBody'>,
): Promise<boolean> {
  await box.requireCurrent()
  const key = { environment, rail, digest: digestOf(rawBody) }
  const isNew = await insertNotice(ctx.db, key, sealBody(box, key, rawBody), new Date(ctx.clock.now()))
  ctx.metrics.railNotices.inc({ rail, outcome: isNew ? 'stored' : 'repeated' })
  return isNew
}

function isTrusted(port: InboundNotices, expected: string | undefined, { headers, rawBody, token }: Posted): boolean {
  switch (port.verify(headers, rawBody)) {
    case 'genuine':
      return true
    case 'forged':
      return false
    case 'unsigned':
      // Hashed, so that not even the length shows.
      return expected !== undefined && constantTimeEqual(sha256(token ?? ''), sha256(expected))
  }
}
