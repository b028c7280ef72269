// Records refused authentications: one entry per network, reason, key or user, and minute. Above a limit of entries,
// the rest becomes one entry per reason and minute, because a flood from many addresses must fill neither the memory
// nor the log.

import type { Context } from '#platform/context.ts'
import { minuteMs } from '#platform/durations.ts'
import { formatId, type Uuid } from '#platform/ids.ts'
import type { AuditEntry } from './entry.ts'
import { recordEntry } from './record.ts'

export type RefusalReason =
  | 'no-key'
  | 'malformed'
  | 'other-environment'
  | 'unknown-key'
  | 'address-not-allowed'
  | 'wrong-password'
  | 'wrong-code'
  | 'wrong-passkey'
  | 'copied-passkey'
  | 'too-many-guesses'

export type AuditedRefusal = {
  network: string
  reason: RefusalReason
  requestId: string
  /** The key that was sent, and its tenant, if that key exists. */
  keyId?: Uuid
  tenantId?: Uuid
  /** The user whose sign-in was attempted, if that user exists. */
  personId?: Uuid
}

export type RefusalLog = {
  note(refusal: AuditedRefusal): void
  /** Writes the refusals of past minutes. A timer calls it. */
  flush(): Promise<void>
  close(): Promise<void>
}

type CountedRefusal = AuditedRefusal & { minute: number; count: number; firstMs: number; lastMs: number }

/** Stands for all networks above the limit. Their common entry names no key and no user. */
const others = 'other networks'

export function createRefusals(ctx: Context, { networksMax = 200 } = {}): RefusalLog {
  let counted = new Map<string, CountedRefusal>()
  const minuteNow = (): number => Math.floor(ctx.clock.now() / minuteMs)

  async function write(isRipe: (one: CountedRefusal) => boolean): Promise<void> {
    const ripe = [...counted].filter(([, one]) => isRipe(one))
    if (ripe.length === 0) return
    const nowMs = ctx.clock.now()
    for (const [key] of ripe) counted.delete(key)
    try {
      await ctx.db.transaction(async (tx) => {
        for (const [, one] of ripe) recordEntry(tx, nowMs, entryOf(one))
      })
    } catch (error) {
      counted = new Map([...ripe, ...counted])
      throw error
    }
  }

  return {
    note(refusal) {
      const [nowMs, minute] = [ctx.clock.now(), minuteNow()]
      const known = counted.get(keyOf(refusal, minute))
      const { reason, requestId } = refusal
      const isOneTooMany = known === undefined && counted.size >= networksMax
      const shown: AuditedRefusal = isOneTooMany ? { network: others, reason, requestId } : refusal
      const key = keyOf(shown, minute)
      const one = counted.get(key) ?? { ...shown, minute, count: 0, firstMs: nowMs, lastMs: nowMs }
      counted.set(key, { ...one, count: one.count + 1, lastMs: nowMs })
    },
    flush: () => write(({ minute }) => minute < minuteNow()),
    close: () => write(() => true),
  }
}

const keyOf = ({ network, reason, keyId, personId }: AuditedRefusal, minute: number): string =>
  network === others ? `${minute} ${reason}` : `${minute} ${reason} ${keyId ?? personId} ${network}`

function entryOf({
  network,
  reason,
  requestId,
  keyId,
  personId,
  tenantId,
  count,
  firstMs,
  lastMs,
}: CountedRefusal): AuditEntry {
  return {
    by: { kind: 'service', name: 'manilla', address: network },
    act: 'authentication.refused',
    ...(tenantId === undefined ? {} : { tenantId }),
    ...(keyId === undefined ? {} : { subject: formatId('key', keyId) }),
    ...(personId === undefined ? {} : { subject: formatId('person', personId) }),
    details: {
      reason,
      count,
      first: new Date(firstMs).toISOString(),
      last: new Date(lastMs).toISOString(),
      firstRequestId: requestId,
    },
  }
}
