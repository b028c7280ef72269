// Shared by the tests of the Python SDK.

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'

export const pythonFolder = path.resolve(import.meta.dirname, '../../sdk/python')

const { status } = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 10))'])

/** The reason why this machine cannot run it; undefined if it can. */
export const pythonMissing = status === 0 ? undefined : 'this machine has no python3 of 3.10 or newer'

export async function runPython(
  command: string,
  options: string[],
  variables: Record<string, string> = {},
): Promise<{ code: number | null; text: string }> {
  const own = { PYTHONPATH: path.join(pythonFolder, 'src'), PYTHONDONTWRITEBYTECODE: '1', NODE: process.execPath }
  const child = spawn(command, options, { cwd: pythonFolder, env: { ...process.env, ...own, ...variables } })
  let text = ''
  for (const output of [child.stdout, child.stderr]) output.on('data', (chunk) => (text += String(chunk)))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, text }
}
