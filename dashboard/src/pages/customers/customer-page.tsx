// One customer: identity, accounts, and the money that came in through them.

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { customerQuery, updateCustomer } from '#api/customers.ts'
import type { Customer } from '#api/schema.ts'
import { changesOf, CustomerFields } from './customer-fields.tsx'
import { Form } from '#form/form.tsx'
import { paths } from '#shell/paths.ts'
import { useParam, usePlace, useRefusal } from '#shell/place.ts'
import { RecordFailure } from '#shell/record-failure.tsx'
import { useRefresh } from '#shell/refresh.ts'
import { Button } from '#ui/button.tsx'
import { Copyable } from '#ui/copy.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { Detail, Facts, PageHead, Panel, Row, Section } from '#ui/layout.tsx'
import { SkeletonLines } from '#ui/states.tsx'
import { Status } from '#ui/status.tsx'
import { Id, Json, Time } from '#ui/values.tsx'
import { CustomerAccounts, CustomerDeposits } from './customer-tables.tsx'

export function CustomerPage() {
  const place = usePlace()
  const reference = useParam('reference')
  const { data, error, refetch } = useQuery(customerQuery(place, reference))
  if (data !== undefined) return <OneCustomer customer={data} />
  if (error === null) return <SkeletonLines lines={8} />
  return (
    <RecordFailure
      error={error}
      noun="customer"
      reference={reference}
      pathIn={(other) => paths.customer(other, reference)}
      onRetry={() => void refetch()}
    />
  )
}

function OneCustomer({ customer }: { customer: Customer }) {
  const refusal = useRefusal('customers.change')
  const [isEditing, setEditing] = useState(false)
  const whyNot = customer.status === 'ERASED' ? 'This customer was erased and cannot be edited.' : refusal
  return (
    <>
      <PageHead
        title={
          <Row>
            {customer.firstName} {customer.lastName}
            <Status status={customer.status} />
          </Row>
        }
        says={<Copyable text={customer.reference} what="the reference" children={customer.reference} />}
        actions={
          <Button disabledReason={whyNot} onClick={() => setEditing(true)}>
            Edit customer
          </Button>
        }
      />
      <Detail aside={<CustomerFacts customer={customer} />}>
        <Section title="Virtual accounts">
          <CustomerAccounts reference={customer.reference} />
        </Section>
        <Section title="Money in">
          <CustomerDeposits reference={customer.reference} />
        </Section>
        {customer.metadata === null ? null : (
          <Section title="Metadata">
            <Json label="Metadata as JSON" text={JSON.stringify(customer.metadata)} />
          </Section>
        )}
      </Detail>
      {isEditing ? <EditCustomer customer={customer} onClose={() => setEditing(false)} /> : null}
    </>
  )
}

function CustomerFacts({ customer }: { customer: Customer }) {
  const { email, phoneNumber } = customer
  return (
    <Panel>
      <Facts
        facts={[
          ['E-mail', email === null ? '–' : <Copyable key="email" text={email} what="the address" children={email} />],
          [
            'Phone',
            phoneNumber === null ? (
              '–'
            ) : (
              <Copyable key="phone" text={phoneNumber} what="the number" children={phoneNumber} />
            ),
          ],
          ['BVN', customer.bvnVerified ? 'Given' : 'Not given'],
          ['Since', <Time key="since" at={customer.createdAt} />],
          ['Changed', <Time key="changed" at={customer.updatedAt} ago />],
          ['Id', <Id key="id" id={customer.id} />],
        ]}
      />
    </Panel>
  )
}

function EditCustomer({ customer, onClose }: { customer: Customer; onClose: () => void }) {
  const place = usePlace()
  const refresh = useRefresh()
  const [shown] = useState(customer)
  return (
    <Dialog title="Edit customer" shape="side" onClose={onClose}>
      <Form
        submit="Save customer"
        onCancel={onClose}
        onSubmit={async (values) => {
          const changes = changesOf(shown, values)
          if (Object.keys(changes).length > 0) await updateCustomer(place, shown.reference, changes)
          await refresh()
          onClose()
        }}
      >
        <CustomerFields customer={shown} />
      </Form>
    </Dialog>
  )
}
