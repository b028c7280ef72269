// Tests the guards themselves: the linter, as it is installed and configured here, refuses the imports that the table
// forbids, and no file escapes the type check. tests/tidy.test.ts tests the other rules.

import { execFile } from 'node:child_process'
import { copyFile, mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readTree, textOf } from './support/tree.ts'
import { newFolder } from './support/run.ts'

const root = path.resolve(import.meta.dirname, '..')
const fees = "import { payoutFeeOf } from '#payments/fees.ts'"
const simulator = "import { createSimulator } from '#rails/simulator/simulator.ts'"
const pg = "import pg from 'pg'"
const fetching = "export const answer = await fetch('/v1/balance')"

/** A guarantee, a file, and the one line in it that breaks the guarantee. */
const refused: [string, string, string][] = [
  ['a module imports no other module', 'src/webhooks/bad.ts', fees],
  ['a module imports no entry point', 'src/payments/bad.ts', "import { createDoor } from '#api/server/door.ts'"],
  ['the platform imports nothing', 'src/platform/bad.ts', "import type { Config } from '#config.ts'"],
  ['a type is an import too', 'src/webhooks/bad-type.ts', "import type { FeeSchedule } from '#payments/fees.ts'"],
  ['so is what is passed on', 'src/webhooks/bad-export.ts', "export * from '#payments/payment.ts'"],
  [
    'the delivery of webhooks imports no subscriptions',
    'src/webhooks/delivery/bad.ts',
    "import { a } from '#webhooks/service.ts'",
  ],
  ['so is what is loaded late', 'src/webhooks/bad-late.ts', "export const late = import('#payments/payment.ts')"],
  ['no import climbs out of its folder', 'src/api/v1/bad.ts', "import { a } from '../door.ts'"],
  ['not by a detour either', 'src/api/v1/bad-detour.ts', "import { a } from './../door.ts'"],
  ['and not from a test', 'tests/bad-climb.ts', "import { a } from '../src/payments/payment.ts'"],
  ['SQL is private to its folder', 'src/deposits/bad-sql.ts', "import { a } from '#virtual-accounts/queries.ts'"],
  [
    'also where it has several files',
    'src/deposits/bad-lists.ts',
    "import { a } from '#virtual-accounts/provisioning-queries.ts'",
  ],
  ['also from the wiring', 'src/app.ts', "import { a } from '#virtual-accounts/queries.ts'"],
  ['a module asks for ports, not for the simulator', 'src/payments/bad-rail.ts', simulator],
  ['so does the wiring', 'src/bin/bad-rail.ts', simulator],
  ['pg is for the platform, the embedded database and the doctor', 'src/payments/bad-pg.ts', pg],
  ['also its parts', 'src/api/bad-pg.ts', "import { Client } from 'pg/lib/client.js'"],
  ['undici is for the platform', 'src/webhooks/bad-net.ts', "import { request } from 'undici'"],
  ['the service imports no test', 'src/payments/bad-test.ts', "import { a } from '#tests/support/clock.ts'"],
  ['the service imports no workspace', 'src/api/bad-sdk.ts', "import { a } from '@manilla/sdk'"],
  ['not by its folder', 'src/cli/bad-sdk.ts', "import { a } from '#sdk/index.ts'"],
  ['commands for integrators import no module', 'src/cli/remote/bad.ts', "import { a } from '#payments/payment.ts'"],
  ['the sdk imports nothing of the service', 'sdk/typescript/src/bad-module.ts', fees],
  ['not by a path', 'sdk/typescript/src/bad-path.ts', "import { a } from '../../../src/payments/payment.ts'"],
  ['the sdk has no dependency', 'sdk/typescript/src/bad-package.ts', "import { z } from 'zod'"],
  ['nor Node', 'sdk/typescript/src/bad-node.ts', "import { createHmac } from 'node:crypto'"],
  ['its tests climb no more than it', 'sdk/typescript/tests/bad.ts', "import { a } from '../../../src/app.ts'"],
  ['the dashboard imports nothing of the service', 'dashboard/src/bad-module.tsx', fees],
  ['not by a path', 'dashboard/src/app.tsx', "import { payoutFeeOf } from '../../src/payments/fees.ts'"],
  ['not by its name', 'dashboard/src/bad-name.tsx', "import { a } from 'manilla/src/app.ts'"],
  ['nor its database', 'dashboard/src/bad-pg.ts', pg],
  ['nor Node', 'dashboard/src/bad-node.ts', "import { readFile } from 'node:fs/promises'"],
  ['what is drawn everywhere knows no API', 'dashboard/src/ui/bad.tsx', "import { ask } from '#api/client.ts'"],
  ['nor do tables', 'dashboard/src/table/bad.tsx', "import { ask } from '#api/client.ts'"],
  ['a page imports no other page', 'dashboard/src/pages/a/bad.tsx', "import { b } from '#pages/b/b-page.tsx'"],
  ['and nothing of the shell imports one', 'dashboard/src/shell/bad.tsx', "import { b } from '#pages/b/b-page.tsx'"],
  [
    'the service imports nothing of the dashboard',
    'src/api/bad-page.ts',
    "import { a } from '#dashboard/format/money.ts'",
  ],
  ['its configuration neither', 'dashboard/bad.config.ts', "import { config } from '#config.ts'"],
  ['the service reaches out through its own net', 'src/payments/bad-fetch.ts', fetching],
  ['an example imports nothing of the service', 'examples/shop/bad.ts', fees],
  ['nor a package', 'examples/shop/bad-package.ts', "import { z } from 'zod'"],
  ['the dashboard asks in one folder', 'dashboard/src/pages/bad-fetch.tsx', fetching],
]

const allowed: [string, string][] = [
  ['src/payments/good.ts', "import { createSimulator } from '#rails/registry.ts'"],
  ['src/payments/good-sql.ts', "import { findPayments } from './queries.ts'"],
  ['src/rails/good.ts', simulator],
  ['src/platform/good.ts', pg],
  ['src/api/good.ts', fees],
  ['src/bin/good.ts', fees],
  ['tests/good.ts', simulator],
  ['sdk/typescript/src/good.ts', "import { apiVersion } from './index.ts'"],
  ['sdk/typescript/tests/good.ts', "import { expect } from 'vitest'"],
  ['dashboard/src/good.tsx', "import { apiVersion } from '@manilla/sdk'"],
  ['dashboard/src/good-package.tsx', "import { useState } from 'react'"],
  ['dashboard/src/good-own.tsx', "import { Button } from '#ui/button.tsx'"],
  ['dashboard/src/api/good-fetch.ts', fetching],
  ['dashboard/src/pages/a/good.tsx', "import { ask } from '#api/client.ts'"],
  ['dashboard/src/pages/a/good-own.tsx', "import { b } from './b.tsx'"],
  ['examples/shop/good.ts', "import { naira } from '@manilla/sdk'"],
  ['examples/shop/good-own.ts', "import { a } from './b.ts'"],
  ['sdk/typescript/src/good-fetch.ts', fetching],
  ['sdk/typescript/src/good-clock.ts', 'export const nowMs = Date.now()'],
]

describe('the import table', () => {
  let found = new Set<string>()
  let folder = ''

  beforeAll(async () => {
    folder = await newFolder('import-table')
    await symlink(path.join(root, 'node_modules'), path.join(folder, 'node_modules'), 'junction')
    await copyFile(path.join(root, 'oxlint.config.ts'), path.join(folder, 'oxlint.config.ts'))
    const samples: [string, string][] = [...refused.map(([, file, line]): [string, string] => [file, line]), ...allowed]
    for (const [file, line] of samples) {
      await mkdir(path.dirname(path.join(folder, file)), { recursive: true })
      await writeFile(path.join(folder, file), `${line}\n`)
    }
    found = await refusedFiles(folder)
  })

  afterAll(() => rm(folder, { recursive: true }))

  it.each(refused)('%s (%s)', (_guarantee, file) => {
    expect(found).toContain(file)
  })

  it.each(allowed)('lets %s be', (file) => {
    expect(found).not.toContain(file)
  })
})

describe('the type check', () => {
  it('sees every TypeScript file, those of the workspaces too', async () => {
    const tree = await readTree()
    const { scripts } = JSON.parse(textOf(tree, 'package.json')) as { scripts: { types: string } }
    const programs = scripts.types.split(' && ').map((command) => command.split(' ').slice(1))
    const listed = await Promise.all(
      programs.map((program) => run(root, 'typescript/bin/tsc', [...program, '--listFilesOnly'])),
    )
    const seen = new Set(listed.flatMap((list) => list.split('\n').map((file) => path.relative(root, file))))
    const typed = tree.map((file) => file.path).filter((file) => /\.tsx?$/.test(file))
    expect(typed).toContain('dashboard/src/main.tsx')
    expect(typed.filter((file) => !seen.has(path.normalize(file)))).toEqual([])
  })
})

type Diagnostic = { code: string; filename: string }

async function refusedFiles(cwd: string): Promise<Set<string>> {
  const report = await run(cwd, 'oxlint/bin/oxlint', ['--format=json', 'src', 'tests', 'sdk', 'dashboard', 'examples'])
  const { diagnostics } = JSON.parse(report) as { diagnostics: Diagnostic[] }
  return new Set(
    diagnostics
      .filter(({ code }) => /^eslint\(no-restricted-(imports|globals|properties)\)$/.test(code))
      .map(({ filename }) => filename.replaceAll('\\', '/')),
  )
}

/** The output of a tool. A tool that finds something exits with 1, which is no failure here. */
function run(cwd: string, tool: string, args: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [path.join(root, 'node_modules', tool), ...args],
      { cwd, maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) => {
        if (stdout === '') reject(new Error(`${tool} printed nothing: ${stderr}`, { cause: error }))
        else resolve(stdout)
      },
    )
  })
}
