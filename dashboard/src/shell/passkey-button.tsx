// A button that asks the browser for a passkey, and shows errors below it.

import { useState } from 'react'
import { Button } from '#ui/button.tsx'
import { Stack } from '#ui/layout.tsx'
import { Notice } from '#ui/states.tsx'

type PasskeyButtonProps = {
  label: string
  onPress: () => Promise<unknown>
  /** An error of another part of the page. */
  wrong?: string | undefined
}

export function PasskeyButton({ label, onPress, wrong }: PasskeyButtonProps) {
  const [isBusy, setBusy] = useState(false)
  const [failed, setFailed] = useState<string>()
  const said = failed ?? wrong

  async function press(): Promise<void> {
    setBusy(true)
    setFailed(undefined)
    try {
      await onPress()
    } catch (error) {
      setFailed(error instanceof Error ? error.message : String(error))
    } finally {
      setBusy(false)
    }
  }

  return (
    <Stack>
      <Button isBusy={isBusy} onClick={() => void press()}>
        {label}
      </Button>
      {said === undefined ? null : <Notice tone="failed">{said}</Notice>}
    </Stack>
  )
}
