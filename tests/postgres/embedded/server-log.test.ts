import { appendFile, open, readFile, stat, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openEmbeddedPostgres } from '#postgres/embedded/open.ts'
import { limitLog, logSince, openLog, tellingLine } from '#postgres/embedded/server-process.ts'
import { newFolder } from '#tests/support/run.ts'
import { newDataDir, query } from './support.ts'

const megabyte = 1024 * 1024

test('the log is emptied when it grows too large, while PostgreSQL goes on writing to it', async () => {
  const dataDir = await newDataDir()
  const log = join(dataDir, 'postgres', 'server.log')
  const { ownerUrl, release } = await openEmbeddedPostgres({ dataDir, use: 'command', durable: false })
  await truncate(log, 11 * megabyte)
  await limitLog(log)
  expect((await stat(log)).size).toBe(0)
  expect((await stat(`${log}.1`)).size).toBe(11 * megabyte)

  await expect(query(ownerUrl, 'select no_such_column')).rejects.toThrow()
  const written = await readFile(log, 'utf8')
  expect(written).toContain('no_such_column')
  expect(written.startsWith('\0')).toBe(false)
  await limitLog(log)
  expect(await readFile(log, 'utf8')).toBe(written)
  await release()
})

test('a link in the place of the log or of its predecessor is not followed', async () => {
  const folder = await newFolder('log')
  const [log, victim] = [join(folder, 'server.log'), join(folder, 'victim')]
  await writeFile(victim, 'precious')
  await symlink(victim, log)
  await expect(openLog(log)).rejects.toThrow('ELOOP')
  const large = join(folder, 'large.log')
  await writeFile(large, '')
  await truncate(large, 11 * megabyte)
  await symlink(victim, `${large}.1`)
  await limitLog(large)
  expect((await stat(`${large}.1`)).size).toBe(11 * megabyte)
  expect(await readFile(victim, 'utf8')).toBe('precious')
})

test('the telling line is the last one of an error, else the last one, without time and process', () => {
  const time = '2026-01-02 03:04:05.678 UTC [9]'
  expect(tellingLine(`${time} LOG:  starting\n${time} FATAL:  no room\n${time} LOG:  bye\n`)).toBe('no room')
  expect(tellingLine('initdb: error: could not write file\ninitdb: removing contents\n')).toBe('could not write file')
  expect(tellingLine(`${time} LOG:  starting\n\n`)).toBe('starting')
  expect(tellingLine('')).toBe('it said nothing')
})

test('of a long log only the end is read, and nothing from before the start in question', async () => {
  const log = `${await newDataDir()}.log`
  expect(await logSince(log, 0)).toBe('')
  await (await open(log, 'w')).close()
  await appendFile(log, `${'x'.repeat(megabyte)}old`)
  const from = (await stat(log)).size
  await appendFile(log, 'new')
  expect(await logSince(log, from)).toBe('new')
  expect((await logSince(log, 0)).length).toBeLessThan(megabyte)
  expect(await logSince(log, from + megabyte)).toBe('')
})
