// Every receiver that docs/webhooks.md shows, with an SDK and without one, runs as it is written.

import { spawn, spawnSync } from 'node:child_process'
import { symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { signWebhook } from '#sdk/testing.ts'
import { freePort } from '#tests/support/launch.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { newFolder } from '#tests/support/run.ts'
import { blocksOf, languages } from './snippets.ts'

const root = path.resolve(import.meta.dirname, '../..')
const secret = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='
const body = '{"id":"evt_1","event":"transfer.success","reference":"PAYOUT-1001","data":{}}'

type Program = { file: string; command: (port: number) => string[]; prepare?: (folder: string) => Promise<unknown> }

const sdks = path.join(root, 'sdk')
const goModule = `module example\n\ngo 1.23\n\nrequire manilla.dev/go v0.0.0\n\nreplace manilla.dev/go => ${path.join(sdks, 'go')}\n`

const programs: Record<string, Program> = {
  ts: {
    file: 'receiver.ts',
    command: () => [process.execPath, '--conditions=@manilla/source', 'receiver.ts'],
    prepare: (folder) => symlink(path.join(root, 'node_modules'), path.join(folder, 'node_modules'), 'junction'),
  },
  python: { file: 'receiver.py', command: () => ['python3', 'receiver.py'] },
  php: { file: 'receiver.php', command: (port) => ['php', '-S', `127.0.0.1:${port}`, 'receiver.php'] },
  go: {
    file: 'receiver.go',
    command: () => ['go', 'run', '.'],
    prepare: (folder) => writeFile(path.join(folder, 'go.mod'), goModule),
  },
  java: { file: 'Receiver.java', command: () => ['java', 'Receiver.java'] },
}

function missingFor(language: string): string | undefined {
  if (language !== 'java') return languages[language]?.missing
  return spawnSync('java', ['--version']).status === 0 ? undefined : 'this machine has no java that can run it'
}

/** Loads the SDK as Composer would. */
const loaded = (code: string): string =>
  code.replace("require 'vendor/autoload.php'", `require ${JSON.stringify(path.join(sdks, 'php/tests/load.php'))}`)

async function serve({ file, command, prepare }: Program, code: string): Promise<{ url: string; text: () => string }> {
  const [folder, port] = [await newFolder('receiver'), await freePort()]
  await prepare?.(folder)
  await writeFile(path.join(folder, file), loaded(code))
  const [program = '', ...options] = command(port)
  const child = spawn(program, options, {
    cwd: folder,
    detached: true,
    env: {
      ...process.env,
      PORT: String(port),
      WEBHOOK_SECRET: secret,
      PYTHONPATH: path.join(sdks, 'python/src'),
      PYTHONDONTWRITEBYTECODE: '1',
      GOTOOLCHAIN: 'local',
      GOPROXY: 'off',
      GOFLAGS: '-mod=mod',
    },
  })
  // Ends the whole group, because `go run` starts the program that it compiled.
  onTestFinished(() => void (child.pid !== undefined && child.exitCode === null && process.kill(-child.pid)))
  let text = ''
  for (const output of [child.stdout, child.stderr]) output.on('data', (chunk) => (text += String(chunk)))
  return { url: `http://127.0.0.1:${port}/webhooks`, text: () => text }
}

const receivers = await Promise.all(
  Object.entries(programs).map(async ([language, program]) => {
    const blocks = await blocksOf('webhooks', language)
    return blocks.map((code, place) => ({ language, program, code, place }))
  }),
)

it('are two in each language with an SDK, and one in Java', () => {
  const counts = receivers.map((all) => [all[0]?.language, all.length])
  expect(Object.fromEntries(counts)).toEqual({ ts: 2, python: 2, php: 2, go: 2, java: 1 })
})

describe.each(receivers.flat())('receiver $place of docs/webhooks.md in $language', ({ language, program, code }) => {
  const missing = missingFor(language)
  it.skipIf(missing !== undefined)(
    `takes what is signed, and nothing else${missing === undefined ? '' : `: ${missing}`}`,
    async () => {
      const { url, text } = await serve(program, code)
      const deliver = (headers: Record<string, string>): Promise<number | string> =>
        fetch(url, { method: 'POST', body, headers }).then(({ status }) => status, text)
      await untilHolds(async () => expect(await deliver(await signWebhook(body, 'whsec_other'))).toBe(400))
      expect(await deliver({})).toBe(400)
      expect(await deliver(await signWebhook(body, secret, new Date(Date.now() - 400_000)))).toBe(400)
      expect(text()).not.toContain('evt_1')
      expect(text()).not.toContain('PAYOUT-1001')
      expect(await deliver(await signWebhook(body, secret))).toBe(200)
      await untilHolds(() => expect(text()).toMatch(/evt_1|PAYOUT-1001/))
    },
  )
})
