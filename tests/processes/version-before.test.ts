// The version before and this one at once on one database, as while a new one is rolled out and while one is taken back: real
// processes of both under traffic, from acceptance to the webhook. The version before is the commit that kept its statements
// (tests/migrations/version-before.json), so it comes out of the history of this repository.

import { execFile } from 'node:child_process'
import { readdir, symlink } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { present } from '#base/assert.ts'
import { systemClock } from '#base/clock.ts'
import { readMigrations } from '#migrations/files.ts'
import { portOf, start } from '#tests/cli/support.ts'
import { createLoad } from '#tests/faults/load.ts'
import { expectMoneyMovedOnce, untilAllHaveEnded } from '#tests/faults/proof.ts'
import { newFolder } from '#tests/support/run.ts'
import { expectSuccess } from '#tests/support/client.ts'
import { createTestContext } from '#tests/support/context.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { eventually } from '#tests/support/patience.ts'
import { startReceiver } from '#tests/support/receiver.ts'
import { startRoundRobin } from './round-robin.ts'
import { addBusiness, settings, startProcess, stopProcess, type Process } from './support.ts'

const run = promisify(execFile)
const root = path.join(import.meta.dirname, '../..')
const commit = await findCommit()
if (commit === undefined) {
  process.stderr.write('The version before is not in the history of this folder: it is not run beside this one.\n')
}

async function git(...args: string[]): Promise<string[]> {
  const answer = await run('git', args, { cwd: root }).catch(() => ({ stdout: '' }))
  return answer.stdout.split('\n').filter((line) => line !== '')
}

/** A branch may have numbered its migrations anew before it was merged: the first commit from there on whose migrations are ours. */
async function findCommit(): Promise<string | undefined> {
  const [kept] = await git('log', '-1', '--format=%H', '--', 'tests/migrations/version-before.json')
  // The first commit of a history that was cut off holds every file.
  if (kept === undefined || (await git('rev-parse', '--verify', '--quiet', `${kept}^`)).length === 0) return undefined
  const ours = new Set((await readMigrations()).map(({ name }) => `db/migrations/${name}`))
  for (const hash of [kept, ...(await git('rev-list', '--reverse', '--ancestry-path', `${kept}..HEAD`))]) {
    const theirs = await git('ls-tree', '--name-only', hash, 'db/migrations/')
    if (theirs.every((file) => ours.has(file) || !file.endsWith('.sql'))) return hash
  }
  return undefined
}

/** Its source, with the packages of this one. */
async function unpack(hash: string): Promise<string> {
  const folder = await newFolder('before')
  await run('sh', ['-c', 'git archive "$1" package.json src db docs | tar -x -C "$2"', 'sh', hash, folder], {
    cwd: root,
  })
  await symlink(path.join(root, 'node_modules'), path.join(folder, 'node_modules'))
  const bin = path.join(folder, 'src', 'bin')
  // It was TypeScript once, as all the rest is.
  return path.join(
    bin,
    present(
      (await readdir(bin)).find((name) => name.startsWith('manilla.')),
      'its program',
    ),
  )
}

const database = await useTestDatabase()
const receiver = await startReceiver()
const env = { DATABASE_URL: database.serviceUrl, LANES: '2' }
const callers = 8

it.runIf(commit !== undefined)(
  'the version before beside this one loses and doubles no payment and no webhook, whichever of them goes first',
  async () => {
    const program = await unpack(commit ?? '')
    const startBefore = async (): Promise<Process> => {
      const running = await start([process.execPath, program, 'serve'], { env: { ...settings, ...env, PORT: '0' } })
      return { ...running, port: await portOf(running), as: young.as }
    }
    const { key } = await addBusiness({ ...createTestContext(database.connect()), clock: systemClock })
    const young = await startProcess(env)
    const old = await startBefore()
    const ports = [young.port, old.port]
    const balancer = await startRoundRobin(ports)
    onTestFinished(() => balancer.close())
    const load = createLoad(`${balancer.url}/staging`, key)
    const events = ['transfer.success', 'transfer.failed']
    expectSuccess(await young.as(key).post('/v1/webhooks', { url: receiver.url('/hook'), events }))
    const more = (): Promise<void> => load.acknowledged(load.tally.acknowledged + 80)

    const running = load.run(callers, { goesOn: true })
    await more()
    // The old one goes, and what it had in hand is this one's.
    await stopProcess(old)
    await more()
    // It comes back, and takes over from this one.
    const again = await startBefore()
    ports[1] = again.port
    await more()
    await stopProcess(young)
    await more()
    const last = await startProcess(env)
    ports[0] = last.port
    await more()
    await running.stop()

    await load.sendAllAgain()
    expect(load.wrong).toEqual([])
    expect([...balancer.answered.values()].filter((answers) => answers > 0)).toHaveLength(4)
    await untilAllHaveEnded(database)
    await expectMoneyMovedOnce(database, load)
    const told = [...load.sent.values()].map(
      ({ transfer, ends }) => `${transfer.reference} transfer.${ends.toLowerCase()}`,
    )
    await eventually('a webhook of every payment', () => {
      const heard = new Set(receiver.at('/hook').map(({ event }) => `${event.reference} ${event.event}`))
      return Promise.resolve(told.every((one) => heard.has(one)) ? true : undefined)
    })
    load.client.close()
    await Promise.all([again, last].map(stopProcess))
  },
)
