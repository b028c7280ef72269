// A new payout: to whom, with the name that the bank gives, and what it costs, all said before it is sent.

import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { accountNameQuery, sendTransfer } from '#api/payments.ts'
import { banksQuery } from '#api/directory.ts'
import { balanceQuery } from '#api/statement.ts'
import { formatAmount, formatNaira } from '#format/money.ts'
import { AccountNumberField, koboOf, NairaField, TextField } from '#form/fields.tsx'
import { faultIn, Form, useFault, type Values } from '#form/form.tsx'
import { paths } from '#shell/paths.ts'
import { usePlace, useRefusal } from '#shell/place.ts'
import { useRefresh } from '#shell/refresh.ts'
import { useSearchState } from '#table/filters.ts'
import type { Search } from '#table/search.ts'
import { Combobox } from '#ui/combobox.tsx'
import { PageHead, Panel } from '#ui/layout.tsx'
import { Notice } from '#ui/states.tsx'
import { FeeLine } from './fee-line.tsx'
import { freshReference } from './fresh-reference.ts'
import { NameLine } from './name-line.tsx'
import styles from './payout.module.css'

export function PayoutPage() {
  const [search] = useSearchState()
  return (
    <>
      <PageHead title="New payout" says={<AvailableNow />} />
      <div className={styles.page}>
        {search['again'] === undefined ? null : (
          <Notice tone="asks">
            This is a second payment beside {search['again']}, with a reference of its own. If that one is still queued,
            wait: it may yet succeed.
          </Notice>
        )}
        <Panel>
          <PayoutForm filled={search} />
        </Panel>
      </div>
    </>
  )
}

/** `filled`: what the address says that the form begins with. */
function PayoutForm({ filled }: { filled: Search }) {
  const refusal = useRefusal('payouts.propose')
  const [bank, setBank] = useState<string | null>(filled['bank'] ?? null)
  const [account, setAccount] = useState(filled['account'] ?? '')
  const [asked] = useState(() => ({ kobo: readKobo(filled['amount']), reference: freshReference() }))
  const [kobo, setKobo] = useState(asked.kobo)
  const number = account.replaceAll(/\s/g, '')
  const isAsked = bank !== null && /^\d{10}$/.test(number)
  const name = useQuery({ ...accountNameQuery(usePlace(), number, bank ?? ''), enabled: isAsked })
  const send = useSend({ bank, number, accountName: name.data?.accountName })
  return (
    <Form
      submit={kobo === undefined ? 'Send payout' : `Send ${formatNaira(kobo)}`}
      disabledReason={refusal}
      onSubmit={send}
    >
      <BankField value={bank} onChange={setBank} />
      <AccountNumberField
        name="accountNumber"
        label="Account number"
        defaultValue={account}
        onChange={(event) => setAccount(event.target.value)}
      />
      {isAsked ? <NameLine name={name.data?.accountName} error={name.error} /> : null}
      <NairaField
        name="amount"
        label="Amount"
        {...(asked.kobo === undefined ? {} : { defaultValue: formatAmount(asked.kobo) })}
        onKobo={setKobo}
      />
      {kobo === undefined || kobo === 0 ? null : <FeeLine kobo={kobo} />}
      <TextField
        name="narration"
        label="Narration"
        hint="What the recipient reads. It may be left empty."
        defaultValue={filled['narration']}
        autoComplete="off"
      />
      <TextField
        name="reference"
        label="Reference"
        hint="Yours, and unique for ever: sending it twice makes one payment."
        defaultValue={asked.reference}
        autoComplete="off"
      />
    </Form>
  )
}

type Recipient = { bank: string | null; number: string; accountName: string | undefined }

/** Sends what stands in the form to the account that the bank has named, and goes to the page of the payment. */
function useSend({ bank, number, accountName }: Recipient): (values: Values) => Promise<void> {
  const place = usePlace()
  const refresh = useRefresh()
  const navigate = useNavigate()
  return async (values) => {
    if (bank === null) throw faultIn('bankSlug', 'Choose the bank from the list.')
    if (accountName === undefined) {
      throw faultIn('accountNumber', 'The bank has not named this account: wait for it, or correct the number.')
    }
    const narration = values['narration'] ?? ''
    const sent = await sendTransfer(place, {
      reference: values['reference'] ?? '',
      amount: koboOf(values, 'amount'),
      bankSlug: bank,
      accountNumber: number,
      accountName,
      ...(narration === '' ? {} : { narration }),
    })
    await refresh()
    await navigate({ to: paths.payment(place, sent.reference) })
  }
}

function BankField({ value, onChange }: { value: string | null; onChange: (value: string | null) => void }) {
  const { data } = useQuery(banksQuery(usePlace()))
  const { wrong, forgive } = useFault('bankSlug')
  const banks = (data ?? []).filter(({ active }) => active)
  return (
    <Combobox
      name="bankSlug"
      label="Bank"
      wrong={wrong}
      choices={banks.map(({ name, slug }) => ({ value: slug, label: name }))}
      value={value}
      onChange={(chosen) => {
        forgive()
        onChange(chosen)
      }}
      nothing="No bank of this name."
      placeholder="Type a few letters"
    />
  )
}

function AvailableNow() {
  const { data } = useQuery(balanceQuery(usePlace()))
  const available = data?.[0]?.available
  return available === undefined ? null : <>{formatNaira(available)} is available.</>
}

/** What stands in the address may be anything. */
function readKobo(text: string | undefined): number | undefined {
  const kobo = Number(text)
  return text !== undefined && Number.isSafeInteger(kobo) && kobo > 0 ? kobo : undefined
}
