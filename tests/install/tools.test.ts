// The tools of contributors print their usage, and name the part of a command line that they do not understand.

import { execFile } from 'node:child_process'
import path from 'node:path'
import { expect, it } from 'vitest'

const root = path.resolve(import.meta.dirname, '../..')

type Said = { code: number; out: string; err: string }

const ask = (program: string, ...words: string[]): Promise<Said> =>
  new Promise((resolve) => {
    execFile(process.execPath, [program, ...words], { cwd: root }, (error, out, err) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err }),
    )
  })

it.each([
  ['simulate/run.ts', '--seeds', 'huge-amounts'],
  ['bench/run.ts', '--rounds', 'accept-bulk'],
])('%s says how it is used, begins nothing that it did not understand, and names it', async (program, option, more) => {
  const [help, unknown, wrong] = await Promise.all([
    ask(program, '--help'),
    ask(program, '--nope'),
    ask(program, option, 'many'),
  ])
  expect(help).toMatchObject({ code: 0, err: '' })
  expect(help.out).toContain(option)
  expect(help.out).toContain(more)
  expect(unknown).toMatchObject({ code: 1, out: '' })
  expect(unknown.err).toContain("Unknown option '--nope'")
  expect(unknown.err).toContain(help.out.trim())
  expect(wrong).toEqual({ code: 1, out: '', err: `${option} is a whole number above 0, not many\n` })
})
