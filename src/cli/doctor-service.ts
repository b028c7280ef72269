// The checks of `manilla doctor` on the service: recent reconciliation of production rails, secrets, lanes, archive, backlog.
// Without reconciliation, an unreported change at a provider would stay unnoticed.

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
    const told = `${name} was never reconciled`
    return finding(check, 'failed', `${told}: ${proof?.why ?? 'no worker has checked it'}. See docs/rails/breaks.md`)
  }
  const hours = Math.floor((nowMs - provedMs) / hourMs)
  if (hours >= provedHoursMax)
    return finding(
      check,
      'failed',
      `${name} was last reconciled ${hours} hours ago: ${proof?.why ?? 'no worker checks it'}`,
    )
  const open = proof?.openBreaks ?? 0
  return open === 0
    ? finding(check, 'ok', `${name} was reconciled ${hours} hours ago`)
    : finding(check, 'warning', `${open} open mismatches with ${name}. See: npx manilla rails breaks --open`)
}

/** A running worker picks up due work within two seconds. */
const dueSecondsMax = 60

/** `served`: a server may be running on this database. */
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
    const told = `${left} stored secrets are encrypted with another key than SECRET_KEY`
    return finding(
      'secret key',
      'warning',
      `${told}. When every process has both keys, run: npx manilla secrets reseal`,
    )
  } catch (error) {
    return finding('secret key', 'failed', messageOf(error))
  }
}

async function lanesFinding({ lanes }: Config, { db }: Context): Promise<Finding> {
  const { state, message } = await judgeLanes(db, lanes)
  return finding('lanes', state, message)
}

/** Returns nothing if there are no archives. */
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
  const told = `sealed but not yet deleted from the table: ${what}. Run again with the same folder: ${commands}`
  return [finding('archive', 'warning', told)]
}

async function backlogFinding(ctx: Context, served: boolean): Promise<Finding> {
  const late = (await readBacklog(ctx)).filter(({ oldestSeconds }) => oldestSeconds > dueSecondsMax)
  if (late.length === 0) return finding('backlog', 'ok', `no work is overdue by more than ${dueSecondsMax} s`)
  const what = late.map(
    ({ queue, count, oldestSeconds }) => `${queue}: ${count} due, the oldest for ${Math.floor(oldestSeconds)} s`,
  )
  return served
    ? finding('backlog', 'failed', `${what.join('; ')}. Start a worker: npx manilla serve --roles worker`)
    : finding('backlog', 'warning', `${what.join('; ')}. Start the service: npm start`)
}
