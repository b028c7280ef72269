// Runs every command of every runbook, and of the pages about rails, as it is written: on a database of its own, in a
// folder that looks like a checkout. It fills in only the ids that a reader fills in. The rails are fakes.

import { chmod, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { createProgram } from '#cli/program.ts'
import { openEmbeddedPostgres } from '#postgres/embedded/open.ts'
import { migrate } from '#postgres/migrations/migrate.ts'
import { newDataDir, root, start, startServer } from '#tests/cli/support.ts'
import { paystackTestKey, startFakePaystack } from '#tests/support/fakes/paystack.ts'
import type { Ended } from '#tests/support/launch.ts'
import { asOwner } from '#tests/support/owner.ts'
import { newFolder } from '#tests/support/run.ts'
import { blocksOf, mentionsOf, type Block } from './runbooks.ts'

const docs = path.join(root, 'docs')
const names = await Promise.all(['runbooks', 'rails'].map((name) => readdir(path.join(docs, name)).then(within(name))))
const pages = await Promise.all(
  names.flat().map(async (name) => ({ name, text: await readFile(path.join(docs, name), 'utf8') })),
)
const embedded = 'the embedded database'
// A PostgreSQL of its own, because the doctor would report that the one of all tests is not durable.
const postgres = await openEmbeddedPostgres({ dataDir: await newDataDir(), use: 'command' })
const paystack = await startFakePaystack()
afterAll(() => Promise.all([postgres.release(), paystack.close()]))
await migrate(postgres.ownerUrl)

describe.each(pages)('$name', ({ name, text }) => {
  const toRun = blocksOf(text).filter(({ notRun }) => notRun === undefined)
  const [inDataDir, onDatabase] = [toRun.filter(({ on }) => on === embedded), toRun.filter(({ on }) => on !== embedded)]

  it.runIf(onDatabase.length > 0)('says what works on a database of one’s own', async () => {
    const urls = { DATABASE_URL: postgres.serviceUrl, MIGRATION_DATABASE_URL: postgres.ownerUrl }
    const settings = { ...urls, SECRET_KEY: Buffer.alloc(32, 7).toString('base64') }
    const place = await newCheckout(name.startsWith('rails/') ? { ...settings, ...(await newRailsFile()) } : settings)
    for (const block of onDatabase) await expectToWork(place, block, postgres)
  })

  it.runIf(inDataDir.length > 0)('says what works on the embedded database', async () => {
    const place = await newCheckout({ BACKUPS: path.join(await newFolder('backups'), 'manilla') })
    const server = await startServer({ DATA_DIR: await newDataDir(place.cwd, '.manilla') })
    server.signal('SIGTERM')
    expect(await server.ended).toMatchObject({ code: 0 })
    for (const block of inDataDir) await expectToWork(place, block)
  })

  it('names commands that there are', () => {
    for (const words of mentionsOf(text)) {
      let command = createProgram()
      for (const word of words) command = command.commands.find((one) => one.name() === word) ?? command
      expect(command.parent, `npx manilla ${words.join(' ')}`).not.toBeNull()
    }
  })
})

describe('a runbook', () => {
  it('is held to its commands, and those that no test runs carry a reason', () => {
    expect(pages.flatMap(({ text }) => blocksOf(text)).length).toBeGreaterThan(8)
    const page = 'a\n\n<!-- not run: it burns -->\n\n```sh\nburn\n```\n\n```sql\nselect 1\n```\n`npx manilla keys list`'
    expect(blocksOf(page)).toEqual([
      { line: 5, language: 'sh', text: 'burn', notRun: 'it burns', on: undefined },
      { line: 9, language: 'sql', text: 'select 1', notRun: undefined, on: undefined },
    ])
    expect(mentionsOf(page)).toEqual([['keys', 'list']])
  })

  it('with a command that fails is noticed', async () => {
    const place = await newCheckout({ DATA_DIR: await newDataDir() })
    await expect(expectToWork(place, { ...blank, text: 'npx manilla burn\ntrue' })).rejects.toThrow(/burn/)
    await expect(expectToWork(place, { ...blank, text: 'echo whk_…' })).rejects.toThrow(/whk_…/)
  })
})

const blank: Block = { line: 1, language: 'sh', text: '', notRun: undefined, on: undefined }

function within(folder: string): (names: string[]) => string[] {
  return (all) => all.map((name) => path.join(folder, name))
}

/** A rails file for the rail of the pages, with the address of a fake. */
async function newRailsFile(): Promise<{ RAILS_FILE: string }> {
  const file = path.join(await newFolder('rails'), 'rails.json')
  const rail = { kind: 'paystack', environment: 'production', secretKey: paystackTestKey, baseUrl: paystack.url }
  const route = [{ rail: 'paystack' }]
  const routes = { production: { NGN: { payout: route, bankDirectory: route } } }
  await writeFile(file, JSON.stringify({ rails: { paystack: rail }, routes }), { mode: 0o600 })
  return { RAILS_FILE: file }
}

type Place = { cwd: string; env: Record<string, string> }

/** A folder with what a checkout has, in which a test may do what an operator would. */
async function newCheckout(settings: Record<string, string>): Promise<Place> {
  const cwd = await newFolder('checkout')
  for (const name of ['bin', 'db', 'deploy', 'docs', 'scripts', 'src', 'package.json']) {
    await symlink(path.join(root, name), path.join(cwd, name))
  }
  const programs = path.join(cwd, 'programs')
  await mkdir(programs)
  // The real npx looks the package up first, which takes longer than the command.
  const npx = `#!/bin/sh\n[ "$1" = manilla ] && shift && exec "${process.execPath}" "${root}/bin/manilla.js" "$@"\n`
  await writeFile(path.join(programs, 'npx'), npx)
  await chmod(path.join(programs, 'npx'), 0o755)
  return { cwd, env: { ...settings, LOG_LEVEL: 'warn', PATH: `${programs}:${process.env['PATH']}` } }
}

async function shell(place: Place, text: string): Promise<Ended> {
  return (await start(['sh', '-euc', text], place)).ended
}

async function expectToWork(place: Place, block: Block, database?: { ownerUrl: string }): Promise<void> {
  const text = await fillIn(place, block)
  if (block.language === 'sql') {
    if (database === undefined) throw new Error(`line ${block.line}: there is no database to ask`)
    await asOwner(database, text)
    return
  }
  const { code, stdout, stderr } = await shell(place, text)
  if (code !== 0) throw new Error(`line ${block.line} ended with ${code}:\n${text}\n${stdout}\n${stderr}`)
}

/** Makes a business for each block that says `biz_…`, and one of its keys for a block that says `key_…`. */
async function fillIn(place: Place, { line, text }: Block): Promise<string> {
  if (!text.includes('…')) return text
  const business = await idMadeBy(place, 'npx manilla businesses create --name Ours --json')
  const key = await idMadeBy(place, `npx manilla keys create --business ${business} --environment staging --json`)
  const filled = text.replaceAll('biz_…', business).replaceAll('key_…', key)
  const [left] = /\S*…/.exec(filled) ?? []
  if (left !== undefined) throw new Error(`line ${line}: nothing is known to stand in the place of ${left}`)
  return filled
}

async function idMadeBy(place: Place, command: string): Promise<string> {
  const { stdout, stderr } = await shell(place, command)
  if (stdout === '') throw new Error(stderr)
  return (JSON.parse(stdout) as { id: string }).id
}
