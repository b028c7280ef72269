// What an App only notes in memory, and writes now and then.

import { brief } from '#base/error.ts'
import type { Log } from '#base/log.ts'

const notesEveryMs = 10_000

type WriteNotes = () => Promise<void>

/** Writes now and then, and at the end, what was only noted in memory: when keys were used, who was refused. */
export function writeNotes(writers: WriteNotes[], log: Log): { stop(last: WriteNotes[]): Promise<void> } {
  const write = async (each: WriteNotes[]): Promise<void> => {
    for (const one of each)
      await one().catch((error: unknown) =>
        log.warn({ error: brief(error) }, 'could not note who called and who was refused'),
      )
  }
  const timer = setInterval(() => void write(writers), notesEveryMs)
  timer.unref()
  return {
    stop(last) {
      clearInterval(timer)
      return write(last)
    },
  }
}
