// One review item: its meaning, the facts, and a form for each possible action. Every action closes the item.

import { useState } from 'react'
import { closeFinding, currencyOf, operationsQuery, type Finding } from '#api/operations.ts'
import { LongTextField } from '#form/fields.tsx'
import { Form } from '#form/form.tsx'
import { useRefreshOf } from '#shell/refresh.ts'
import { Dialog } from '#ui/dialog.tsx'
import { Field, Select } from '#ui/field.tsx'
import { Facts, Row, Stack } from '#ui/layout.tsx'
import { useSay } from '#ui/say.ts'
import { Id, Money, Time } from '#ui/values.tsx'
import { AdjustForm, AdoptForm, ResolveRefundForm, ReturnForm, SettleForm, type FormFor } from './correction-forms.tsx'
import { meaningOf, type Action } from './meanings.ts'

export type List = 'exceptions' | 'breaks'

const labels: Record<Action, string> = {
  settle: 'Settle the payment',
  return: 'Return the payout',
  adjust: 'Adjust the balance of the business',
  adopt: 'Credit the deposit to an account',
  'resolve-refund': 'Resolve refund',
  close: 'Close without moving money',
}

const forms: Record<Exclude<Action, 'close'>, (props: FormFor) => React.JSX.Element> = {
  settle: SettleForm,
  return: ReturnForm,
  adjust: AdjustForm,
  adopt: AdoptForm,
  'resolve-refund': ResolveRefundForm,
}

type Props = { list: List; finding: Finding; onClose: () => void }

export function ReviewDialog({ list, finding, onClose }: Props) {
  const { title, means, actions } = meaningOf(finding.kind)
  const [action, setAction] = useState<Action>(actions[0] ?? 'close')
  const refreshOf = useRefreshOf()
  const say = useSay()

  async function onDone(sentence: string): Promise<void> {
    await refreshOf(operationsQuery.queryKey)
    say(sentence)
    onClose()
  }

  const shared = { finding, onDone, onCancel: onClose }
  const Correction = action === 'close' ? undefined : forms[action]
  return (
    <Dialog title={title} says={means} shape="wide" isStaging={finding.environment === 'staging'} onClose={onClose}>
      <Stack>
        <Facts facts={factsOf(finding)} />
        {actions.length === 1 ? null : (
          <Field label="Action">
            {(ties) => (
              <Select
                {...ties}
                value={action}
                choices={actions.map((value) => ({ value, label: labels[value] }))}
                onChange={(event) => setAction(event.target.value as Action)}
              />
            )}
          </Field>
        )}
        {Correction === undefined ? <CloseForm {...shared} list={list} /> : <Correction key={action} {...shared} />}
      </Stack>
    </Dialog>
  )
}

function factsOf(finding: Finding) {
  const { says, rail, reference, subject, businessId, businessName, amount, environment, openedAt } = finding
  return [
    ['Details', says] as const,
    rail === undefined ? undefined : (['Provider', rail] as const),
    ['Reference', reference === null || reference === '' ? subject : reference] as const,
    amount === null
      ? undefined
      : (['Amount', <Money key="amount" kobo={amount} currency={currencyOf(finding)} />] as const),
    businessId === null
      ? undefined
      : (['Business', <Business key="business" id={businessId} name={businessName} />] as const),
    ['Environment', environment] as const,
    ['Since', <Time key="since" at={openedAt} ago />] as const,
  ].map((fact) => (fact === undefined ? undefined : ([...fact] as [string, React.ReactNode])))
}

function Business({ id, name }: { id: string; name: string | null }) {
  return (
    <Row>
      {name} <Id id={id} />
    </Row>
  )
}

function CloseForm({ list, finding, onDone, onCancel }: FormFor & { list: List }) {
  return (
    <Form
      submit="Close with this note"
      onCancel={onCancel}
      onSubmit={async ({ note = '' }) => {
        await closeFinding(list, finding.id, note)
        await onDone('Closed. The same fact is not raised again.')
      }}
    >
      <LongTextField name="note" label="Note" hint="What you found and did. The audit log keeps it." />
    </Form>
  )
}
