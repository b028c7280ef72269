import { chmod, chown, readFile, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { findAccount, findBarrier } from '#postgres/embedded/launch.ts'
import { openEmbeddedPostgres } from '#postgres/embedded/open.ts'
import { dataFolder, isLinux, isRoot, newDataDir, postmasterPid, query, spawnOpener } from './support.ts'

const nobody = { name: 'nobody', uid: 65_534, gid: 65_534 }
const checkoutIsOpen = (await findBarrier(resolve('.'), nobody)) === undefined

async function accountOfServer(dataDir: string): Promise<number> {
  return (await stat(`/proc/${await postmasterPid(dataDir)}`)).uid
}

/** The capabilities of the server, which an ordinary process does not have. */
async function capabilitiesOfServer(dataDir: string): Promise<Record<string, bigint>> {
  const status = await readFile(`/proc/${await postmasterPid(dataDir)}/status`, 'utf8')
  const found = [...status.matchAll(/^(Cap(?:Inh|Prm|Eff|Amb)):\s+([0-9a-f]+)$/gm)]
  return Object.fromEntries(found.map(([, name = '', bits = '']) => [name, BigInt(`0x${bits}`)]))
}

describe.runIf(isRoot && isLinux)('as root', () => {
  test('PostgreSQL runs as another account, which owns its data and nothing else', async () => {
    const dataDir = await newDataDir()
    const opened = await openEmbeddedPostgres({ dataDir, use: 'serve', durable: false })
    const { uid } = await stat(dataFolder(dataDir))
    expect(uid).not.toBe(0)
    expect(await accountOfServer(dataDir)).toBe(uid)
    expect(await query(opened.serviceUrl, 'select 1')).toEqual([1])
    for (const folder of [dataDir, dirname(dataFolder(dataDir))]) {
      expect((await stat(folder)).uid).toBe(0)
      expect((await stat(folder)).mode & 0o777).toBe(0o710)
    }
    await opened.release()
  })

  test('a DATA_DIR below a folder that is closed to that account works, and the folder stays closed', async () => {
    const dataDir = await newDataDir({ parent: homedir() })
    await chmod(dirname(dataDir), 0o700)
    for (const use of ['command', 'serve'] as const) {
      const opened = await openEmbeddedPostgres({ dataDir, use, durable: false })
      expect(await accountOfServer(dataDir)).not.toBe(0)
      expect(await capabilitiesOfServer(dataDir)).toEqual({ CapInh: 0n, CapPrm: 0n, CapEff: 0n, CapAmb: 0n })
      expect(await query(opened.serviceUrl, 'select 1')).toEqual([1])
      await opened.release()
    }
    expect((await stat(dirname(dataDir))).mode & 0o777).toBe(0o700)
  })

  test.runIf(checkoutIsOpen)(
    "an ordinary user's data stays that user's, also when root opens it in between",
    async () => {
      const dataDir = await newDataDir()
      await chown(dirname(dataDir), nobody.uid, nobody.gid)
      for (const uid of [nobody.uid, 0, nobody.uid, 0]) {
        const opener = spawnOpener({ dataDir, use: 'serve' }, uid === 0 ? {} : { uid })
        expect(await query(await opener.line('serviceUrl'), 'select 1')).toEqual([1])
        expect(await accountOfServer(dataDir)).toBe(nobody.uid)
        await opener.release()
      }
    },
  )

  test.runIf(checkoutIsOpen)("root's data is refused to an ordinary user in a sentence", async () => {
    const dataDir = await newDataDir()
    const opened = await openEmbeddedPostgres({ dataDir, use: 'command', durable: false })
    await opened.release()
    const opener = spawnOpener({ dataDir, use: 'command' }, { uid: nobody.uid })
    expect(await opener.line('error')).toMatch(/^DATA_DIR .* cannot be written by user nobody: give it to that user/)
  })
})

test('an account is found in passwd by its name; one of root or without a usable number is none', () => {
  const passwd = 'root:x:0:0::/root:/bin/sh\n# note\nnobody:*:-2:-2::/:/bin/false\npostgres:x:101:104:,,,:/:/bin/sh\n'
  expect(findAccount(passwd, 'postgres')).toEqual({ name: 'postgres', uid: 101, gid: 104 })
  expect(findAccount(passwd, 'root')).toBeUndefined()
  expect(findAccount(passwd, 'nobody')).toBeUndefined()
  expect(findAccount(passwd, 'post')).toBeUndefined()
})
