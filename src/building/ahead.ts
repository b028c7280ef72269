// The dashboard built ahead, beside the code: for images, and once for a run of the tests.

import { mkdir, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { buildInto, fingerprintFile } from './build.ts'
import { builtAhead, fingerprintSources } from './sources.ts'

/** Whether this folder holds the whole build of these sources. */
export async function isBuildOf(folder: string, fingerprint: string): Promise<boolean> {
  const found = await readFile(path.join(folder, fingerprintFile), 'utf8').catch(() => undefined)
  return found === fingerprint
}

/** Builds it unless it is there already. */
export async function buildAhead(stop: AbortSignal): Promise<void> {
  const fingerprint = await fingerprintSources()
  if (await isBuildOf(builtAhead, fingerprint)) return
  await rm(builtAhead, { recursive: true, force: true })
  await mkdir(path.dirname(builtAhead), { recursive: true })
  await buildInto(builtAhead, fingerprint, stop)
}
