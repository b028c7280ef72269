// Programs that only some machines have. A test that needs a missing one is skipped; `.ci/run` says which.

import { execFile } from 'node:child_process'
import { accessSync, constants, readdirSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'

export const root = path.resolve(import.meta.dirname, '../..')
export const deployFolder = path.join(root, 'deploy')

const debianPostgres = '/usr/lib/postgresql'

/** The path of the program. Undefined: this machine does not have it. */
export function findTool(name: string): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(':'), '/usr/sbin', ...postgresFolders()]
  return folders.map((folder) => path.join(folder, name)).find(isProgram)
}

/** Debian keeps the server's programs outside of the PATH, in a folder for each version. The newest comes first. */
function postgresFolders(): string[] {
  const versions = ((): string[] => {
    try {
      return readdirSync(debianPostgres)
    } catch {
      return []
    }
  })()
  return versions
    .toSorted((left, right) => Number(right) - Number(left))
    .map((version) => path.join(debianPostgres, version, 'bin'))
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

export type Run = { code: number; stdout: string; stderr: string }

type RunOptions = { env?: Record<string, string>; cwd?: string; uid?: number; gid?: number }

/** Runs a program to its end and returns its result, also if it fails. */
export async function run(file: string, args: string[], { env, ...options }: RunOptions = {}): Promise<Run> {
  const whole = { ...options, env: { PATH: process.env['PATH'], ...env }, maxBuffer: 64 * 1024 * 1024 }
  return await promisify(execFile)(file, args, whole).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: unknown) => {
      const { code, stdout, stderr } = error as { code: unknown; stdout: string; stderr: string }
      return { code: typeof code === 'number' ? code : -1, stdout, stderr: stderr === '' ? String(error) : stderr }
    },
  )
}
