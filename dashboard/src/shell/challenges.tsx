// The two challenges that can stop a call: sign in again, and give a second factor. The call waits until its dialog is
// answered, and is then sent again. Both dialogs can be due at once: the session may end while the page asks for the second
// factor. Then the sign-in comes first, because a code needs a session.

import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { meetChallenges, type Challenge } from '#api/challenge.ts'
import { meQuery } from '#api/me.ts'
import { later } from '#ui/later.ts'

const StepUp = later(async () => (await import('./challenge-dialogs.tsx')).StepUp)
const SignInAgain = later(async () => (await import('./challenge-dialogs.tsx')).SignInAgain)

type Answer = (isMet: boolean) => void
type Asked = { [Kind in Challenge]?: Answer | undefined }

export function Challenges() {
  const [asked, setAsked] = useState<Asked>({})
  const queries = useQueryClient()
  useEffect(() => {
    const open = (kind: Challenge) => () =>
      new Promise<boolean>((resolve) => {
        const answer = (isMet: boolean): void => {
          setAsked((all) => ({ ...all, [kind]: undefined }))
          if (isMet) void queries.invalidateQueries({ queryKey: meQuery.queryKey })
          resolve(isMet)
        }
        setAsked((all) => ({ ...all, [kind]: answer }))
      })
    const unmeet = [meetChallenges('sign-in', open('sign-in')), meetChallenges('step-up', open('step-up'))]
    return () => unmeet.forEach((end) => end())
  }, [queries])
  const { 'sign-in': signIn, 'step-up': stepUp } = asked
  return (
    <>
      {signIn === undefined ? null : <SignInAgain onMet={() => signIn(true)} onClose={() => signIn(false)} />}
      {signIn !== undefined || stepUp === undefined ? null : (
        <StepUp onMet={() => stepUp(true)} onClose={() => stepUp(false)} />
      )}
    </>
  )
}
