// Creates a key: its name, scopes, allowed addresses and expiry.

import { createKey, type NewKey } from '#api/keys.ts'
import { ChecksField, SelectField, TextField } from '#form/fields.tsx'
import { Form, type Values } from '#form/form.tsx'
import { usePlace } from '#shell/place.ts'
import { useRefresh } from '#shell/refresh.ts'
import { Dialog } from '#ui/dialog.tsx'
import { Checkbox } from '#ui/field.tsx'

const scopes: [string, string][] = [
  ['read', 'Read payments, deposits, customers and balances'],
  ['payout', 'Send money'],
  ['collect', 'Open accounts, ask payers, keep customers'],
  ['webhooks', 'Change subscriptions'],
  ['sandbox', 'Use the simulator'],
]

const lives = [
  { value: '', label: 'When it is revoked' },
  { value: '30', label: 'After 30 days' },
  { value: '90', label: 'After 90 days' },
  { value: '365', label: 'After a year' },
]

export function NewKeyForm({ onMade, onClose }: { onMade: (made: NewKey) => void; onClose: () => void }) {
  const place = usePlace()
  const refresh = useRefresh()
  const offered = scopes.filter(([scope]) => scope !== 'sandbox' || place.environment === 'staging')
  async function make(values: Values): Promise<void> {
    const chosen = offered.map(([scope]) => scope).filter((scope) => values[`scope:${scope}`] !== undefined)
    const networks = (values['allow'] ?? '').split(/[\s,]+/).filter((text) => text !== '')
    const days = values['expiresInDays'] ?? ''
    const made = await createKey(place, {
      name: values['name'] ?? '',
      // Choosing all scopes sets no limit, so the key also gets scopes of later versions.
      ...(chosen.length === offered.length ? {} : { scopes: chosen }),
      ...(networks.length === 0 ? {} : { allow: networks }),
      ...(days === '' ? {} : { expiresInDays: Number(days) }),
    })
    onMade(made)
    onClose()
    await refresh()
  }
  return (
    <Dialog title={`Create a key of ${place.environment}`} onClose={onClose}>
      <Form submit="Create key" onCancel={onClose} onSubmit={make}>
        <TextField name="name" label="Name" hint="What it is for, such as the program that will have it." />
        <ChecksField name="scopes" label="It may">
          {offered.map(([scope, does]) => (
            <Checkbox key={scope} name={`scope:${scope}`} defaultChecked>
              {does}
            </Checkbox>
          ))}
        </ChecksField>
        <TextField
          name="allow"
          label="Only from"
          hint="The addresses or networks of your servers, such as 203.0.113.0/24, with commas between. Empty: from anywhere."
          autoComplete="off"
          spellCheck={false}
        />
        <SelectField name="expiresInDays" label="Expires" choices={lives} />
      </Form>
    </Dialog>
  )
}
