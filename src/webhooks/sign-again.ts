// A delivery as a request that a developer can send again: the same bytes, signed now with the secret of its subscription,
// which is told to nobody.

import type { Context, Tenant } from '#base/context.ts'
import { formatId } from '#base/ids.ts'
import type { SecretBox } from '#base/secret.ts'
import { secretContext } from '#events/receiver.ts'
import { headersOf, signingKey } from '#events/sign.ts'
import type { LogDetail } from './log.ts'
import { findSubscription } from './sql-subscriptions.ts'

export type SignedRequest = { url: string; headers: Record<string, string>; body: string; curl: string }

/** Undefined: the subscription is deleted, and its secret with it. */
export type SignAgain = (tenant: Tenant, detail: LogDetail) => Promise<SignedRequest | undefined>

export function createSignAgain({ ctx, box }: { ctx: Context; box: SecretBox }): SignAgain {
  return async (tenant, { record, payload }) => {
    const subscription = await findSubscription(ctx.db, tenant, record.subscriptionId)
    if (subscription === undefined || subscription.secret === null) return undefined
    const { id, url, secret } = subscription
    const headers = headersOf({
      id: formatId('event', record.id),
      event: record.event,
      attempt: Math.max(1, record.attempts),
      unixSeconds: Math.floor(ctx.clock.now() / 1_000),
      body: Buffer.from(payload, 'utf8'),
      keys: [signingKey(box.open(secret, secretContext(id)))],
    })
    return { url, headers, body: payload, curl: curlOf({ url, headers, body: payload }) }
  }
}

/** For a shell: whatever a payload holds, nothing of it is anything but text to it. */
export function curlOf({ url, headers, body }: Pick<SignedRequest, 'url' | 'headers' | 'body'>): string {
  const lines = Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`)
  return ['curl -X POST', quoted(url), ...lines, `--data-binary ${quoted(body)}`].join(' \\\n  ')
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
