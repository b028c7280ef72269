// Sign-in with a passkey: the browser offers its passkeys below the address field, and a button asks for one. A browser
// asks for one passkey at a time, so the button cancels the offer, and the offer comes back if the button fails.

import { useEffect, useRef, useState } from 'react'
import { ApiFailure } from '#api/failure.ts'
import { canOfferPasskeys, signInWithPasskey } from '#api/passkeys.ts'
import type { Next } from '#api/sign-in.ts'

/** The offer is renewed this often, because its challenge expires after five minutes. */
const renewMs = 4 * 60_000

export function usePasskeySignIn(enter: (next: Next) => void): {
  wrong: string | undefined
  press: () => Promise<void>
} {
  const [round, setRound] = useState(0)
  const [wrong, setWrong] = useState<string>()
  const offer = useRef<AbortController>(undefined)
  const latestEnter = useRef(enter)
  useEffect(() => {
    latestEnter.current = enter
  })

  useEffect(() => {
    const own = new AbortController()
    offer.current = own
    const again = setTimeout(() => setRound((count) => count + 1), renewMs)
    void offerPasskeys(own.signal, (next) => latestEnter.current(next), setWrong)
    return () => {
      clearTimeout(again)
      own.abort()
    }
  }, [round])

  return {
    wrong,
    async press() {
      setWrong(undefined)
      offer.current?.abort()
      try {
        const signal = new AbortController().signal
        latestEnter.current(await signInWithPasskey({ mediation: 'optional', signal }))
      } catch (error) {
        setRound((count) => count + 1)
        throw error
      }
    },
  }
}

/** Ends silently if the browser can offer no passkey, or its user chose none. */
async function offerPasskeys(
  signal: AbortSignal,
  enter: (next: Next) => void,
  sayWrong: (sentence: string) => void,
): Promise<void> {
  if (!(await canOfferPasskeys()) || signal.aborted) return
  try {
    const next = await signInWithPasskey({ mediation: 'conditional', signal })
    if (!signal.aborted) enter(next)
  } catch (error) {
    if (error instanceof ApiFailure && !signal.aborted) sayWrong(error.message)
  }
}
