// `manilla doctor`: checks everything that a start needs, and the backlog of a running service, and says how to fix
// problems.

import { access, constants, stat } from 'node:fs/promises'
import path from 'node:path'
import { requirePorts } from '#app.ts'
import { mailSettingsOf, type Config } from '#config.ts'
import { createMailTransport } from '#mail/transport.ts'
import { openDatabase, requireSameDatabase, type OpenDatabase } from './database.ts'
import { examineServer } from './doctor-database.ts'
import { examineService } from './doctor-service.ts'
import { finding, messageOf, type Finding, type Output } from './output.ts'
import { databaseMayRun } from './listen.ts'
import { readSettings } from './settings.ts'

export async function doctorCommand(output: Output): Promise<void> {
  const { config, findings } = checkSettings()
  findings.push(
    finding('node', process.versions.node.startsWith('24.') ? 'ok' : 'warning', `Node ${process.versions.node}`),
  )
  if (config !== undefined) {
    findings.push(await checkPorts(config), await checkCredentials(config))
    findings.push(...(await checkMail(config)), ...(await checkDatabase(config, output.step)))
  }
  const failed = findings.filter((one) => one.state === 'failed').length
  const text = findings.map((one) => `${one.state.padEnd(8)} ${one.check.padEnd(12)} ${one.message}`).join('\n')
  output.result(
    { ok: failed === 0, findings },
    `${text}\n${failed === 0 ? 'Ready to serve.' : `${failed} problems to fix.`}`,
  )
  if (failed > 0) process.exitCode = 1
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
  } catch {
    return finding('credentials', 'ok', 'none yet; the first start on the embedded database writes them')
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
    // Runs before the database is opened, because opening may start it.
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
