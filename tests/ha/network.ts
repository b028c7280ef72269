// Three machines, as far as PostgreSQL can tell: three loopback addresses, or three network namespaces with a switch
// between them, whose wires can be cut. A namespace lives as long as the process that holds it, so a killed run leaves
// nothing behind.

import { randomInt } from 'node:crypto'
import { readlink } from 'node:fs/promises'
import { run } from '#tests/deploy/tools.ts'
import type { Running, Start } from '#tests/support/launch.ts'
import { eventually } from '#tests/support/patience.ts'

type Account = { uid: number; gid: number }

export type Network = {
  addressOf(machine: number): string
  /** The addresses of its machines. */
  range: string
  /** Starts a program on a machine, under this account. */
  start(machine: number, words: string[], options: StartOptions): Promise<Running>
  /** Starts a program on our own machine. */
  startHere(words: string[]): Promise<Running>
  /** Cuts all connections between that machine and the others. */
  cut(machine: number): Promise<void>
  heal(machine: number): Promise<void>
}

type StartOptions = { env: Record<string, string>; account: Account | undefined }

export function createLoopback(start: Start): Network {
  const prefix = `127.${randomInt(1, 255)}.${randomInt(0, 255)}.`
  const noWire = (): Promise<never> => Promise.reject(new Error('loopback has no wire to cut'))
  return {
    addressOf: (machine) => prefix + String(10 + machine),
    // Connections within loopback come from 127.0.0.1.
    range: '127.0.0.0/8',
    start: (_machine, words, { env, account }) => start(words, { env, ...(account && { uid: account.uid }) }),
    startHere: (words) => start(words, {}),
    cut: noWire,
    heal: noWire,
  }
}

/** Undefined: this process may not create namespaces. */
export async function createNamespaces(machines: readonly number[], start: Start): Promise<Network | undefined> {
  const prefix = `198.18.${randomInt(0, 255)}.`
  const mine = await readlink('/proc/self/ns/net').catch(() => '')
  if ((await run('unshare', ['--net', 'true'])).code !== 0) return undefined

  async function newNamespace(): Promise<number> {
    const { pid } = await start(['unshare', '--net', 'sleep', 'infinity'], {})
    await eventually('a network namespace', async () => {
      const its = await readlink(`/proc/${pid}/ns/net`).catch(() => mine)
      return its === mine ? undefined : true
    })
    return pid
  }

  const theSwitch = await newNamespace()
  const holders = new Map<number, number>()
  const ip = async (pid: number | undefined, ...words: string[]): Promise<void> => {
    const inside = pid === undefined ? [] : ['nsenter', '--target', String(pid), '--net']
    const [file = '', ...args] = [...inside, 'ip', ...words]
    const { code, stderr } = await run(file, args)
    if (code !== 0) throw new Error(`ip ${words.join(' ')}: ${stderr}`)
  }
  const wireOf = (machine: number): string => `machine${machine}`

  /** Adds a wire from the switch to a machine, or to our own, with an address at that end. */
  async function plug(wire: string, at: number, to: number, end: string): Promise<void> {
    await ip(theSwitch, 'link', 'add', wire, 'type', 'veth', 'peer', 'name', end, 'netns', String(to))
    await ip(theSwitch, 'link', 'set', wire, 'master', 'switch', 'up')
    const there = to === process.pid ? undefined : to
    await ip(there, 'addr', 'add', `${prefix}${at}/24`, 'dev', end)
    await ip(there, 'link', 'set', end, 'up')
  }

  await ip(theSwitch, 'link', 'add', 'switch', 'type', 'bridge')
  await ip(theSwitch, 'link', 'set', 'switch', 'up')
  await plug('us', 1, process.pid, `mha${process.pid}`)
  for (const machine of machines) {
    const holder = await newNamespace()
    holders.set(machine, holder)
    await ip(holder, 'link', 'set', 'lo', 'up')
    await plug(wireOf(machine), 10 + machine, holder, 'eth0')
  }
  return {
    addressOf: (machine) => prefix + String(10 + machine),
    range: `${prefix}0/24`,
    start(machine, words, { env, account }) {
      const as = account === undefined ? [] : ['--setuid', String(account.uid), '--setgid', String(account.gid)]
      return start(['nsenter', '--target', String(holders.get(machine)), '--net', ...as, '--', ...words], { env })
    },
    startHere: (words) => start(words, {}),
    cut: (machine) => ip(theSwitch, 'link', 'set', wireOf(machine), 'down'),
    heal: (machine) => ip(theSwitch, 'link', 'set', wireOf(machine), 'up'),
  }
}
