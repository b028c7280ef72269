// Payments of the three kinds, each in a tab. The open tab and its filters are in the address.

import { Link } from '@tanstack/react-router'
import { paths } from '#shell/paths.ts'
import { usePlace, useRefusal } from '#shell/place.ts'
import { useSearchState } from '#table/filters.ts'
import { Button, buttonLook } from '#ui/button.tsx'
import { Icon } from '#ui/icons.tsx'
import { PageHead } from '#ui/layout.tsx'
import { Tabs } from '#ui/tabs.tsx'
import { Collections } from './collections.tsx'
import { MomoTransfers } from './momo-transfers.tsx'
import { Transfers } from './transfers.tsx'

const tabs = [
  { value: 'transfers', label: 'Bank transfers', panel: <Transfers /> },
  { value: 'momo-transfers', label: 'Mobile-money transfers', panel: <MomoTransfers /> },
  { value: 'collections', label: 'Collections', panel: <Collections /> },
]

const ofOneKind = {
  status: undefined,
  bankSlug: undefined,
  operator: undefined,
  failureReason: undefined,
  currency: undefined,
  columns: undefined,
}

export function PaymentsPage() {
  const [search, change] = useSearchState()
  const tab = tabs.find(({ value }) => value === search['tab'])?.value ?? 'transfers'
  // Opening another tab clears these filters, because a value for one kind of payments may not exist for another.
  const open = (value: string): void => change({ ...ofOneKind, tab: value === 'transfers' ? undefined : value })
  return (
    <>
      <PageHead title="Payments" actions={<NewPayout />} />
      <Tabs label="Kind of payment" value={tab} onChange={open} tabs={tabs} />
    </>
  )
}

function NewPayout() {
  const place = usePlace()
  const refusal = useRefusal('payouts.propose')
  if (refusal !== undefined) {
    return (
      <Button tone="primary" disabledReason={refusal}>
        New payout
      </Button>
    )
  }
  return (
    <>
      <Link to={paths.upload(place)} className={buttonLook()}>
        Payouts from a file
      </Link>
      <Link to={paths.newCollection(place)} className={buttonLook()}>
        Collect
      </Link>
      <Link to={paths.newPayout(place)} className={buttonLook({ tone: 'primary' })}>
        <Icon name="plus" /> New payout
      </Link>
    </>
  )
}
