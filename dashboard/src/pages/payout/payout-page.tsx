// A new payout. The page shows the payee's name at the bank and the fee before the payout is sent.

import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Place } from '#api/client.ts'
import { accountNameQuery, sendMomoTransfer, sendTransfer, twinOf } from '#api/payments.ts'
import { needsApproval, policyQuery } from '#api/drafts.ts'
import type { TransferRequest } from '#api/schema.ts'
import { banksQuery, operatorsQuery } from '#api/directory.ts'
import { pauseQuery } from '#api/home.ts'
import { balanceQuery } from '#api/statement.ts'
import { formatAmount, formatMoney, parseMoney, type Currency } from '#format/money.ts'
import { AccountNumberField, MoneyField, TextField } from '#form/fields.tsx'
import { freshReference } from '#format/ids.ts'
import { faultsIn, Form, unsent, useFault, type Fault, type Values } from '#form/form.tsx'
import { useSwitchedOn } from '#shell/currency-switch.tsx'
import { paths } from '#shell/paths.ts'
import { usePlace, useRefusal } from '#shell/place.ts'
import { useRefresh } from '#shell/refresh.ts'
import { useOperators } from '#shell/wallet-fields.tsx'
import { useSearchState } from '#table/filters.ts'
import type { Search } from '#table/search.ts'
import { Button } from '#ui/button.tsx'
import { Combobox } from '#ui/combobox.tsx'
import { Confirm } from '#ui/confirm.tsx'
import { Field, Select } from '#ui/field.tsx'
import { PageHead, Panel, Stack } from '#ui/layout.tsx'
import { Notice } from '#ui/states.tsx'
import { CurrencyProvider, useCurrency } from '#ui/values.tsx'
import { FeeLine } from './fee-line.tsx'
import { byUse, namesOfBank } from './bank-names.ts'
import { NameLine } from './name-line.tsx'
import { usePropose } from './propose.tsx'
import { SavedRecipient } from './saved-recipient.tsx'
import { useWallet, type PaybillPayout } from './wallet.tsx'
import styles from './payout.module.css'

export function PayoutPage() {
  const [search, change] = useSearchState()
  const isLater = search['when'] === 'later'
  const currency = usePayoutCurrency(search)
  return (
    <CurrencyProvider currency={currency}>
      <PageHead
        title={isLater ? 'New scheduled payout' : 'New payout'}
        says={<AvailableNow />}
        actions={
          <Button onClick={() => change({ when: isLater ? undefined : 'later' })}>
            {isLater ? 'Pay now' : 'Pay later or regularly'}
          </Button>
        }
      />
      <div className={styles.page}>
        <PausedNotice />
        {search['again'] === undefined ? null : (
          <Notice tone="asks">This is a new payment in place of {search['again']}, with its own reference.</Notice>
        )}
        <Panel>
          <Stack>
            <SavedRecipient filled={search} onChoose={change} />
            <CurrencyField
              value={currency}
              onChange={(next) => change({ currency: next, kind: undefined, bank: undefined, account: undefined })}
            />
            <PayoutForm filled={search} isLater={isLater} />
          </Stack>
        </Panel>
      </div>
    </CurrencyProvider>
  )
}

/** The currency of the wallet's operator, or the one that the user chose. */
function usePayoutCurrency({ kind, bank, currency }: Search): Currency {
  const isWallet = kind === 'wallet'
  const { data: operators } = useQuery({ ...operatorsQuery(usePlace()), enabled: isWallet })
  const operator = isWallet ? operators?.find(({ slug }) => slug === bank) : undefined
  const wanted = operator?.currency ?? currency
  return useSwitchedOn().find((one) => one === wanted) ?? 'NGN'
}

/** Hidden for a business that uses naira only. */
function CurrencyField({ value, onChange }: { value: Currency; onChange: (currency: string | undefined) => void }) {
  const currencies = useSwitchedOn()
  const operators = useOperators('transfer') ?? []
  const hasTills = operators.some(({ recipient, currency }) => recipient !== 'phone' && currency === value)
  const payees = hasTills ? 'mobile-money wallets, tills and paybills' : 'mobile-money wallets'
  if (currencies.length < 2) return null
  return (
    <Field label="Currency" hint={value === 'NGN' ? undefined : `Payouts in ${value} go to ${payees}.`}>
      {(ties) => (
        <Select
          {...ties}
          choices={currencies.map((currency) => ({ value: currency, label: currency }))}
          value={value}
          onChange={({ target }) => onChange(target.value === 'NGN' ? undefined : target.value)}
        />
      )}
    </Field>
  )
}

function PausedNotice() {
  const place = usePlace()
  const { data } = useQuery(pauseQuery(place))
  if (data?.isPaused !== true) return null
  return (
    <Notice tone="asks" action={data.isByOperator ? undefined : <Link to={paths.settings(place)}>Open settings</Link>}>
      Payouts are paused in {place.environment}, so this payout would be refused.{' '}
      {data.isByOperator
        ? 'The operator of this service paused them.'
        : 'A person with the right to pause can resume them.'}
    </Notice>
  )
}

/** `filled`: the initial values from the address, and the chosen saved wallet or account. */
function PayoutForm({ filled, isLater }: { filled: Search; isLater: boolean }) {
  const refusal = useRefusal('payouts.propose')
  const [initial] = useState(() => ({ amount: textOfKobo(filled['amount']), reference: freshReference('payout') }))
  const currency = useCurrency()
  const [typed, setTyped] = useState(initial.amount)
  const read = parseMoney(typed, currency)
  const amount = 'amount' in read ? read.amount : undefined
  const to = useRecipient(filled)
  const wallet = useWallet(filled, currency)
  const policy = useQuery(policyQuery(usePlace())).data?.policy
  const isProposal = policy !== undefined && amount !== undefined && needsApproval(policy, amount, currency)
  const { propose, prepare, question } = usePropose()
  const { send, twin, sendSecond, forget } = useSend()
  const place = usePlace()
  const paybill = wallet?.paybill
  // Only drafts can be scheduled or approved, and a draft has no field for the account at a paybill. So a payout to a
  // paybill can be neither.
  const noDraft = paybill !== undefined && (isLater || isProposal) ? paybillNeedsApi : undefined

  function submit(values: Values): Promise<unknown> {
    if (paybill !== undefined) return send(outgoingToPaybill(place, paybill(values)))
    if (wallet !== undefined) return (isLater ? prepare : propose)(wallet.asked(values))
    const asked = transferOf(to, values)
    if (isLater) return prepare(asked)
    return isProposal ? propose(asked) : send(outgoingTransfer(place, asked))
  }

  return (
    <>
      <Form
        submit={isLater ? 'Choose the time' : submitLabel(amount, currency, isProposal)}
        disabledReason={refusal ?? wallet?.disabledReason ?? noDraft}
        onSubmit={submit}
      >
        {wallet === undefined ? <RecipientFields to={to} /> : wallet.fields}
        <AmountFields
          initial={initial}
          narration={filled['narration']}
          range={wallet?.range}
          amount={amount}
          onType={setTyped}
        />
      </Form>
      {question}
      {twin === undefined ? null : <SecondPayout twin={twin} onConfirm={sendSecond} onClose={forget} />}
    </>
  )
}

const paybillNeedsApi = 'Payouts to paybills cannot be scheduled or approved here. Send them with the API.'

type AmountFieldsProps = {
  initial: { amount: string; reference: string }
  narration: string | undefined
  range: string | undefined
  amount: number | undefined
  onType: (amount: string) => void
}

function AmountFields({ initial, narration, range, amount, onType }: AmountFieldsProps) {
  const currency = useCurrency()
  return (
    <>
      <MoneyField
        name="amount"
        label="Amount"
        hint={range}
        currency={currency}
        defaultValue={initial.amount}
        onChange={(event) => onType(event.target.value)}
      />
      {amount === undefined || amount === 0 ? null : <FeeLine kobo={amount} />}
      <TextField
        name="narration"
        label="Narration"
        hint="The recipient reads this. Optional."
        defaultValue={narration}
        autoComplete="off"
      />
      <TextField
        name="reference"
        label="Reference"
        hint="Your own unique reference. Sending the same reference twice makes one payment."
        defaultValue={initial.reference}
        autoComplete="off"
      />
    </>
  )
}

function RecipientFields({ to }: { to: Recipient }) {
  const { bank, setBank, account, setAccount, recipientKey, name } = to
  return (
    <>
      <BankField value={bank} onChange={setBank} />
      <AccountNumberField
        key={recipientKey}
        name="accountNumber"
        label="Account number"
        defaultValue={account}
        onChange={(event) => setAccount(event.target.value)}
      />
      {name === undefined ? null : <NameLine name={name.data?.accountName} error={name.error} />}
    </>
  )
}

type Recipient = ReturnType<typeof useRecipient>

/** The bank and account from the address, until the person enters others. */
function useRecipient(filled: Search) {
  const [bank, setBank] = useState<string | null>(filled['bank'] ?? null)
  const [account, setAccount] = useState(filled['account'] ?? '')
  // Choosing a saved recipient changes bank and account, and keeps the input of the other fields.
  const recipientKey = `${filled['bank']} ${filled['account']}`
  const [filledFor, setFilledFor] = useState(recipientKey)
  if (filledFor !== recipientKey) {
    setFilledFor(recipientKey)
    setBank(filled['bank'] ?? null)
    setAccount(filled['account'] ?? '')
  }
  const number = account.replaceAll(/\s/g, '')
  const isAsked = bank !== null && /^\d{10}$/.test(number)
  const name = useQuery({ ...accountNameQuery(usePlace(), number, bank ?? ''), enabled: isAsked })
  return { bank, setBank, account, setAccount, number, recipientKey, name: isAsked ? name : undefined }
}

function submitLabel(amount: number | undefined, currency: Currency, isProposal: boolean): string {
  if (amount === undefined) return 'Send payout'
  const words = formatMoney(amount, currency)
  return isProposal ? `Submit ${words} for approval` : `Send ${words}`
}

/**
 * A payout that is sent at once, without a draft. `payee`: the name and number of the recipient, as the confirmation
 * dialog shows them.
 */
type Outgoing = {
  amount: number
  currency: Currency
  payee: string
  send: (second?: string) => Promise<{ reference: string }>
}

/** A payout that was refused, because an earlier one, `reference`, pays the same amount to the same account. */
type Twin = { reference: string; outgoing: Outgoing }

function SecondPayout({
  twin: { reference, outgoing },
  onConfirm,
  onClose,
}: {
  twin: Twin
  onConfirm: () => Promise<void>
  onClose: () => void
}) {
  const place = usePlace()
  const { amount, currency, payee } = outgoing
  const word = formatAmount(amount, currency)
  return (
    <Confirm
      title="Send a second payout?"
      verb="Send a second payout"
      typed={{ label: `Type ${word} to confirm`, word }}
      isStaging={place.environment === 'staging'}
      onConfirm={onConfirm}
      onClose={onClose}
    >
      <p>
        In the last 24 hours <Link to={paths.payment(place, reference)}>{reference}</Link> already paid{' '}
        {formatMoney(amount, currency)} to {payee}, or is still being sent. If you confirm, the recipient receives the
        amount twice.
      </p>
    </Confirm>
  )
}

type Sending = {
  send: (outgoing: Outgoing) => Promise<unknown>
  twin: Twin | undefined
  sendSecond: () => Promise<void>
  forget: () => void
}

/**
 * Sends the form's payout, and opens the page of the payment. If the server refuses it as a repeat of the last 24
 * hours, the person is asked first.
 */
function useSend(): Sending {
  const place = usePlace()
  const refresh = useRefresh()
  const navigate = useNavigate()
  const [twin, setTwin] = useState<Twin>()

  async function submit(outgoing: Outgoing, second?: string): Promise<void> {
    const sent = await outgoing.send(second)
    void refresh()
    await navigate({ to: paths.payment(place, sent.reference), ignoreBlocker: true })
  }

  /** Asks the person to confirm, or asks again about another payout that was sent in the meantime. */
  function askAbout(error: unknown, outgoing: Outgoing): Twin {
    const reference = twinOf(error)
    if (reference === undefined) throw error
    setTwin({ reference, outgoing })
    return { reference, outgoing }
  }

  return {
    send: (outgoing) =>
      submit(outgoing).catch((error: unknown) => {
        askAbout(error, outgoing)
        return unsent
      }),
    twin,
    forget: () => setTwin(undefined),
    async sendSecond() {
      if (twin === undefined) return
      await submit(twin.outgoing, twin.reference).catch((error: unknown) => {
        const { reference } = askAbout(error, twin.outgoing)
        throw new Error(`Another one was sent meanwhile: ${reference}. Confirm again if you want one more.`)
      })
    },
  }
}

function outgoingTransfer(place: Place, asked: TransferRequest): Outgoing {
  const { amount, accountName, accountNumber } = asked
  const payee = `${accountName}, ${accountNumber}`
  return { amount, currency: 'NGN', payee, send: (second) => sendTransfer(place, asked, second) }
}

function outgoingToPaybill(place: Place, asked: PaybillPayout): Outgoing {
  const { amount, currency, accountNumber, accountReference } = asked
  const payee = `the paybill ${accountNumber}, account ${accountReference}`
  return { amount, currency, payee, send: (second) => sendMomoTransfer(place, asked, second) }
}

/** Returns the values of the form, or throws all its errors at once. */
function transferOf({ bank, number, name }: Recipient, values: Values): TransferRequest {
  const accountName = name?.data?.accountName
  const narration = values['narration'] ?? ''
  const amount = parseMoney(values['amount'] ?? '')
  const faults = [
    ...(bank === null ? [{ field: 'bankSlug', message: 'Choose the bank from the list.' }] : []),
    ...faultOfAccount(number, bank !== null, accountName),
    ...('wrong' in amount ? [{ field: 'amount', message: amount.wrong }] : []),
    ...(narration.length > narrationMax
      ? [{ field: 'narration', message: `Narration must have at most ${narrationMax} characters.` }]
      : []),
  ]
  if (bank === null || accountName === undefined || 'wrong' in amount || faults.length > 0) throw faultsIn(faults)
  return {
    reference: values['reference'] ?? '',
    amount: amount.amount,
    bankSlug: bank,
    accountNumber: number,
    accountName,
    ...(narration === '' ? {} : { narration }),
  }
}

/** The server has the same limit; it is checked here so that all faults of the form appear at once. */
const narrationMax = 100

function faultOfAccount(number: string, hasBank: boolean, accountName: string | undefined): Fault[] {
  const field = 'accountNumber'
  if (!/^\d{10}$/.test(number)) return [{ field, message: 'An account number has 10 digits.' }]
  if (!hasBank || accountName !== undefined) return []
  return [{ field, message: 'The bank has not confirmed this account yet. Wait for its name, or correct the number.' }]
}

function BankField({ value, onChange }: { value: string | null; onChange: (value: string | null) => void }) {
  const { data } = useQuery(banksQuery(usePlace()))
  const { wrong, forgive } = useFault('bankSlug')
  const banks = (data ?? []).filter(({ active }) => active).toSorted(byUse)
  return (
    <Combobox
      name="bankSlug"
      label="Bank"
      wrong={wrong}
      choices={banks.map((bank) => ({ value: bank.slug, label: bank.name, also: namesOfBank(bank) }))}
      value={value}
      onChange={(chosen) => {
        forgive()
        onChange(chosen)
      }}
      nothing="No bank of this name."
      placeholder="For example GTB, UBA or Zenith"
    />
  )
}

function AvailableNow() {
  const { data } = useQuery(balanceQuery(usePlace()))
  const currency = useCurrency()
  const available = data?.find((one) => one.currency === currency)?.available
  return available === undefined ? null : <>{formatMoney(available, currency)} is available.</>
}

/** Empty if the address of the page contains no valid amount. */
function textOfKobo(text: string | undefined): string {
  const kobo = Number(text)
  return text !== undefined && Number.isSafeInteger(kobo) && kobo > 0 ? formatAmount(kobo) : ''
}
