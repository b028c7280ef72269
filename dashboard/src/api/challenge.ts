// A call may need the person to sign in again or to give a second factor. The shell registers a dialog for each of these
// challenges. When the person has answered it, the call is sent again, so no input is lost.

export type Challenge = 'sign-in' | 'step-up'

type Meet = () => Promise<boolean>

const meetings = new Map<Challenge, Meet>()
const waiting = new Map<Challenge, Promise<boolean>>()

export function meetChallenges(kind: Challenge, meet: Meet): () => void {
  meetings.set(kind, meet)
  return () => {
    if (meetings.get(kind) === meet) meetings.delete(kind)
  }
}

/** Calls that need the same challenge at the same time wait for one answer. */
export function challenge(kind: Challenge): Promise<boolean> {
  const already = waiting.get(kind)
  if (already !== undefined) return already
  const meet = meetings.get(kind)
  if (meet === undefined) return Promise.resolve(false)
  const met = meet().finally(() => waiting.delete(kind))
  waiting.set(kind, met)
  return met
}
