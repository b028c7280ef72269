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

/** `repeated`: the same bytes are kept already. */
export type Received = 'unknown-rail' | 'forged' | 'stored' | 'repeated'

/** What must stand behind the address of a rail that signs nothing. */
export type TokenOf = (rail: string) => string | undefined

export type ReceiveOptions = { ctx: Context; rails: RailRegistry; box: SecretBox; tokenOf: TokenOf }

export async function receive({ ctx, rails, box, tokenOf }: ReceiveOptions, posted: Posted): Promise<Received> {
  const { environment, rail, rawBody } = posted
  const served = rails.inbound(environment, { rail })
  if (served.kind === 'missing') return 'unknown-rail'
  const outcome = isTrusted(served.port, tokenOf(rail), posted) ? await keep() : 'forged'
  ctx.metrics.railNotices.inc({ rail, outcome })
  return outcome

  async function keep(): Promise<Received> {
    const key = { environment, rail, digest: digestOf(rawBody) }
    const isNew = await insertNotice(ctx.db, key, sealBody(box, key, rawBody), new Date(ctx.clock.now()))
    return isNew ? 'stored' : 'repeated'
  }
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
