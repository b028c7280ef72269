// The corrections of an operator. Each form shows its effect before it is sent.

import { useState } from 'react'
import {
  adjustBalance,
  currencyOf,
  adoptDeposit,
  resolveRefund,
  settlePayment,
  type Ending,
  type Finding,
  type RefundResolution,
} from '#api/operations.ts'
import { AccountNumberField, amountOf, LongTextField, MoneyField, SelectField, TextField } from '#form/fields.tsx'
import { faultIn, Form, type Values } from '#form/form.tsx'
import { formatMoney } from '#format/money.ts'
import { Notice } from '#ui/states.tsx'

export type FormFor = {
  finding: Finding
  /** Called with a sentence about what was done. */
  onDone: (sentence: string) => Promise<void>
  onCancel: () => void
}

export function SettleForm({ finding, onDone, onCancel }: FormFor) {
  const [as, setAs] = useState<Ending>('failed')
  return (
    <Form
      submit={as === 'failed' ? 'Settle as failed' : 'Settle as paid'}
      tone="danger"
      onCancel={onCancel}
      onSubmit={(values) => settle(finding, values, { as, toBank: false }, onDone)}
    >
      <WhosePayment finding={finding} />
      <SelectField
        name="as"
        label="What the provider told you"
        choices={[
          { value: 'failed', label: 'It was not paid' },
          { value: 'success', label: 'It was paid' },
        ]}
        value={as}
        onChange={(event) => setAs(event.target.value as Ending)}
      />
      <Notice tone="asks">
        {as === 'failed'
          ? 'The payment becomes FAILED: amount and fee are available to the business again, and its webhook is sent.'
          : 'The payment becomes SUCCESS: the reserved money is spent, and the webhook of the business is sent.'}{' '}
        This cannot be undone.
      </Notice>
      <Note hint="Who told you, and where that is written." />
    </Form>
  )
}

export function ReturnForm({ finding, onDone, onCancel }: FormFor) {
  return (
    <Form
      submit="Return the payout"
      tone="danger"
      onCancel={onCancel}
      onSubmit={(values) => settle(finding, values, { as: 'returned', toBank: values['place'] === 'bank' }, onDone)}
    >
      <WhosePayment finding={finding} />
      <SelectField
        name="place"
        label="Where the money is now"
        choices={[
          { value: 'provider', label: 'In our balance at the provider' },
          { value: 'bank', label: 'In our own bank account' },
        ]}
      />
      <Notice tone="asks">
        The payout becomes REVERSED: amount and fee are available to the business again, and its webhook is sent. This
        cannot be undone.
      </Notice>
      <Note hint="How you know that the money came back." />
    </Form>
  )
}

type Settlement = { as: Ending; toBank: boolean }

async function settle(
  finding: Finding,
  values: Values,
  settlement: Settlement,
  onDone: FormFor['onDone'],
): Promise<void> {
  const { business = finding.businessId ?? '', reference = finding.reference ?? '', note = '' } = values
  const { environment } = finding
  const { status } = await settlePayment(finding.id, { business, environment, reference, note, ...settlement })
  await onDone(`${reference} is ${status} now.`)
}

type Direction = 'add' | 'take'

export function AdjustForm({ finding, onDone, onCancel }: FormFor) {
  const [direction, setDirection] = useState<Direction>('take')
  const [kobo, setKobo] = useState<number>()
  const [repeated, setRepeated] = useState<number>()
  const isSame = kobo !== undefined && kobo === repeated
  const currency = currencyOf(finding)
  return (
    <Form
      submit={direction === 'add' ? 'Add to the balance' : 'Take from the balance'}
      tone="danger"
      disabledReason={isSame ? undefined : 'Type the same amount twice.'}
      onCancel={onCancel}
      onSubmit={async (values) => {
        const size = amountOf(values, 'amount', currency)
        if (size === 0) throw faultIn('amount', 'Type an amount above zero.')
        const { business = finding.businessId ?? '', note = '' } = values
        const amount = direction === 'add' ? size : -size
        const { environment } = finding
        const { available } = await adjustBalance(finding.id, { business, environment, amount, currency, note })
        await onDone(`Adjusted. ${formatMoney(available, currency)} is available now.`)
      }}
    >
      <WhoseBalance finding={finding} />
      <SelectField
        name="direction"
        label="Direction"
        choices={[
          { value: 'take', label: 'Take from the balance' },
          { value: 'add', label: 'Add to the balance' },
        ]}
        value={direction}
        onChange={(event) => setDirection(event.target.value as Direction)}
      />
      <MoneyField name="amount" label="Amount" currency={currency} onAmount={setKobo} />
      <MoneyField name="repeated" label="Type the amount again" currency={currency} onAmount={setRepeated} />
      <Notice tone="asks">
        {kobo === undefined ? 'The amount' : formatMoney(kobo, currency)}{' '}
        {direction === 'add' ? 'is added to' : 'is taken from'} the available balance in {finding.environment}. The
        business sees an adjustment with the reference of this item on its statement, and gets no webhook.
      </Notice>
      <Note hint="What was wrong, and where that is written. The business does not see it." />
    </Form>
  )
}

export function AdoptForm({ finding, onDone, onCancel }: FormFor) {
  return (
    <Form
      submit="Credit the deposit"
      tone="danger"
      onCancel={onCancel}
      onSubmit={async ({ account = '', note = '' }) => {
        const { reference } = await adoptDeposit({ notice: finding.subject, account, note })
        await onDone(`Credited as ${reference}.`)
      }}
    >
      <AccountNumberField name="account" label="Virtual account" />
      <Notice tone="asks">
        {formatMoney(finding.amount, currencyOf(finding))}, less the fee, becomes available to the business that owns
        this account, and its webhook is sent. This cannot be undone.
      </Notice>
      <Note hint="How you know whose money it is." />
    </Form>
  )
}

export function ResolveRefundForm({ finding, onDone, onCancel }: FormFor) {
  const [as, setAs] = useState<RefundResolution>('retry')
  return (
    <Form
      submit={as === 'retry' ? 'Try the refund again' : 'Mark as refunded'}
      tone={as === 'retry' ? 'primary' : 'danger'}
      onCancel={onCancel}
      onSubmit={async ({ note = '' }) => {
        const { reference } = await resolveRefund({ reference: finding.reference ?? '', as, note })
        await onDone(as === 'retry' ? `The refund of ${reference} is tried again.` : `${reference} is REFUNDED now.`)
      }}
    >
      <SelectField
        name="as"
        label="Resolution"
        choices={[
          { value: 'retry', label: 'Try the refund again' },
          { value: 'refunded', label: 'Already refunded by other means' },
        ]}
        value={as}
        onChange={(event) => setAs(event.target.value as RefundResolution)}
      />
      <Notice tone="asks">
        {as === 'retry'
          ? 'The provider is asked first whether it has sent the money back. The refund is requested again only if it has not, so nothing is sent twice. A refund that may still arrive is not tried again.'
          : 'Use this only when the payer has the money and the refund is canceled at the provider. The refund becomes REFUNDED, and the provider is not asked about it again. This cannot be undone.'}
      </Notice>
      <Note
        hint={
          as === 'retry' ? 'Why the provider can send it now.' : 'How the payer got the money, and who confirmed it.'
        }
      />
    </Form>
  )
}

/** The operator types the details that the item lacks. */
function WhosePayment({ finding }: { finding: Finding }) {
  return (
    <>
      <WhoseBalance finding={finding} />
      {finding.reference === null || finding.reference === '' ? (
        <TextField name="reference" label="Payment reference" autoComplete="off" />
      ) : null}
    </>
  )
}

function WhoseBalance({ finding }: { finding: Finding }) {
  return finding.businessId === null ? (
    <TextField name="business" label="Business" hint="Its id, biz_…" autoComplete="off" />
  ) : null
}

function Note({ hint }: { hint: string }) {
  return <LongTextField name="note" label="Note" hint={`${hint} The audit log keeps it.`} />
}
