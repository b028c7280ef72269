// Shows when an account expires; in its last hour, with a countdown in seconds.

import { useNow } from '#ui/now.ts'
import { Time } from '#ui/values.tsx'

const hourMs = 3_600_000

export function Expiry({ at, isOpen }: { at: string; isOpen: boolean }) {
  const leftMs = Date.parse(at) - useNow()
  if (!isOpen || leftMs > hourMs || leftMs <= 0) return <Time at={at} ago />
  return (
    <>
      <Time at={at} /> · in {countDown(leftMs)}
    </>
  )
}

/** `59:04`. */
function countDown(leftMs: number): string {
  const seconds = Math.floor(leftMs / 1_000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
