// Runs programs of API users, which are no dependency of this project. A test downloads them when it needs them.

import { execFile } from 'node:child_process'
import type { TestContext } from 'vitest'

export type Run = { ok: boolean; text: string }

export async function run(folder: string, program: string, ...args: string[]): Promise<Run> {
  const { ok, text } = await runWithin(0, folder, program, args)
  return { ok, text }
}

/** 0 milliseconds are no limit. `isLate`: the limit ended it. */
function runWithin(
  timeout: number,
  folder: string,
  program: string,
  args: string[],
): Promise<Run & { isLate: boolean }> {
  return new Promise((resolve) => {
    const options = { cwd: folder, maxBuffer: 64 * 1024 * 1024, timeout }
    execFile(program, args, options, (error, out, err) =>
      resolve({ ok: error === null, text: `${out}${err}`, isLate: timeout > 0 && error?.killed === true }),
    )
  })
}

const unreachable = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENOENT|no such host|dial tcp|i\/o timeout|not found/i

/** Leaves most of a test's time to what it tests. A download takes 10 to 40 s. */
const fetchMs = 150_000

/**
 * Runs a command that fetches programs or packages. The test is skipped where no registry is at hand, or where one is so slow
 * that its speed would decide the test.
 */
export async function fetched(context: TestContext, folder: string, program: string, ...args: string[]): Promise<void> {
  const { ok, text, isLate } = await runWithin(fetchMs, folder, program, args)
  if (ok) return
  const isMissing = isLate || text === '' || unreachable.test(text)
  if (isMissing) context.skip(`${program} ${args.join(' ')} is not installed and cannot be fetched`)
  throw new Error(text)
}
