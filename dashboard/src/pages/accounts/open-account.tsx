// Opens an account in a side panel, and then shows the details for the payer.

import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { openDynamicAccount, openStaticAccount } from '#api/accounts.ts'
import type { VirtualAccount } from '#api/schema.ts'
import { amountOf, MoneyField, SelectField, TextField } from '#form/fields.tsx'
import { Form, type Values } from '#form/form.tsx'
import { PayerCard } from './payer-card.tsx'
import { paths } from '#shell/paths.ts'
import { usePlace } from '#shell/place.ts'
import { useRefresh } from '#shell/refresh.ts'
import { buttonLook } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { Stack } from '#ui/layout.tsx'
import { Tabs } from '#ui/tabs.tsx'

export function OpenAccount({ onClose }: { onClose: () => void }) {
  const place = usePlace()
  const [type, setType] = useState('dynamic')
  const [opened, setOpened] = useState<VirtualAccount>()
  if (opened !== undefined) {
    return (
      <Dialog title="Account opened" says="Give this to your customer, who pays." shape="side" onClose={onClose}>
        <Stack>
          <PayerCard account={opened} />
          <Link to={paths.account(place, opened.accountNumber)} className={buttonLook()}>
            Go to the account
          </Link>
        </Stack>
      </Dialog>
    )
  }
  return (
    <Dialog title="Open account" shape="side" onClose={onClose}>
      <Tabs
        label="Type of account"
        value={type}
        onChange={setType}
        tabs={[
          { value: 'dynamic', label: 'Dynamic', panel: <DynamicForm onOpened={setOpened} onClose={onClose} /> },
          { value: 'static', label: 'Static', panel: <StaticForm onOpened={setOpened} onClose={onClose} /> },
        ]}
      />
    </Dialog>
  )
}

type OpeningProps = { onOpened: (account: VirtualAccount) => void; onClose: () => void }

function DynamicForm({ onOpened, onClose }: OpeningProps) {
  const place = usePlace()
  const refresh = useRefresh()
  async function open(values: Values): Promise<void> {
    const account = await openDynamicAccount(place, {
      amount: amountOf(values, 'amount'),
      amountPolicy: values['amountPolicy'] === 'any' ? 'any' : 'exact',
      ...(values['expiresInMinutes'] === '' ? {} : { expiresInMinutes: Number(values['expiresInMinutes']) }),
      ...given(values, 'reference'),
      ...given(values, 'accountName'),
    })
    await refresh()
    onOpened(account)
  }
  return (
    <Form submit="Open account" onCancel={onClose} onSubmit={open}>
      <MoneyField name="amount" label="Amount" />
      <SelectField
        name="amountPolicy"
        label="Other amounts"
        choices={[
          { value: 'exact', label: 'Return them' },
          { value: 'any', label: 'Accept them' },
        ]}
      />
      <TextField
        name="expiresInMinutes"
        label="Minutes until it expires"
        inputMode="numeric"
        hint="Optional. If it is empty, the service decides."
      />
      <TextField name="reference" label="Reference" hint="Optional. Your own reference, such as an order number." />
      <TextField name="accountName" label="Account name" hint="Optional. The payer sees it." />
    </Form>
  )
}

function StaticForm({ onOpened, onClose }: OpeningProps) {
  const place = usePlace()
  const refresh = useRefresh()
  async function open(values: Values): Promise<void> {
    const { customerReference = '' } = values
    const account = await openStaticAccount(place, { customerReference, ...given(values, 'accountName') })
    await refresh()
    onOpened(account)
  }
  return (
    <Form submit="Open account" onCancel={onClose} onSubmit={open}>
      <TextField name="customerReference" label="Customer" hint="The reference of the customer whose account it is." />
      <TextField
        name="accountName"
        label="Account name"
        hint="Optional. The payer sees it. If it is empty, it is the name of the customer."
      />
    </Form>
  )
}

function given<Name extends string>(values: Values, name: Name): Partial<Record<Name, string>> {
  const value = values[name] ?? ''
  return value === '' ? {} : ({ [name]: value } as Record<Name, string>)
}
