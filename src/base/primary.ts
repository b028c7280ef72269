// Which server takes the writes. An address may name several, as libpq reads it: `postgres://user@a,b,c/manilla`. One of
// them is the primary, and which one changes when a machine dies. The driver knows one server, so all are asked at once,
// and the first that takes writes is remembered until something goes wrong with it.

import { brief } from './error.ts'

type Primary = {
  /** Resolves when it is known. All who ask meanwhile share one search. */
  settle(): Promise<void>
  /** Its own address, as it was known last. */
  url(): string
  /** Something went wrong with it: whoever connects next asks them all. */
  forget(): void
}

/** `tryServer` resolves when a server takes writes; once the signal is given, its answer does not matter any more. */
export function createPrimary(
  address: string,
  tryServer: (url: string, over: AbortSignal) => Promise<unknown>,
): Primary {
  const servers = serversOf(address)
  let url = servers[0] ?? address
  let known = servers.length === 1
  let search: Promise<void> | undefined

  async function find(): Promise<void> {
    const over = new AbortController()
    try {
      url = await Promise.any(servers.map((server) => tryServer(server, over.signal).then(() => server)))
      known = true
    } catch (error) {
      const reasons = error instanceof AggregateError ? error.errors : [error]
      throw new Error(`no server takes writes: ${reasons.map(brief).join('; ')}`, { cause: error })
    } finally {
      over.abort()
      search = undefined
    }
  }

  return {
    settle: () => (known ? Promise.resolve() : (search ??= find())),
    url: () => url,
    forget: () => void (known = servers.length === 1),
  }
}

const attributes = 'target_session_attrs'

/** An address for each server that it names. The driver need not know what sessions we want: it is always the same. */
export function serversOf(address: string): string[] {
  const [, before = '', hosts = '', path = '', query = ''] =
    /^(\w+:\/\/(?:[^/?]*@)?)([^/?@]*)([^?]*)(.*)$/.exec(address) ?? []
  const parameters = query
    .slice(1)
    .split('&')
    .filter((parameter) => parameter !== '' && !parameter.startsWith(`${attributes}=`))
  const rest = parameters.length === 0 ? path : `${path}?${parameters.join('&')}`
  return hosts.split(',').map((host) => `${before}${host}${rest}`)
}

/** Manilla writes: an address that asks for a standby was meant for somebody else. */
export function asksForPrimary(address: string): boolean {
  const asked = new URLSearchParams(address.split('?')[1]).get(attributes)
  return asked === null || asked === 'read-write' || asked === 'primary'
}
