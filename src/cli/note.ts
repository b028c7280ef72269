// What a person writes about an act of theirs: it is kept for whoever asks later why.

import { OperatorError } from '#base/error.ts'

const noteLengthMax = 500

export function noteIn({ note }: { note: string }): string {
  const trimmed = note.trim()
  if (trimmed.length >= 1 && trimmed.length <= noteLengthMax && !trimmed.includes('\0')) return trimmed
  throw new OperatorError(`A note has 1 to ${noteLengthMax} characters: say who told you, and where that is written.`)
}
