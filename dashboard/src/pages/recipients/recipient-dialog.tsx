// Adds or edits a recipient. After it is saved, the bank is asked for the name of the account.

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { banksQuery } from '#api/directory.ts'
import { saveRecipient, type Recipient, type RecipientFields } from '#api/recipients.ts'
import { AccountNumberField, SelectField, TextField } from '#form/fields.tsx'
import { faultIn, Form, useFault, type Values } from '#form/form.tsx'
import { usePlace } from '#shell/place.ts'
import { useRefresh } from '#shell/refresh.ts'
import { nameWithCountry, useOperators } from '#shell/wallet-fields.tsx'
import { Button } from '#ui/button.tsx'
import { Combobox } from '#ui/combobox.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { Row, Stack } from '#ui/layout.tsx'

const kinds = [
  { value: 'bank', label: 'Bank account' },
  { value: 'wallet', label: 'Mobile-money wallet' },
]

type RecipientDialogProps = {
  recipient: Recipient | undefined
  onRemove: (recipient: Recipient) => void
  onClose: () => void
}

export function RecipientDialog({ recipient, onRemove, onClose }: RecipientDialogProps) {
  const place = usePlace()
  const refresh = useRefresh()
  const [kind, setKind] = useState(recipient?.kind ?? 'bank')
  const [institution, setInstitution] = useState(recipient?.institution ?? null)
  const isTill = useOperators('transfer')?.find(({ slug }) => slug === institution)?.recipient === 'till'
  return (
    <Dialog title={recipient === undefined ? 'Add a recipient' : `Edit ${recipient.name}`} onClose={onClose}>
      <Stack>
        <Form
          submit="Save recipient"
          onCancel={onClose}
          onSubmit={async (values) => {
            await saveRecipient(place, fieldsOf(kind, institution, values), recipient)
            await refresh()
            onClose()
          }}
        >
          <TextField name="name" label="Name" defaultValue={recipient?.name} autoComplete="off" />
          <SelectField
            name="kind"
            label="Kind"
            choices={kinds}
            value={kind}
            onChange={(event) => {
              setKind(event.target.value === 'wallet' ? 'wallet' : 'bank')
              setInstitution(null)
            }}
          />
          <Institution kind={kind} value={institution} onChange={setInstitution} />
          <AccountNumberField
            name="accountNumber"
            label={kind === 'bank' ? 'Account number' : isTill ? 'Till number' : 'Phone number'}
            defaultValue={recipient?.accountNumber}
            maxLength={16}
          />
          <TextField
            name="tags"
            label="Tags"
            hint="Separate them with commas. Optional."
            defaultValue={recipient?.tags.join(', ')}
            autoComplete="off"
          />
        </Form>
        {recipient === undefined ? null : (
          <Row>
            <Button tone="quiet" onClick={() => onRemove(recipient)}>
              Remove {recipient.name}
            </Button>
          </Row>
        )}
      </Stack>
    </Dialog>
  )
}

function fieldsOf(kind: Recipient['kind'], institution: string | null, values: Values): RecipientFields {
  if (institution === null) throw faultIn('institution', 'Choose from the list.')
  const tags = (values['tags'] ?? '').split(',').map((tag) => tag.trim())
  return {
    kind,
    institution,
    name: values['name'] ?? '',
    accountNumber: (values['accountNumber'] ?? '').replaceAll(/\s/g, ''),
    tags: tags.filter((tag) => tag !== ''),
  }
}

type InstitutionProps = { kind: Recipient['kind']; value: string | null; onChange: (value: string | null) => void }

function Institution({ kind, value, onChange }: InstitutionProps) {
  const place = usePlace()
  const { wrong, forgive } = useFault('institution')
  const banks = useQuery({ ...banksQuery(place), enabled: kind === 'bank' }).data ?? []
  // Paybills are left out, because a saved recipient has no field for the account at a paybill.
  const operators = (useOperators('transfer') ?? []).filter(({ recipient }) => recipient !== 'paybill')
  const hasCountries = operators.some(({ country }) => country !== 'NG')
  const choices =
    kind === 'bank'
      ? banks.filter(({ active }) => active).map(({ slug, name }) => ({ value: slug, label: name }))
      : operators.map((one) => ({ value: one.slug, label: hasCountries ? nameWithCountry(one) : one.name }))
  return (
    <Combobox
      key={kind}
      name="institution"
      label={kind === 'bank' ? 'Bank' : 'Operator'}
      wrong={wrong}
      choices={choices}
      value={value}
      onChange={(chosen) => {
        forgive()
        onChange(chosen)
      }}
      nothing="None of this name."
    />
  )
}
