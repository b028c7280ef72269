// Notices over the open page: while the server cannot answer, and after it was updated. The page stays as it is.

import { useQueryClient } from '@tanstack/react-query'
import { Outlet } from '@tanstack/react-router'
import { useCallback, useSyncExternalStore } from 'react'
import { Notice } from '#ui/states.tsx'
import { NewVersion } from './new-version.tsx'
import styles from './outage.module.css'
import { outageOf } from './queries.ts'

export function WithOutage() {
  return (
    <>
      <Outlet />
      <Outage />
    </>
  )
}

function Outage() {
  const queries = useQueryClient()
  const subscribe = useCallback((told: () => void) => queries.getQueryCache().subscribe(told), [queries])
  const says = useSyncExternalStore(subscribe, () => outageOf(queries))
  return (
    // The element exists before it has a text, because a screen reader reports a change in an element, but not a new
    // element.
    <div className={styles.outage} role="status" data-screen-only>
      {says === undefined ? null : <Notice tone="asks">{says} This page asks again by itself.</Notice>}
      <NewVersion />
    </div>
  )
}
