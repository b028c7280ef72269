// So many pieces of work at once for each of many owners and for all of them together, so that neither one of them nor many
// fill what is shared with others. Who comes when there is enough under way waits in its owner's line, or is refused where
// nobody may wait.

import { present } from './assert.ts'
import { Unavailable } from './errors.ts'

export type TurnLimits = {
  /** Of one owner. */
  atOnceMax: number
  /** Of one owner; the next one is refused. */
  waitingMax: number
  /** Who has waited for so long is refused. */
  waitMsMax: number
  /** Of all owners together. */
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
  /** Whose last turn ended longest ago stands first. */
  const lines = new Map<string, Line>()
  let underWay = 0

  function begin(line: Line): void {
    line.underWay++
    underWay++
  }

  function enter(owner: string): Promise<void> | undefined {
    const line = lines.get(owner) ?? { underWay: 0, waiting: new Set() }
    const hasTurn = line.underWay < atOnceMax && underWay < atOnceInAllMax
    if (!hasTurn && line.waiting.size >= waitingMax) throw new Unavailable(sentence)
    lines.set(owner, line)
    if (hasTurn) {
      begin(line)
      return undefined
    }
    return new Promise((resolve, reject) => {
      const go = (): void => {
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(() => {
        line.waiting.delete(go)
        if (line.underWay === 0 && line.waiting.size === 0) lines.delete(owner)
        reject(new Unavailable(sentence))
      }, waitMsMax)
      line.waiting.add(go)
    })
  }

  function leave(owner: string): void {
    const line = present(lines.get(owner), 'who has work under way has a line')
    line.underWay--
    underWay--
    lines.delete(owner)
    if (line.underWay > 0 || line.waiting.size > 0) lines.set(owner, line)
    const next = mostWanting(lines.values(), atOnceMax)
    if (next === undefined) return
    next.line.waiting.delete(next.go)
    begin(next.line)
    next.go()
  }

  return {
    async run(owner, work) {
      await enter(owner)
      try {
        return await work()
      } finally {
        leave(owner)
      }
    },
  }
}

/** Who has the least under way and waits: however much others ask for, a newcomer has the next turn but for newcomers. */
function mostWanting(lines: Iterable<Line>, atOnceMax: number): { line: Line; go: () => void } | undefined {
  let found: { line: Line; go: () => void } | undefined
  for (const line of lines) {
    const [go] = line.waiting
    if (go === undefined || line.underWay >= atOnceMax) continue
    if (found === undefined || line.underWay < found.line.underWay) found = { line, go }
  }
  return found
}

// Answers that cost much and may be asked for by many at once. For each key one is being made at a time, and all who ask
// meanwhile get the next one: no caller gets an answer that was begun before it asked, and impatient callers do not fill
// the database's connections.

type Pending<T> = { ended: Promise<void>; next: Promise<T> | undefined }

export class AskOnce<T> {
  readonly #lines = new Map<string, Pending<T>>()

  ask(key: string, make: () => Promise<T>): Promise<T> {
    const line = this.#lines.get(key)
    if (line === undefined) return this.#make(key, make)
    line.next ??= line.ended.then(() => this.#make(key, make))
    return line.next
  }

  #make(key: string, make: () => Promise<T>): Promise<T> {
    const made = make()
    const forget = (): void => {
      if (line.next === undefined) this.#lines.delete(key)
    }
    const line: Pending<T> = { ended: made.then(forget, forget), next: undefined }
    this.#lines.set(key, line)
    return made
  }
}
