// Random numbers that follow from the seed (mulberry32), so that a world that went wrong can be run again. Each concurrent part
// forks a chance of its own, so that no part changes the numbers of another.

export type Chance = {
  /** A whole number from 0 up to, not including, `limit`. */
  below(limit: number): number
  between(least: number, most: number): number
  /** True for this share of the calls. */
  happens(share: number): boolean
  pick<T>(choices: readonly T[]): T
  /** Another chance, which follows only from this one's seed and the name. */
  fork(name: string): Chance
}

export function createChance(seed: number): Chance {
  let state = seed
  function next(): number {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (limit: number): number => Math.floor(next() * limit)
  return {
    below,
    between: (least, most) => least + below(most - least + 1),
    happens: (share) => next() < share,
    pick(choices) {
      const picked = choices[below(choices.length)]
      if (picked === undefined) throw new Error('there is nothing to pick from')
      return picked
    },
    fork: (name) => createChance(hashOf(`${seed} ${name}`)),
  }
}

/** The FNV-1a hash of a text, as a seed. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193)
  return hash | 0
}
