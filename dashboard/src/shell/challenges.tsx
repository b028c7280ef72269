// The two challenges that can stop a call: sign in again, and give a second factor. The call waits while the dialog is
// open and then continues. A call that comes before the dialog's code is loaded waits for that too; otherwise the user
// would read "confirm" without a way to do so.

import { useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useEffect, useState } from 'react'
import { meetChallenges, type Challenge } from '#api/challenge.ts'
import { meQuery } from '#api/me.ts'

const StepUp = lazy(async () => ({ default: (await import('./challenge-dialogs.tsx')).StepUp }))
const SignInAgain = lazy(async () => ({ default: (await import('./challenge-dialogs.tsx')).SignInAgain }))

type Asked = { kind: Challenge; answer: (isMet: boolean) => void }

export function Challenges() {
  const [asked, setAsked] = useState<Asked>()
  const queries = useQueryClient()
  useEffect(() => {
    const open = (kind: Challenge) => () =>
      new Promise<boolean>((resolve) => {
        setAsked({
          kind,
          answer: (isMet) => {
            setAsked(undefined)
            if (isMet) void queries.invalidateQueries({ queryKey: meQuery.queryKey })
            resolve(isMet)
          },
        })
      })
    const unmeet = [meetChallenges('sign-in', open('sign-in')), meetChallenges('step-up', open('step-up'))]
    return () => unmeet.forEach((end) => end())
  }, [queries])
  if (asked === undefined) return null
  const Dialog = asked.kind === 'step-up' ? StepUp : SignInAgain
  return (
    <Suspense>
      <Dialog onAnswer={asked.answer} />
    </Suspense>
  )
}
