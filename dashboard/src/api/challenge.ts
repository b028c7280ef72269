// A call may have to wait until the person signs in again or gives a second factor. The shell registers a dialog for
// each of these challenges. When the person has passed it, the call continues, so no input is lost.

export type Challenge = 'sign-in' | 'step-up'

/** Resolves with whether it was met. */
type Meet = () => Promise<boolean>

const meetings = new Map<Challenge, Meet>()
const waiting = new Map<Challenge, Promise<boolean>>()

/** Registers how to meet a challenge. Returns a function that removes it again. */
export function meetChallenges(kind: Challenge, meet: Meet): () => void {
  meetings.set(kind, meet)
  return () => {
    if (meetings.get(kind) === meet) meetings.delete(kind)
  }
}

/** Calls that meet the same challenge at once wait for one answer. */
export function challenge(kind: Challenge): Promise<boolean> {
  const already = waiting.get(kind)
  if (already !== undefined) return already
  const meet = meetings.get(kind)
  if (meet === undefined) return Promise.resolve(false)
  const met = meet().finally(() => waiting.delete(kind))
  waiting.set(kind, met)
  return met
}
