import { execFile } from 'node:child_process'
import { chmod, readdir, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { findBinaries, copyPrograms, handedPath, ownPath } from '#postgres/embedded/launch.ts'
import { newFolder } from '#tests/support/run.ts'
import { isRoot } from './support.ts'

const nobody = 65_534

describe('the copy of the programs for an account that cannot reach them', () => {
  test('runs as that account, whatever the modes of the original, and is made once', async () => {
    const parent = join(await newFolder('copies'), 'manilla')
    const binaries = await findBinaries()
    const before = process.umask(0o077)
    const copied = await copyPrograms(binaries, parent).finally(() => process.umask(before))
    await chmod(parent, 0o755)
    if (copied === undefined) throw new Error('no copy was made')
    const user = isRoot ? { uid: nobody, gid: nobody } : {}
    for (const program of [copied.postgres, copied.initdb]) {
      expect((await promisify(execFile)(program, ['--version'], user)).stdout).toMatch(/PostgreSQL\) 18/)
    }
    const made = await stat(copied.postgres)
    expect(await copyPrograms(binaries, parent)).toEqual(copied)
    expect((await stat(copied.postgres)).ino).toBe(made.ino)
    // No unfinished copy is left beside it.
    expect(await readdir(parent)).toEqual([dirname(dirname(copied.postgres)).slice(parent.length + 1)])
  })

  test('is not made where others may write, nor where nothing can be written', async () => {
    const open = await newFolder('copies')
    await chmod(open, 0o777)
    const binaries = await findBinaries()
    expect(await copyPrograms(binaries, open)).toBeUndefined()
    const file = join(open, 'file')
    await writeFile(file, '')
    expect(await copyPrograms(binaries, join(file, 'below'))).toBeUndefined()
  })
})

test('a path has one name for us and one for the program, there and back', () => {
  expect(handedPath('/srv/m/postgres/data', '/srv/m/postgres')).toBe('/proc/self/fd/3/data')
  expect(handedPath('/srv/m/postgres', '/srv/m/postgres')).toBe('/proc/self/fd/3')
  expect(handedPath('/srv/m/postgres-2', '/srv/m/postgres')).toBe('/srv/m/postgres-2')
  expect(ownPath('/proc/self/fd/3/run', '/srv/m/postgres')).toBe('/srv/m/postgres/run')
  expect(ownPath('/tmp/manilla-0', '/srv/m/postgres')).toBe('/tmp/manilla-0')
})
