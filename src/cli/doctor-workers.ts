// What the doctor says of the machines of a Citus that hold the lanes: what it says of the primary is true of the coordinator
// alone, and payments are on the workers.

import type pg from 'pg'
import { laneTable } from '#base/distributed.ts'
import { judgeReplication, readReplication, type Replication } from './doctor-replication.ts'
import { finding, type Finding } from './finding.ts'

/** As a worker answers. `result`: JSON, or why there is none. */
export type WorkerAnswer = { nodename: string; nodeport: number; success: boolean; result: string }

type Worker = Replication & { durable: boolean }

const askWorker = `select row_to_json(worker)::text from (
  select replication.*, current_setting('fsync') = 'on' and current_setting('synchronous_commit') <> 'off' as durable
    from (${readReplication}) as replication) as worker`

/** Nothing where one machine holds all lanes. */
export async function workersFinding(client: pg.Client, production: boolean): Promise<Finding[]> {
  const { rows } = await client.query<{ spread: boolean }>(`select to_regclass('${laneTable}') is not null as spread`)
  if (rows[0]?.spread !== true) return []
  const asked = await client.query<WorkerAnswer>('select * from run_command_on_workers($1)', [askWorker])
  return [judgeWorkers(asked.rows, production)]
}

/** One sentence for all that is the same, the worst first. */
export function judgeWorkers(answers: WorkerAnswer[], production: boolean): Finding {
  const judged = answers.map((answer) => ({ at: `${answer.nodename}:${answer.nodeport}`, ...judgeWorker(answer) }))
  const worst = (['failed', 'warning'] as const).find((state) => judged.some((one) => one.state === state))
  if (worst === undefined) {
    const message = `${judged.length} workers: a payment is on the disk of a second machine before it is answered`
    return finding('workers', 'ok', message)
  }
  const telling = judged.filter(({ state }) => state === worst)
  const told = [...Map.groupBy(telling, ({ message }) => message)].map(
    ([message, those]) => `${those.map(({ at }) => at).join(', ')}: ${message}`,
  )
  return finding('workers', worst === 'failed' && !production ? 'warning' : worst, told.join('; '))
}

function judgeWorker({ success, result }: WorkerAnswer): Pick<Finding, 'state' | 'message'> {
  if (!success) return { state: 'failed', message: `cannot be asked, and its lanes answer 503 (${result})` }
  const { durable, ...replication } = JSON.parse(result) as Worker
  if (durable) return judgeReplication(replication)
  const lost = 'fsync or synchronous_commit is off: a crash would lose the payments of its lanes'
  return { state: 'failed', message: `${lost}. Switch both on` }
}
