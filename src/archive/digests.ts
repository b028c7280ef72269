// The digests of a file, added up while it is read: a piece has one for each tenant, or for each of its causes.

type Digest = { count: bigint; digest: string }

export type Digests<D extends Digest> = {
  add(parts: readonly D[]): void
  all(): D[]
}

/** `keyOf`: what is added up to one. */
export function createDigests<D extends Digest>(keyOf: (part: D) => string): Digests<D> {
  const known = new Map<string, D>()
  return {
    add(parts) {
      for (const part of parts) {
        const { count, digest } = known.get(keyOf(part)) ?? { count: 0n, digest: '0' }
        const sum = (BigInt(digest) + BigInt(part.digest)).toString()
        known.set(keyOf(part), { ...part, count: count + part.count, digest: sum })
      }
    },
    all: () => [...known.values()],
  }
}
