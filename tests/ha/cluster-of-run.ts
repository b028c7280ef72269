// A cluster in the folder of a run, which ends with the run. Tests of behavior and worlds of simulate/ use it.

import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { launch } from '#tests/support/launch.ts'
import type { Run } from '#tests/support/run.ts'
import { startCluster, type Cluster, type ClusterOptions } from './cluster.ts'
import { createLoopback } from './network.ts'

export async function startClusterOf(run: Run, options: ClusterOptions = {}): Promise<Cluster> {
  const network = createLoopback(async (words, { cwd = run.folder, ...others }) =>
    launch(words, { ...others, cwd, runFolder: run.folder }),
  )
  const folder = path.join(run.folder, 'ha')
  await mkdir(folder)
  return startCluster(network, folder, options)
}
