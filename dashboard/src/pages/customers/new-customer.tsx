// Creates a customer in a panel at the side, and opens its page.

import { useNavigate } from '@tanstack/react-router'
import { createCustomer } from '#api/customers.ts'
import { CustomerFields, customerOf } from './customer-fields.tsx'
import { TextField } from '#form/fields.tsx'
import { Form } from '#form/form.tsx'
import { paths } from '#shell/paths.ts'
import { usePlace } from '#shell/place.ts'
import { useRefresh } from '#shell/refresh.ts'
import { Dialog } from '#ui/dialog.tsx'

export function NewCustomer({ onClose }: { onClose: () => void }) {
  const place = usePlace()
  const refresh = useRefresh()
  const navigate = useNavigate()
  return (
    <Dialog title="Create customer" shape="side" onClose={onClose}>
      <Form
        submit="Create customer"
        onCancel={onClose}
        onSubmit={async (values) => {
          const { reference = '' } = values
          const customer = await createCustomer(place, { reference, ...customerOf(values) })
          void refresh()
          await navigate({ to: paths.customer(place, customer.reference) })
        }}
      >
        <TextField name="reference" label="Reference" hint="Your own name for them; it cannot be changed." />
        <CustomerFields />
      </Form>
    </Dialog>
  )
}
