// Runs programs of API users, which are no dependency of this project. A test downloads them when it needs them.

import { execFile } from 'node:child_process'
import type { TestContext } from 'vitest'

export type Run = { ok: boolean; text: string }

export function run(folder: string, program: string, ...args: string[]): Promise<Run> {
  return new Promise((resolve) => {
    const options = { cwd: folder, maxBuffer: 64 * 1024 * 1024 }
    execFile(program, args, options, (error, out, err) => resolve({ ok: error === null, text: `${out}${err}` }))
  })
}

const unreachable = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENOENT|no such host|dial tcp|i\/o timeout|not found/i

/** Runs a generator's own version command first, which fetches it. */
export async function fetched(context: TestContext, folder: string, program: string, ...args: string[]): Promise<void> {
  const { ok, text } = await run(folder, program, ...args)
  if (ok) return
  const isMissing = text === '' || unreachable.test(text)
  if (isMissing) context.skip(`${program} ${args.join(' ')} is not installed and cannot be fetched`)
  throw new Error(text)
}
