// What the doctor says of the way to a PostgreSQL of one's own, and of what the service may do there beyond its work.

import type pg from 'pg'
import { serversOf } from '#base/primary.ts'
import { replicationFinding } from './doctor-replication.ts'
import { workersFinding } from './doctor-workers.ts'
import { finding, type Finding } from './finding.ts'

/** `client` is connected as the service. `production`: real money is behind it. */
export async function examineOwnDatabase(client: pg.Client, url: string, production: boolean): Promise<Finding[]> {
  const { rows } = await client.query<{ encrypted: boolean }>(
    'select coalesce((select ssl from pg_stat_ssl where pid = pg_backend_pid()), false) as encrypted',
  )
  return [
    connectionFinding(url, rows[0]?.encrypted === true),
    await replicationFinding(client, production),
    ...(await workersFinding(client, production)),
    await rightsFinding(client),
  ]
}

export function connectionFinding(url: string, encrypted: boolean): Finding {
  const { hosts, mode } = readAddress(url)
  const remedy = `Add ?sslmode=verify-full to DATABASE_URL; see docs/runbooks/production.md`
  const host = hosts.join(', ')
  if (hosts.every(isThisMachine)) return finding('connection', 'ok', 'does not leave this machine')
  if (!encrypted) {
    return finding(
      'connection',
      'warning',
      `to ${host} in clear: whoever is between reads and changes payments. ${remedy}`,
    )
  }
  return mode === 'verify-full'
    ? finding(
        'connection',
        'ok',
        `encrypted, and ${host} ${hosts.length === 1 ? 'proves who it is' : 'prove who they are'}`,
      )
    : finding(
        'connection',
        'warning',
        `encrypted, but ${host} need not prove who ${hosts.length === 1 ? 'it is' : 'they are'}. ${remedy}`,
      )
}

/** `new URL` refuses the addresses of sockets, which have no host before the path. */
function readAddress(url: string): { hosts: string[]; mode: string | null } {
  const parameters = new URLSearchParams(url.split('?')[1])
  const hosts = serversOf(url).map((server) => {
    const [, named = ''] = /^[a-z]+:\/\/(?:[^@/?]*@)?(\[[^\]]*\]|[^:/?]*)/i.exec(server) ?? []
    return parameters.get('host') ?? named.replaceAll(/[[\]]/g, '')
  })
  return { hosts, mode: parameters.get('sslmode') }
}

function isThisMachine(host: string): boolean {
  return host === '' || host === 'localhost' || host === '::1' || host.startsWith('/') || /^127(\.\d+){3}$/.test(host)
}

/** What no migration can take away, because it belongs to everybody on a new PostgreSQL. */
async function rightsFinding(client: pg.Client): Promise<Finding> {
  const { rows } = await client.query<{ may: string }>(
    `select may from (values
       (has_function_privilege('lo_create(oid)', 'execute'), 'make large objects'),
       (has_database_privilege(current_database(), 'temporary'), 'make temporary tables'),
       ((select has_database_privilege(oid, 'connect') from pg_database where datname = 'postgres'),
        'connect to the database postgres')) as found (held, may)
      where held`,
  )
  if (rows.length === 0) return finding('rights', 'ok', 'the service may do nothing beside its work')
  const held = rows.map(({ may }) => may).join(', ')
  return finding('rights', 'warning', `the service may ${held}: revoke what docs/runbooks/production.md lists`)
}
