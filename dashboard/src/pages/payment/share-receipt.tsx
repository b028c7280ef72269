// Links that show the receipt to people without an account: made and copied, listed, revoked.

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Payment } from '#api/payments.ts'
import { makeReceiptLink, receiptLinksQuery, revokeReceiptLink, type ReceiptLink } from '#api/receipt-links.ts'
import { Form } from '#form/form.tsx'
import { usePlace, useRefusal } from '#shell/place.ts'
import { useRefreshOf } from '#shell/refresh.ts'
import { Button } from '#ui/button.tsx'
import { CopyField } from '#ui/copy.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { Row, Stack } from '#ui/layout.tsx'
import { ErrorState, SkeletonLines } from '#ui/states.tsx'
import { Time } from '#ui/values.tsx'
import styles from './receipt.module.css'

export function ShareReceipt({ payment }: { payment: Payment }) {
  const refusal = useRefusal('receipts.share')
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button disabledReason={refusal} onClick={() => setOpen(true)}>
        Share receipt
      </Button>
      {isOpen ? <ShareDialog payment={payment} onClose={() => setOpen(false)} /> : null}
    </>
  )
}

function ShareDialog({ payment: { reference, status }, onClose }: { payment: Payment; onClose: () => void }) {
  const place = usePlace()
  const refreshOf = useRefreshOf()
  const links = receiptLinksQuery(place, reference)
  const { data, error, refetch } = useQuery(links)
  const [made, setMade] = useState<string>()
  const refresh = () => refreshOf(links.queryKey)
  return (
    <Dialog
      title="Share receipt"
      says="Anyone with the link sees this receipt without signing in. It shows the last four digits of the account number."
      onClose={onClose}
    >
      <Stack>
        {made === undefined ? (
          <Form
            submit="Create link"
            disabledReason={whyNot(status, data?.isOn)}
            onSubmit={async () => {
              setMade(await makeReceiptLink(place, reference))
              await refresh()
            }}
          />
        ) : (
          <>
            <CopyField text={made} label="Copy link" />
            <p>Copy the link now. It is not shown again.</p>
          </>
        )}
        {data === undefined && error === null ? <SkeletonLines lines={2} /> : null}
        {data === undefined && error !== null ? <ErrorState failure={error} onRetry={() => void refetch()} /> : null}
        <LinkList
          links={data?.links ?? []}
          onRevoke={async (id) => {
            await revokeReceiptLink(place, reference, id)
            setMade(undefined)
            await refresh()
          }}
        />
      </Stack>
    </Dialog>
  )
}

function whyNot(status: string, isOn = true): string | undefined {
  if (status !== 'SUCCESS') return 'The bank returned this payment.'
  return isOn ? undefined : 'Receipt links are switched off in the settings of the business.'
}

function LinkList({ links, onRevoke }: { links: ReceiptLink[]; onRevoke: (id: string) => Promise<void> }) {
  if (links.length === 0) return null
  return (
    <ul className={styles.links} aria-label="Links to this receipt">
      {links.map((link) => (
        <LinkItem key={link.id} link={link} onRevoke={() => onRevoke(link.id)} />
      ))}
    </ul>
  )
}

function LinkItem({ link: { madeBy, createdAt }, onRevoke }: { link: ReceiptLink; onRevoke: () => Promise<void> }) {
  const [isAsked, setAsked] = useState(false)
  return (
    <li>
      {isAsked ? (
        <Form submit="Revoke link" tone="danger" onCancel={() => setAsked(false)} onSubmit={onRevoke}>
          <p>The link of {madeBy} stops working at once.</p>
        </Form>
      ) : (
        <Row>
          <span>
            Created by {madeBy}, <Time at={createdAt} />
          </span>
          <Button isSmall aria-label={`Revoke the link of ${madeBy}`} onClick={() => setAsked(true)}>
            Revoke
          </Button>
        </Row>
      )}
    </li>
  )
}
