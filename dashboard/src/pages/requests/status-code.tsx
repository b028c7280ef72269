// The status of an answer, in the color of its class.

import { Chip } from '#ui/status.tsx'

export function StatusCode({ status }: { status: number }) {
  return <Chip tone={status < 400 ? 'done' : 'failed'}>{String(status)}</Chip>
}
