// Runs the receivers of docs/webhooks.md, with an SDK and without one, exactly as the page shows them: code that a
// developer pastes accepts genuine deliveries and nothing else. A language that this machine lacks is left out.

import { execFile, execFileSync, spawn } from 'node:child_process'
import { accessSync, constants, readFileSync } from 'node:fs'
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hexSignature, payloadVectors, signatureVectors } from '#tests/events/reference.ts'
import { freePort } from '#tests/support/launch.ts'
import { eventually } from '#tests/support/patience.ts'
import { endsWithRun, newFolder } from '#tests/support/run.ts'

type Receiver = {
  language: string
  fence: string
  /** The number of the page's block in this language. */
  block: number
  /** Undefined: the machine has none. */
  runtime: string | undefined
  args: (file: string, port: number) => string[]
  build?: (runtime: string, file: string) => Promise<string>
}

const root = path.resolve(import.meta.dirname, '../..')
const languages: Omit<Receiver, 'block'>[] = [
  {
    language: 'TypeScript',
    fence: 'ts',
    runtime: process.execPath,
    args: (file) => ['--conditions=@manilla/source', file],
  },
  { language: 'Python', fence: 'python', runtime: onPath('python3'), args: (file) => [file] },
  { language: 'Go', fence: 'go', runtime: onPath('go'), args: () => [], build: buildGo },
  { language: 'PHP', fence: 'php', runtime: onPath('php'), args: (file, port) => ['-S', `127.0.0.1:${port}`, file] },
]
const receivers: Receiver[] = [
  ...languages.map((one) => ({ ...one, language: `${one.language} with the SDK`, block: 0 })),
  ...languages.map((one) => ({ ...one, block: 1 })),
  { language: 'Java', fence: 'java', block: 0, runtime: onPath('java'), args: (file) => [file] },
]

const page = readFileSync(path.resolve(import.meta.dirname, '../../docs/webhooks.md'), 'utf8')
const [secret = '', otherSecret = ''] = signatureVectors.find(({ secrets }) => secrets.length === 2)?.secrets ?? []
const body = payloadVectors[0]?.expected.body ?? ''

describe.each(receivers)('the receiver in $language', ({ language, fence, block, runtime, args, build }) => {
  it.skipIf(runtime === undefined)(`starts (left out when ${language} is not on the PATH)`, async () => {
    expect(await post('nothing', '{}')).toBe(400)
  })
  if (runtime === undefined) return

  let url = ''
  let folder = ''
  let stop = (): void => undefined

  beforeAll(async () => {
    folder = await newFolder('receiver')
    const file = path.join(folder, `receiver.${fence}`)
    await writeFile(file, blockOf(fence, block))
    await installSdks(folder)
    const port = await freePort()
    url = `http://127.0.0.1:${port}/webhooks`
    const program = build === undefined ? runtime : await build(runtime, file)
    // The program gets a process group of its own, so that everything it starts ends with it.
    const child = spawn(program, args(file, port), {
      cwd: folder,
      detached: true,
      stdio: 'ignore',
      env: { ...settings(folder), WEBHOOK_SECRET: secret, PORT: String(port) },
    })
    endsWithRun(child)
    stop = () => {
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL')
    }
    await eventually(`the receiver in ${language}`, () => post('nothing', '{}').catch(() => undefined))
  })

  afterAll(async () => {
    stop()
    await rm(folder, { recursive: true, force: true })
  })

  async function post(signature: string, text: string): Promise<number> {
    const headers = { 'Content-Type': 'application/json', 'X-Webhook-Signature': signature }
    return (await fetch(url, { method: 'POST', headers, body: text })).status
  }

  const now = (): number => Math.floor(Date.now() / 1_000)
  const signed = (text: string, t = now(), key = secret): string => `t=${t},v1=${hexSignature(key, t, text)}`

  it.each(payloadVectors.map(({ parts, expected }, index) => [index, parts.event, expected.body] as const))(
    'accepts payload %i, %s',
    async (_index, _event, text) => {
      expect(await post(signed(text), text)).toBe(200)
      expect(await post(signed(text), text), 'a repetition').toBe(200)
    },
  )

  it('accepts one that is almost 5 minutes old', async () => {
    expect(await post(signed(body, now() - 270), body)).toBe(200)
  })

  it('accepts the second signature while a secret is being replaced', async () => {
    const t = now()
    const both = `t=${t},v1=${hexSignature(otherSecret, t, body)},v1=${hexSignature(secret, t, body)}`
    expect(await post(both, body)).toBe(200)
  })

  it.each([
    ['a body changed in one character', (text: string) => [signed(text), text.replace('PAYOUT', 'PAYOUt')]],
    ['a body written anew', (text: string) => [signed(text), JSON.stringify(JSON.parse(text), null, 1)]],
    ['a signature changed in one digit', (text: string) => [flipped(signed(text)), text]],
    ['a signature cut short', (text: string) => [signed(text).slice(0, -2), text]],
    ['a signature that is not hex', (text: string) => [`t=${now()},v1=${'ü'.repeat(64)}`, text]],
    ['the signature of another secret', (text: string) => [signed(text, now(), otherSecret), text]],
    ['one more than 5 minutes old', (text: string) => [signed(text, now() - 302), text]],
    ['an old one that says it is new', (text: string) => [signed(text, now() - 302).replace(/\d+/, `${now()}`), text]],
    ['a time that is none', (text: string) => [signed(text, Number.NaN), text]],
    ['a signature without its time', (text: string) => [signed(text).replace(/^t=\d+,/, ''), text]],
    ['a time without a signature', (text: string) => [`t=${now()}`, text]],
    ['a signature of another version', (text: string) => [signed(text).replace('v1=', 'v0='), text]],
    ['an empty header', (text: string) => ['', text]],
  ])('refuses %s', async (_what, change) => {
    const [signature = '', text = ''] = change(body)
    expect(await post(signature, text)).toBe(400)
  })
})

function flipped(signature: string): string {
  const last = signature.slice(-1)
  return signature.slice(0, -1) + (last === '0' ? '1' : '0')
}

/**
 * With an empty cache Go compiles its own library, which takes half a minute on a small machine. So the build uses this
 * user's cache, and the test waits for no answer meanwhile.
 */
async function buildGo(go: string, file: string): Promise<string> {
  const program = file.replace(/\.go$/, '')
  const cwd = path.dirname(file)
  const GOCACHE = execFileSync(go, ['env', 'GOCACHE'], { encoding: 'utf8' }).trim()
  const env = { ...settings(cwd), GOCACHE, GOTOOLCHAIN: 'local', GOPROXY: 'off', GOFLAGS: '-mod=mod' }
  await promisify(execFile)(go, ['build', '-o', program, file], { cwd, env })
  return program
}

/** Links the SDKs so that each language finds its own from this folder, as after an install. */
async function installSdks(folder: string): Promise<void> {
  await symlink(path.join(root, 'node_modules'), path.join(folder, 'node_modules'), 'junction')
  await writeFile(path.join(folder, 'package.json'), '{"type":"module"}')
  const module = ['module receiver', 'go 1.23', 'require manilla.dev/go v0.0.0']
  await writeFile(
    path.join(folder, 'go.mod'),
    [...module, `replace manilla.dev/go => ${path.join(root, 'sdk/go')}`, ''].join('\n'),
  )
  await mkdir(path.join(folder, 'vendor'))
  const php = JSON.stringify(path.join(root, 'sdk/php/tests/load.php'))
  await writeFile(path.join(folder, 'vendor/autoload.php'), `<?php require ${php};`)
}

function settings(folder: string): Record<string, string | undefined> {
  const python = { PYTHONPATH: path.join(root, 'sdk/python/src'), PYTHONDONTWRITEBYTECODE: '1' }
  return { PATH: process.env['PATH'], HOME: folder, ...python }
}

function blockOf(fence: string, at: number): string {
  const blocks = [...page.matchAll(new RegExp(`^\`\`\`${fence}\\n(.+?)^\`\`\`$`, 'gms'))]
  const block = blocks[at]?.[1]
  if (block === undefined) throw new Error(`docs/webhooks.md has no block ${at} of ${fence}`)
  return block
}

function onPath(program: string): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter)
  return folders.map((folder) => path.join(folder, program)).find(canRun)
}

function canRun(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
