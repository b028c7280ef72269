// Why something cannot be used, said beside it. The tooltip is fetched when the first reason is to be shown: most pages have
// none, and the parts that it is made of are large.

import { lazy, Suspense, type ReactElement } from 'react'

const Tooltip = lazy(async () => ({ default: (await import('./tooltip.tsx')).Tooltip }))

export function Reason({ says, children }: { says: string; children: ReactElement }) {
  return (
    <Suspense fallback={children}>
      <Tooltip says={says}>{children}</Tooltip>
    </Suspense>
  )
}
