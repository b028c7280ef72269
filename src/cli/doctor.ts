// `manilla doctor`: checks everything that a start needs, and the backlog of a running service, and says how to fix
// problems.

import { access, constants, stat } from 'node:fs/promises'
import path from 'node:path'
import { readBacklog, requireKeysOf, requirePorts, resealAll } from '#app.ts'
import { listMonths } from '#archive/archive.ts'
import type { ArchiveSourceName } from '#archive/source.ts'
import { judgeLanes } from '#businesses/lanes.ts'
import { type Config, mailSettingsOf } from '#config.ts'
import { createMailTransport } from '#mail/transport.ts'
import type { Context } from '#platform/context.ts'
import { hourMs } from '#platform/durations.ts'
import { createSecretBox, loadSecretKeys, readSecretKeys } from '#platform/secrets.ts'
import { proofOfRails, type RailProof } from '#reconciliation/progress.ts'
import { inContext, openDatabase, type OpenDatabase, requireSameDatabase } from './database.ts'
import { examineServer } from './doctor-database.ts'
import { databaseMayRun } from './listen.ts'
import { finding, type Finding, isSystemError, messageOf, type Output } from './output.ts'
import { readSettings } from './settings.ts'

export async function doctorCommand(output: Output): Promise<void> {
  const { config, findings } = checkSettings()
  findings.push(checkNode(process.versions.node))
  if (config !== undefined) {
    findings.push(await checkPorts(config), await checkCredentials(config))
    findings.push(...(await checkMail(config)), ...(await checkDatabase(config, output.step)))
  }
  const failed = findings.filter((one) => one.state === 'failed').length
  const text = findings.map((one) => `${one.state.padEnd(8)} ${one.check.padEnd(12)} ${one.message}`).join('\n')
  output.result(
    { ok: failed === 0, findings },
    `${text}\n${failed === 0 ? 'Ready to serve.' : `${failed} problem${failed === 1 ? '' : 's'} to fix.`}`,
  )
  if (failed > 0) process.exitCode = 1
}

function checkNode(version: string): Finding {
  return version.startsWith('24.')
    ? finding('node', 'ok', `Node ${version}`)
    : finding('node', 'warning', `Node ${version} works, but Manilla is tested with Node 24. Use that in production`)
}

function checkSettings(): { config: Config | undefined; findings: Finding[] } {
  try {
    const { config, warnings } = readSettings({ rails: true })
    const odd = warnings.map((warning) => finding('settings', 'warning', warning))
    return { config, findings: [finding('settings', 'ok', 'all settings are valid'), ...odd] }
  } catch (error) {
    return { config: undefined, findings: [finding('settings', 'failed', messageOf(error))] }
  }
}

async function checkPorts(config: Config): Promise<Finding> {
  try {
    await requirePorts(config, ['api', 'worker'])
    return finding('port', 'ok', `${config.host}:${config.port} is free`)
  } catch (error) {
    return finding('port', 'warning', `${messageOf(error)} This is fine if a Manilla server is running here.`)
  }
}

async function checkCredentials(config: Config): Promise<Finding> {
  const file = path.join(config.dataDir, 'credentials.json')
  try {
    const { mode } = await stat(file)
    if ((mode & 0o077) !== 0)
      return finding('credentials', 'failed', `${file} can be read by others. Run: chmod 600 ${file}`)
    await access(file, constants.R_OK)
    return finding('credentials', 'ok', file)
  } catch (error) {
    if (isSystemError(error) && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return finding('credentials', 'ok', 'none yet; the first start on the embedded database writes them')
    return finding('credentials', 'failed', `${file} cannot be read: ${messageOf(error)}`)
  }
}

async function checkMail(config: Config): Promise<Finding[]> {
  const settings = mailSettingsOf(config)
  if (settings === undefined) return []
  const transport = createMailTransport(settings)
  try {
    const wrong = await transport.check()
    const { host, port } = settings.server
    return [
      wrong === undefined
        ? finding('mail', 'ok', `${host}:${port} accepts e-mails from ${settings.from}`)
        : finding('mail', 'warning', `${host}:${port} does not accept this service: ${wrong}. Check SMTP_URL.`),
    ]
  } finally {
    transport.close()
  }
}

async function checkDatabase(config: Config, onStep: (message: string) => void): Promise<Finding[]> {
  let database: OpenDatabase | undefined
  const findings: Finding[] = []
  try {
    // Read before the database is opened, because opening may start the embedded PostgreSQL.
    const served = await databaseMayRun(config)
    database = await openDatabase(config, { use: 'command', onStep })
    await requireSameDatabase(database)
    findings.push(...(await examineServer(database, config.environments.includes('production'))))
    if (findings.some(({ check, state }) => state === 'failed' && ['migrations', 'pooler', 'role'].includes(check)))
      return findings
    return [...findings, ...(await examineService(config, database, { served }))]
  } catch (error) {
    return [...findings, finding('database', 'failed', messageOf(error))]
  } finally {
    await database?.release()
  }
}

// The checks of `manilla doctor` on the service: secrets, lanes, backlog, archive, and whether each production rail was
// reconciled recently. Without reconciliation, a change that a provider does not report stays unnoticed.

/** A worker reconciles each rail once in 24 hours; two hours are left for the run itself. */
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

/** A running worker claims due work within two seconds. Work that is late by a minute has no worker, or too few. */
const dueSecondsMax = 60

/** `served`: a server may be running on this database, so due work should not wait. */
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
    // Counts the stored secrets even if the list has only one key: the list has the keys that may encrypt now, not
    // those that encrypted earlier.
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
