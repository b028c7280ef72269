// Runs an example as its README says, against a service of the test.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { afterAll } from 'vitest'
import { blocksOf, runShell } from '#tests/docs/snippets.ts'
import { freePort } from '#tests/support/launch.ts'
import { untilHolds } from '#tests/support/patience.ts'
import type { TestService } from '#tests/support/service.ts'

const root = path.resolve(import.meta.dirname, '../..')

export type Program = {
  /** The output so far, of both streams. */
  text: () => string
  /** The exit code, when it ends. */
  code: Promise<number | null>
  url: string
}

export async function runExample(service: TestService, name: string, ...options: string[]): Promise<Program> {
  const port = await freePort()
  const child = spawn(process.execPath, ['--conditions=@manilla/source', `examples/${name}/main.ts`, ...options], {
    cwd: root,
    env: {
      ...process.env,
      MANILLA_API_KEY: service.testKey,
      MANILLA_BASE_URL: `${service.url}/staging`,
      PORT: String(port),
    },
  })
  afterAll(() => void child.kill())
  let text = ''
  for (const output of [child.stdout, child.stderr]) output.on('data', (chunk) => (text += String(chunk)))
  const code = once(child, 'close').then(([exitCode]) => exitCode as number | null)
  return { text: () => text, code, url: `http://127.0.0.1:${port}` }
}

/** Starts an example that serves, and waits until it does. */
export async function serveExample(service: TestService, name: string): Promise<Program> {
  const program = await runExample(service, name)
  let hasEnded = false
  void program.code.then(() => (hasEnded = true))
  await untilHolds(() => {
    if (!hasEnded && !program.text().includes(program.url)) throw new Error(`It does not serve: ${program.text()}`)
  })
  if (hasEnded) throw new Error(program.text())
  return program
}

/** Runs the curl commands of its README, and returns their output. */
export async function followReadme(service: TestService, name: string, program: Program): Promise<string> {
  const blocks = await blocksOf(`../examples/${name}/README`, 'sh')
  const calls = blocks.filter((block) => block.startsWith('curl '))
  const staging = { key: service.testKey, baseUrl: `${service.url}/staging` }
  const { code, text } = await runShell(calls, staging, program.url)
  if (code !== 0) throw new Error(text)
  return text
}

type Json = Record<string, any> // oxlint-disable-line typescript/no-explicit-any

/** POSTs JSON as the README's curl does, and returns status and body. */
export async function post(url: string, body: object): Promise<{ status: number; body: Json }> {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(body) })
  return { status: response.status, body: (await response.json()) as Json }
}
