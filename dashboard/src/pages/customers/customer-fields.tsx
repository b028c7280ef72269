// The fields of the forms that create and edit a customer. A BVN is never shown again.

import type { CustomerFields as Fields } from '#api/customers.ts'
import { TextField } from '#form/fields.tsx'
import type { Values } from '#form/form.tsx'

type Shown = {
  firstName: string
  lastName: string
  email: string | null
  phoneNumber: string | null
  bvnVerified: boolean
}

export function CustomerFields({ customer }: { customer?: Shown }) {
  const isGiven = customer?.bvnVerified === true
  const bvnHint = isGiven ? 'Given. Write one only to replace it.' : 'Eleven digits. It is never shown again.'
  const phone = customer?.phoneNumber ?? ''
  return (
    <>
      <TextField name="firstName" label="First name" defaultValue={customer?.firstName} autoComplete="off" />
      <TextField name="lastName" label="Last name" defaultValue={customer?.lastName} autoComplete="off" />
      <TextField name="email" label="E-mail" type="email" defaultValue={customer?.email ?? ''} autoComplete="off" />
      <TextField name="phoneNumber" label="Phone" type="tel" defaultValue={phone} autoComplete="off" />
      <TextField name="bvn" label="BVN" hint={bvnHint} inputMode="numeric" autoComplete="off" />
    </>
  )
}

/** An empty e-mail address or phone number is removed. An empty BVN leaves the stored one as it is. */
export function customerOf({ firstName = '', lastName = '', email = '', phoneNumber = '', bvn = '' }: Values) {
  return {
    firstName,
    lastName,
    email: email === '' ? null : email,
    phoneNumber: phoneNumber === '' ? null : phoneNumber,
    ...(bvn === '' ? {} : { bvn }),
  }
}

/** Only what the person changed. A field that another person changed meanwhile stays as they changed it. */
export function changesOf(shown: Shown, values: Values): Partial<Fields> {
  const fields = customerOf(values)
  const changes: Partial<Fields> = { ...fields }
  for (const name of ['firstName', 'lastName', 'email', 'phoneNumber'] as const)
    if (fields[name] === shown[name]) delete changes[name]
  return changes
}
