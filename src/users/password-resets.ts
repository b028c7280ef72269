// Requests for a new password on the sign-in page. A request writes the same row for any address, so neither the answer
// nor the time that it takes reveals an account. A worker turns the requests into e-mails. links.ts decides how long a
// link works and what it changes.

import { recordEntry } from '#audit/record.ts'
import { queueLetters } from '#mail/queue.ts'
import type { Context } from '#platform/context.ts'
import { statement, type Queryable } from '#platform/db/db.ts'
import { hourMs } from '#platform/durations.ts'
import { formatId, type Uuid } from '#platform/ids.ts'
import type { SecretBox } from '#platform/secrets.ts'
import { newResetLink, saveResetLink } from './links.ts'
import { bucketOfRequests, takeGuess } from './sign-in-attempts.ts'
import type { Visit } from './service.ts'
import type { TooMany } from './sign-in.ts'

const dropRequest = statement('people.drop_reset_request', 'delete from reset_request where email = $1')
const insertRequest = statement(
  'people.insert_reset_request',
  'insert into reset_request (email, created_at) values ($1, $2) on conflict (email) do nothing',
)

// If two workers take the same requests, the second waits for the first and then gets none of them.
const takeRequests = statement(
  'people.take_reset_requests',
  `delete from reset_request where email = any(array(
     select email from reset_request order by email limit $1)) returning email, created_at`,
)

// Leaves out accounts that neither belong to a business nor are operators, and accounts that got the most e-mails
// allowed.
const selectAccounts = statement(
  'people.accounts_to_reset',
  `select p.id, array(select b.name from membership m join business b on b.id = m.business_id where m.person_id = p.id
       order by b.name limit 3) as businesses,
     coalesce((select b.time_zone from membership m join business b on b.id = m.business_id where m.person_id = p.id
       order by m.created_at limit 1), 'UTC') as "timeZone"
     from person p
    where p.email = $1 and (p.is_operator or exists (select from membership m where m.person_id = p.id))
      and (select count(*) from letter l
            where l.recipient = p.email and l.kind = 'reset' and l.person_id = p.id and l.created_at > $2) < $3
    order by p.id limit $4`,
)

type Account = { id: Uuid; businesses: string[]; timeZone: string }

function listAccounts(db: Queryable, email: string, countedSince: Date): Promise<Account[]> {
  return db.query<Account>(selectAccounts, [email, countedSince, perHourMax, accountsMax])
}

/** The most e-mails per account and hour. More would only repeat what is in the mailbox already. */
const perHourMax = 3
/** The most accounts of one address that get a link. */
const accountsMax = 5
const requestsAtOnce = 50

export type ForgottenOutcome = { kind: 'accepted' } | TooMany

/**
 * A network that asks too often must wait. An address is never locked, so that a stranger cannot lock out its owner.
 */
export async function requestReset(ctx: Context, { address }: Visit, email: string): Promise<ForgottenOutcome> {
  const network = bucketOfRequests(address)
  const { waitMs } = await takeGuess(ctx, { accounts: [network], deciding: [network], network: undefined })
  if (waitMs > 0) return { kind: 'too-many', retryAfterMs: waitMs }
  if (ctx.sendsMail === true)
    await ctx.db.transaction((tx) => {
      // Replaces an earlier request, which may be too old when a worker takes it.
      tx.send(dropRequest, [email])
      tx.send(insertRequest, [email, new Date(ctx.clock.now())])
      return Promise.resolve()
    })
  return { kind: 'accepted' }
}

/**
 * Queues the e-mails for some requests and drops requests older than an hour. Resolves with the number of all these
 * requests.
 */
export async function answerResetRequests(ctx: Context, box: SecretBox): Promise<number> {
  await box.requireCurrent()
  return ctx.db.transaction(async (tx) => {
    const taken = await tx.query<{ email: string; created_at: Date }>(takeRequests, [requestsAtOnce])
    const nowMs = ctx.clock.now()
    const isFresh = (at: Date): boolean => ctx.sendsMail === true && nowMs - at.getTime() < hourMs
    for (const { email } of taken.filter((request) => isFresh(request.created_at))) {
      for (const { id, businesses, timeZone } of await listAccounts(tx, email, new Date(nowMs - hourMs))) {
        const { token, expiresAt } = newResetLink(nowMs)
        const expiresAtMs = expiresAt.getTime()
        const mailed = await queueLetters(ctx, tx, {
          kind: 'reset',
          facts: { businesses, expiresAtMs, timeZone },
          to: [{ email, personId: id }],
          link: { token, box, expiresAtMs },
        })
        // An e-mail over the daily limit of its address is not written, so the earlier link must still work.
        if (mailed.length === 0) continue
        saveResetLink(tx, nowMs, id, { token, expiresAt })
        const details = { expiresAt: expiresAt.toISOString() }
        recordEntry(tx, nowMs, { by: ctx.by, act: 'person.reset-link-made', subject: formatId('person', id), details })
      }
    }
    return taken.length
  })
}
