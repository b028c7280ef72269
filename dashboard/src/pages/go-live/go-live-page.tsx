// The steps to production, which the service checks, and at their end the first live key.

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { goLiveQuery, waivePoint, type GoLivePoint } from '#api/settings.ts'
import { TextField } from '#form/fields.tsx'
import { Form } from '#form/form.tsx'
import { FactorNotice } from '#shell/factor-notice.tsx'
import { paths } from '#shell/paths.ts'
import { usePlace, useRefusal } from '#shell/place.ts'
import { useRefreshOf } from '#shell/refresh.ts'
import { Button, buttonLook } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { PageHead, Stack } from '#ui/layout.tsx'
import { ErrorState, Notice, SkeletonLines } from '#ui/states.tsx'
import { GoLivePoints } from './go-live-points.tsx'

export function GoLivePage() {
  const place = usePlace()
  const { data, error, refetch } = useQuery(goLiveQuery(place.businessId))
  const refusal = useRefusal('go-live')
  const [waiving, setWaiving] = useState<GoLivePoint>()
  if (data === undefined) {
    return error === null ? (
      <SkeletonLines lines={8} />
    ) : (
      <ErrorState isPage failure={error} onRetry={() => void refetch()} />
    )
  }
  const production = { ...place, environment: 'production' } as const
  const open = data.points.filter(({ state }) => state === 'open').length
  return (
    <>
      <PageHead
        title="Go live"
        says="Complete these steps before real money moves. The page checks them each time you open it."
        actions={<Button onClick={() => void refetch()}>Check again</Button>}
      />
      <Stack isWide>
        <FactorNotice permission="go-live" />
        <GoLivePoints points={data.points} refusal={refusal} onWaive={setWaiving} />
        {data.hasLiveKey ? (
          <Notice tone="done">This business has a live key.</Notice>
        ) : data.isReady ? (
          <Notice
            tone="done"
            action={
              <Link to={paths.keys(production)} className={buttonLook({ tone: 'primary' })}>
                Make the first live key
              </Link>
            }
          >
            All steps are done.
          </Notice>
        ) : (
          <Notice tone="asks">
            {open === 1 ? 'One point is' : `${open} points are`} open. The first live key can be made when each is done
            or waived.
          </Notice>
        )}
      </Stack>
      {waiving === undefined ? null : <Waive point={waiving} onClose={() => setWaiving(undefined)} />}
    </>
  )
}

function Waive({ point, onClose }: { point: GoLivePoint; onClose: () => void }) {
  const { businessId } = usePlace()
  const refreshOf = useRefreshOf()
  return (
    <Dialog title="Waive this point" says={point.title} onClose={onClose}>
      <Form
        submit="Waive point"
        onCancel={onClose}
        onSubmit={async ({ reason = '' }) => {
          await waivePoint(businessId, point.id, reason.trim())
          await refreshOf(goLiveQuery(businessId).queryKey)
          onClose()
        }}
      >
        <TextField name="reason" label="Reason" hint="The audit log keeps it with your name." />
      </Form>
    </Dialog>
  )
}
