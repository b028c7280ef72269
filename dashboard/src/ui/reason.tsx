// Shows why a control is disabled. The tooltip's code loads when the first reason is shown, because it is large and
// most pages have no reason to show.

import { lazy, Suspense, type ReactElement } from 'react'

const Tooltip = lazy(async () => ({ default: (await import('./tooltip.tsx')).Tooltip }))

export function Reason({ says, children }: { says: string; children: ReactElement }) {
  return (
    <Suspense fallback={children}>
      <Tooltip says={says}>{children}</Tooltip>
    </Suspense>
  )
}
