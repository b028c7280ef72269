// A highly available PostgreSQL as docs/runbooks/scale.md builds it: three machines with etcd, Patroni and PostgreSQL
// each, and HAProxy in front. It uses the files of deploy/ha and changes only addresses and folders.

import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { signalProcess } from '#postgres/embedded/server-process.ts'
import { chooseAccount } from '#postgres/embedded/launch.ts'
import { passwords } from '#tests/deploy/roles.ts'
import { deployFolder, findTool, run } from '#tests/deploy/tools.ts'
import { moment } from '#tests/faults/load.ts'
import { freePort, type Running } from '#tests/support/launch.ts'
import { eventually } from '#tests/support/patience.ts'
import type { Network } from './network.ts'

export const machines = [1, 2, 3] as const
export type Machine = (typeof machines)[number]

const tools = ['etcd', 'patroni', 'patronictl', 'haproxy', 'psql', 'pg_controldata']
export const missingTools = tools.filter((name) => findTool(name) === undefined)
/** The folder of the server's programs, because a machine may have other versions elsewhere. */
const postgresFolder = path.dirname(findTool('pg_controldata') ?? '')

export type Cluster = {
  /** The address list of all three machines. */
  urlOf(role: Role): string
  /** The address of HAProxy. */
  proxyUrlOf(role: Role): string
  /** Resolves once Patroni says that another machine takes the writes. */
  another(than: Machine): Promise<void>
  /** The standby that commits wait for. */
  synchronous(): Promise<Machine>
  /** Resolves when there are a primary and this many standbys that follow it, one of them synchronously. */
  whole(standbys?: number): Promise<Machine>
  /** Kills everything on that machine at once. */
  kill(machine: Machine): Promise<void>
  /** Kills only its PostgreSQL. */
  killPostgres(machine: Machine): Promise<void>
  start(machine: Machine): Promise<void>
  /**
   * Kills the machine of the primary and starts it again. Resolves when another machine is the primary and the old one
   * follows it.
   */
  replacePrimary(): Promise<{ dead: Machine; primary: Machine }>
  switchOver(): Promise<void>
  /** The output of every program on the machines; PostgreSQL's follows Patroni's. */
  logs(): string[]
}

export type ClusterOptions = {
  /** Replaces the limit of the file, which is meant for a few processes. */
  connectionsMax?: number
}

type Role = keyof typeof passwordOf

type Member = { name: string; role: string; state: string }

const lastCharsMax = 2_000
const passwordOf = {
  postgres: 'REPLACE-superuser',
  manilla_owner: passwords.OWNER_PASSWORD,
  manilla_app: passwords.APP_PASSWORD,
}

/** `folder`: an empty folder that the account of PostgreSQL may enter. */
export async function startCluster(
  network: Network,
  folder: string,
  { connectionsMax }: ClusterOptions = {},
): Promise<Cluster> {
  const account = await chooseAccount([])
  const running = new Map<Machine, Running[]>()
  const everStarted: Running[] = []
  const homeOf = (machine: Machine): string => path.join(folder, `db${machine}`)

  /** A file of deploy/ha with the values of one machine. */
  async function fill(name: string, machine: Machine): Promise<string> {
    const text = await readFile(path.join(deployFolder, 'ha', name), 'utf8')
    const home = homeOf(machine)
    return text
      .split('\n')
      .map((line) => (line.includes('10.0.0.12') ? line : line.replaceAll('10.0.0.11', `10.0.0.1${machine}`)))
      .map((line) => line.replace(/^(name: |ETCD_NAME=)db1$/, `$1db${machine}`))
      .join('\n')
      .replaceAll('10.0.0.0/24', network.range)
      .replaceAll(/10\.0\.0\.1(\d)/g, (_, one: string) => network.addressOf(Number(one)))
      .replaceAll(/\/var\/(lib|run)\/[\w./-]*/g, (place) => path.join(home, place))
      .replaceAll('/usr/lib/postgresql/15/bin', postgresFolder)
      .replace(/max_connections: \d+/, (said) =>
        connectionsMax === undefined ? said : `max_connections: ${connectionsMax}`,
      )
  }

  async function startMachine(machine: Machine): Promise<void> {
    const env = { PATH: process.env['PATH'] ?? '', LC_ALL: 'C.UTF-8' }
    const settings = (await fill('etcd.env', machine)).split('\n').filter((line) => /^\w+=/.test(line))
    const ofEtcd = Object.fromEntries(
      settings.map((line) => [line.split('=', 1)[0], line.slice(line.indexOf('=') + 1)]),
    )
    const programs = [
      await network.start(machine, [findTool('etcd') ?? ''], { account, env: { ...env, ...ofEtcd } }),
      await network.start(machine, [findTool('patroni') ?? '', patroniFile(machine)], { account, env }),
    ]
    running.set(machine, programs)
    everStarted.push(...programs)
  }

  const patroniFile = (machine: Machine): string => path.join(homeOf(machine), 'patroni.yml')

  for (const machine of machines) {
    for (const place of ['lib/postgresql/15', 'lib/etcd', 'run/postgresql'])
      await mkdir(path.join(homeOf(machine), 'var', place), { recursive: true })
    await writeFile(patroniFile(machine), await fill('patroni.yml', machine))
    if (account !== undefined) await run('chown', ['-R', `${account.uid}:${account.gid}`, homeOf(machine)])
  }
  await Promise.all(machines.map(startMachine))
  const proxyPort = await freePort()
  const proxyFile = path.join(folder, 'haproxy.cfg')
  await writeFile(proxyFile, (await fill('haproxy.cfg', 1)).replaceAll('127.0.0.1:5000', `127.0.0.1:${proxyPort}`))
  await network.startHere([findTool('haproxy') ?? '', '-db', '-f', proxyFile])

  async function killPostgres(machine: Machine): Promise<void> {
    const noted = path.join(homeOf(machine), 'var/lib/postgresql/15/manilla/postmaster.pid')
    signalProcess(Number((await readFile(noted, 'utf8')).split('\n')[0]), 'SIGKILL')
  }

  const cluster: Cluster = {
    urlOf: (role) => addressOf(role, machines.map((machine) => `${network.addressOf(machine)}:5432`).join()),
    proxyUrlOf: (role) => addressOf(role, `127.0.0.1:${proxyPort}`),
    another: (than) =>
      eventually('another primary', async () => {
        const primary = (await askPatroni(network, than)).find(({ role }) => role === 'leader')
        return primary === undefined || primary.machine === than ? undefined : true
      }).then(() => undefined),
    synchronous: () =>
      eventually('a synchronous standby', async () => {
        return (await askPatroni(network)).find(({ role }) => role === 'sync_standby')?.machine
      }),
    whole: (standbys = 2) =>
      eventually('a primary and its standbys', async () => {
        const members = (await askPatroni(network)).filter(({ state }) => ['running', 'streaming'].includes(state))
        const following = members.filter(({ role }) => role === 'replica' || role === 'sync_standby')
        if (following.length < standbys || !members.some(({ role }) => role === 'sync_standby')) return undefined
        return members.find(({ role }) => role === 'leader')?.machine
      }),
    async kill(machine) {
      for (const { pid } of running.get(machine) ?? []) signalProcess(pid, 'SIGKILL')
      await killPostgres(machine)
      await Promise.all((running.get(machine) ?? []).map(({ ended }) => ended))
    },
    killPostgres,
    start: startMachine,
    async replacePrimary() {
      const dead = await cluster.whole()
      await cluster.kill(dead)
      await cluster.another(dead)
      await startMachine(dead)
      return { dead, primary: await cluster.whole() }
    },
    async switchOver() {
      const words = ['-c', patroniFile(1), 'switchover', 'manilla', '--force']
      const { code, stdout, stderr } = await run(findTool('patronictl') ?? '', words)
      if (code !== 0 || !stdout.includes('Successfully switched over')) throw new Error(stdout + stderr)
    },
    logs: () => everStarted.map(({ stdout, stderr }) => stdout() + stderr()),
  }
  const primary = await cluster.whole().catch((error: unknown) => {
    const last = [...running.values()].flat().map(({ stdout, stderr }) => (stdout() + stderr()).slice(-lastCharsMax))
    throw new Error(`the cluster did not come up. What its programs said last:\n${last.join('\n\n')}`, { cause: error })
  })
  await makeRoles(network.addressOf(primary))
  return cluster
}

function addressOf(role: Role, hosts: string): string {
  return `postgres://${role}:${encodeURIComponent(passwordOf[role])}@${hosts}/manilla?target_session_attrs=read-write`
}

async function makeRoles(primary: string): Promise<void> {
  const server = { PGHOST: primary, PGPASSWORD: passwordOf.postgres }
  const { code, stderr } = await run(path.join(deployFolder, 'postgresql', 'roles.sh'), [], {
    env: { ...passwords, ...server, PATH: `${process.env['PATH']}:${postgresFolder}` },
  })
  if (code !== 0) throw new Error(stderr)
}

const answerMsMax = 2_000
/** Each question makes Patroni ask etcd, which has more important work. */
const askEveryMs = 500

/** The members, as the first machine reports them that answers and knows a primary. */
async function askPatroni(network: Network, but?: Machine): Promise<(Member & { machine: Machine })[]> {
  await moment(askEveryMs)
  for (const machine of machines.filter((one) => one !== but)) {
    try {
      const url = `http://${network.addressOf(machine)}:8008/cluster`
      const answer = await fetch(url, { signal: AbortSignal.timeout(answerMsMax) })
      const { members } = (await answer.json()) as { members: Member[] }
      if (members.some(({ role }) => role === 'leader'))
        return members.map((member) => ({ ...member, machine: Number(member.name.slice(2)) as Machine }))
    } catch {
      // The machine is dead, cut off, or has not started yet.
    }
  }
  return []
}
