// Sums the digests that PostgreSQL computes for each batch of lines of a file.

type RowDigest = { count: bigint; digest: string }

type Digests<D extends RowDigest> = {
  add(parts: readonly D[]): void
  all(): D[]
}

export function createDigests<D extends RowDigest>(keyOf: (part: D) => string): Digests<D> {
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
