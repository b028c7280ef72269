// What a verifier found, gathered and told. Bounded: books that are wrong everywhere must not fill the memory of the
// process that looks at them.

import type { Uuid } from '#base/ids.ts'

/** `count` is how many there are when `ids` does not list them all. */
export type Finding = { tenantId?: Uuid; ids: string[]; count?: number; message: string }

export type Breach = {
  invariant: string
  tenantId?: string
  /** What is wrong, the first 100 of it: movements by id, accounts by currency and name. */
  ids: string[]
  message: string
}

const idsMax = 100
const findingsMax = 1_000

type Gathered = { tenantId?: Uuid; ids: string[]; count: number; message: string }

export function createFindings() {
  const gathered = new Map<string, Gathered>()
  let untold = 0
  return {
    add({ tenantId, ids, count = ids.length, message }: Finding): void {
      const key = `${tenantId} ${message}`
      const known = gathered.get(key)
      if (known === undefined && gathered.size >= findingsMax) {
        untold += 1
        return
      }
      const listed = [...(known?.ids ?? []), ...ids].slice(0, idsMax)
      const whose = tenantId === undefined ? {} : { tenantId }
      gathered.set(key, { ...whose, ids: listed, count: (known?.count ?? 0) + count, message })
    },
    told(invariant: string): Breach[] {
      const told = [...gathered.values()].map(({ count, message, ...rest }) => {
        const more = count > rest.ids.length ? ` (${count} in all, the first ${rest.ids.length} are listed)` : ''
        return { invariant, ...rest, message: message + more }
      })
      if (untold > 0) told.push({ invariant, ids: [], message: `and ${untold} findings more, which are not listed` })
      return told
    },
  }
}
