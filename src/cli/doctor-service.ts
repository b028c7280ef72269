// The doctor's look at the rails of production: that what each lists was held against ours lately. A rail without that is one
// of which nobody would see what it did untold.

import { requireKeysOf, resealAll, readBacklog } from '#app.ts'
import { listMonths } from '#archive/archive.ts'
import type { ArchiveSourceName } from '#archive/source.ts'
import { judgeLanes } from '#businesses/lanes.ts'
import type { Config } from '#config.ts'
import type { Context } from '#platform/context.ts'
import { hourMs } from '#platform/durations.ts'
import { createSecretBox, loadSecretKeys, readSecretKeys } from '#platform/secrets.ts'
import { proofOfRails, type RailProof } from '#reconciliation/progress.ts'
import { inContext, type OpenDatabase } from './database.ts'
import { finding, type Finding, messageOf } from './output.ts'

/** A close runs every 24 hours, and may take a while. */
const provedHoursMax = 26

export async function railFindings({ rails: file }: Config, ctx: Context): Promise<Finding[]> {
  const names = Object.entries(file?.rails ?? {}).flatMap(([name, { environment }]) =>
    environment === 'production' ? [name] : [],
  )
  if (names.length === 0) return []
  const proofs = await proofOfRails(ctx)
  return names.map((name) => {
    const proof = proofs.find(({ environment, rail }) => environment === 'production' && rail === name)
    return findingOf(name, proof, ctx.clock.now())
  })
}

function findingOf(name: string, proof: RailProof | undefined, nowMs: number): Finding {
  const check = 'rail'
  if (proof?.stopped !== null && proof !== undefined)
    return finding(check, 'failed', `${name} is stopped: ${proof.stopped.why}. See: npx manilla rails breaks --open`)
  const provedMs = proof?.provedUntil?.getTime()
  if (provedMs === undefined) {
    const told = `what ${name} lists was never held against ours`
    return finding(check, 'failed', `${told}: ${proof?.why ?? 'no worker has looked at it'}. See docs/rails/breaks.md`)
  }
  const hours = Math.floor((nowMs - provedMs) / hourMs)
  if (hours >= provedHoursMax)
    return finding(
      check,
      'failed',
      `what ${name} lists is unproven for ${hours} hours: ${proof?.why ?? 'no worker looks'}`,
    )
  const open = proof?.openBreaks ?? 0
  return open === 0
    ? finding(check, 'ok', `what ${name} lists was held against ours ${hours} hours ago`)
    : finding(check, 'warning', `${open} breaks with ${name} are open. See: npx manilla rails breaks --open`)
}

// The doctor's look at the service on that database: whether its secrets can be opened, whether somebody does its work.

/** What is due is taken up within a second or two. */
const dueSecondsMax = 60

/** `served`: a process may be working on it now, or should be. */
export function examineService(
  config: Config,
  database: OpenDatabase,
  { served }: { served: boolean },
): Promise<Finding[]> {
  return inContext(config, database, async (ctx) => [
    await secretKeyFinding(config, ctx),
    await lanesFinding(config, ctx),
    await backlogFinding(ctx, served),
    ...(await archiveFindings(ctx)),
    ...(await railFindings(config, ctx)),
  ])
}

async function secretKeyFinding(config: Config, ctx: Context): Promise<Finding> {
  try {
    const keys = await loadSecretKeys(config)
    await requireKeysOf(ctx, keys)
    // Always counted: what is listed says which keys may seal, and not which ones have.
    const left = await resealAll(ctx, createSecretBox(keys.secretKey, keys.previousSecretKeys), 'count')
    if (left === 0 && (await readSecretKeys(ctx.db)).length === 1)
      return finding('secret key', 'ok', 'opens every stored secret')
    const told = `${left} stored secrets are sealed with another key than SECRET_KEY`
    return finding('secret key', 'warning', `${told}. Once every process has both: npx manilla secrets reseal`)
  } catch (error) {
    return finding('secret key', 'failed', messageOf(error))
  }
}

async function lanesFinding({ lanes }: Config, { db }: Context): Promise<Finding> {
  const { state, message } = await judgeLanes(db, lanes)
  return finding('lanes', state, message)
}

/** Nothing is said where nobody archives. */
async function archiveFindings(ctx: Context): Promise<Finding[]> {
  const months = await listMonths(ctx)
  const begun = months.filter(({ removedAt }) => removedAt === null)
  const count = (what: ArchiveSourceName): number => months.filter(({ noun }) => noun === what).length
  if (months.length === 0) return []
  if (begun.length === 0)
    return [
      finding(
        'archive',
        'ok',
        `${count('movements')} months of movements and ${count('events')} of events are in files`,
      ),
    ]
  const what = begun
    .map(({ noun, lane, month, removed, rows }) => `${month} of lane ${lane} (${removed} of ${rows} ${noun})`)
    .join(', ')
  const commands = [...new Set(begun.map(({ noun }) => `npx manilla archive ${noun}`))].join(' and ')
  const told = `sealed, and not out of the table yet: ${what}. Run again, with the same folder: ${commands}`
  return [finding('archive', 'warning', told)]
}

async function backlogFinding(ctx: Context, served: boolean): Promise<Finding> {
  const late = (await readBacklog(ctx)).filter(({ oldestSeconds }) => oldestSeconds > dueSecondsMax)
  if (late.length === 0) return finding('backlog', 'ok', `nothing has been due for more than ${dueSecondsMax} s`)
  const what = late.map(
    ({ queue, count, oldestSeconds }) => `${queue}: ${count} due, the oldest for ${Math.floor(oldestSeconds)} s`,
  )
  return served
    ? finding('backlog', 'failed', `${what.join('; ')}. Is a worker running? npx manilla serve --roles worker`)
    : finding('backlog', 'warning', `${what.join('; ')}. A start takes them up: npm start`)
}
