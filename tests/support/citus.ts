// The databases of a run on Citus. CITUS_DATABASE_URL is a database of its coordinator that knows the workers, with an
// administrator's login. A database exists on every node, and so does its template. Citus stores what it knows in
// tables of each database, so copies of the template on all nodes know each other as the templates do.

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import pg from 'pg'
import type { TestContext } from 'vitest'
import { present } from '#platform/assert.ts'
import { migrate } from '#postgres/migrations/migrate.ts'

export const citusUrl = process.env['CITUS_DATABASE_URL']
/**
 * A program that is called with the host and the port of a worker. It kills the worker's PostgreSQL with signal 9 and
 * starts it again after some seconds.
 */
export const citusKiller = process.env['CITUS_KILL_WORKER']

/** Skips a test of what Citus does not have or does otherwise. The report shows the reason. */
export function skipOnCitus({ skip }: TestContext, because: string): void {
  skip(citusUrl !== undefined, `on Citus ${because}`)
}

export type CitusNode = { host: string; port: number }

type Node = CitusNode & { is_coordinator: boolean }

/** Few shards, because each is a file for each index, and a test has few lanes. */
const shards = 4

export async function makeCitusTemplate(url: string, name: string): Promise<void> {
  const coordinator = await makeEmptyOnCitus(url, name)
  await migrate(coordinator)
  // As the runbook for production says.
  await onEveryNode(coordinator, [
    'revoke execute on function lo_creat(integer), lo_create(oid), lo_from_bytea(oid, bytea) from public',
  ])
  // PostgreSQL copies no database that has sessions, and Citus keeps one open.
  await onEveryNode(url, [
    `alter database ${name} with allow_connections false`,
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
  ])
}

/** Makes a database without a table on all nodes. Resolves with its address at the coordinator. */
export async function makeEmptyOnCitus(url: string, name: string): Promise<string> {
  const coordinator = await makePlainOnCitus(url, name)
  await addCitus(url, name)
  return coordinator
}

/** Makes a database on all nodes, without the extension, as a database before Citus. */
export async function makePlainOnCitus(url: string, name: string): Promise<string> {
  const nodes = await nodesOf(url)
  for (const node of nodes)
    await ask(at(url, node), [`drop database if exists ${name} with (force)`, `create database ${name}`])
  return at(url, present(nodes[0], 'a coordinator'), name)
}

/** Adds the extension to a database that is on all nodes, and makes the nodes know each other. */
export async function addCitus(url: string, name: string): Promise<void> {
  const nodes = await nodesOf(url)
  const own = (node: Node): string => at(url, node, name)
  for (const node of nodes) await ask(own(node), ['create extension citus'])
  const coordinator = own(present(nodes[0], 'a coordinator'))
  for (const { host, port, is_coordinator } of nodes) {
    const add = is_coordinator ? 'citus_set_coordinator_host' : 'citus_add_node'
    await ask(coordinator, [`select ${add}('${host}', ${port})`])
  }
  await ask(coordinator, [`alter database ${name} set citus.shard_count = ${shards}`])
}

/** Resolves with the name of the worker. */
export async function killWorker({ host, port }: CitusNode): Promise<string> {
  if (citusKiller === undefined) throw new Error('there is nothing to kill a worker with')
  await promisify(execFile)(citusKiller, [host, String(port)])
  return `the worker ${host}:${port}`
}

/** Kills the next worker, in turn. */
export function killWorkerOf(url: string): (() => Promise<string>) | undefined {
  if (citusKiller === undefined) return undefined
  let deaths = 0
  return async () => {
    const workers = (await nodesOf(url)).filter((node) => !node.is_coordinator)
    const name = await killWorker(present(workers[deaths++ % workers.length], 'a worker'))
    await onEveryNode(url, ['select 1'])
    return name
  }
}

/** Runs these statements on every node. Resolves with the result of the last one at each. */
export async function onEveryNode(url: string, statements: string[]): Promise<unknown[][]> {
  const answers: unknown[][] = []
  for (const node of await nodesOf(url)) answers.push(await ask(at(url, node), statements))
  return answers
}

async function nodesOf(url: string): Promise<Node[]> {
  return (await ask(url, [
    'select nodename as host, nodeport as port, groupid = 0 as is_coordinator from pg_dist_node order by groupid',
  ])) as Node[]
}

/** The same login at another node, for the same database or another. */
function at(url: string, { host, port }: Node, name = '$1'): string {
  return url.replace(/@[^/]*\/([^?]*)/, `@${host}:${port}/${name}`)
}

/** Resolves with the rows of the last statement. */
async function ask(url: string, statements: string[]): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    let rows: unknown[] = []
    for (const statement of statements) rows = (await client.query<Record<string, unknown>>(statement)).rows
    return rows
  } finally {
    await client.end()
  }
}
