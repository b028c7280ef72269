// So many pieces of work at once for each of many owners, so that none of them fills what all share. Who comes when its owner
// has enough under way waits in line, or is refused where nobody may wait.

import { Unavailable } from './error.ts'

export type TurnLimits = {
  /** Of one owner. */
  atOnceMax: number
  /** Of one owner; the next one is refused. */
  waitingMax: number
  /** Who has waited for so long is refused. */
  waitMsMax: number
  /** Of all owners together. Beyond it nobody waits: more owners than that would each get less than a turn. */
  atOnceInAllMax?: number
  /** Tells who is refused what to do. */
  sentence: string
}

export type Turns = {
  /** Rejects with `Unavailable` when there is no turn; then the work was not begun. */
  run<T>(owner: string, work: () => Promise<T>): Promise<T>
}

type Line = { underWay: number; waiting: Set<() => void> }

export function createTurns(limits: TurnLimits): Turns {
  const { atOnceMax, waitingMax, waitMsMax, atOnceInAllMax = Infinity, sentence } = limits
  const lines = new Map<string, Line>()
  let underWay = 0

  function enter(line: Line): Promise<void> | undefined {
    if (line.underWay < atOnceMax) {
      if (underWay >= atOnceInAllMax) throw new Unavailable(sentence)
      line.underWay++
      underWay++
      return undefined
    }
    if (line.waiting.size >= waitingMax) throw new Unavailable(sentence)
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(() => {
        line.waiting.delete(begin)
        reject(new Unavailable(sentence))
      }, waitMsMax)
      line.waiting.add(begin)
    })
  }

  /** The turn goes to whoever of the same owner has waited for longest. */
  function leave(owner: string, line: Line): void {
    const [next] = line.waiting
    if (next !== undefined) {
      line.waiting.delete(next)
      next()
      return
    }
    line.underWay--
    underWay--
    if (line.underWay === 0) lines.delete(owner)
  }

  return {
    async run(owner, work) {
      const line = lines.get(owner) ?? { underWay: 0, waiting: new Set() }
      const turn = enter(line)
      lines.set(owner, line)
      await turn
      try {
        return await work()
      } finally {
        leave(owner, line)
      }
    },
  }
}
