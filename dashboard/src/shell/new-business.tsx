// The dialog in which an owner creates another business.

import { useNavigate } from '@tanstack/react-router'
import { meQuery } from '#api/me.ts'
import { createBusiness } from '#api/settings.ts'
import { TextField } from '#form/fields.tsx'
import { Form } from '#form/form.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { paths } from './paths.ts'
import { usePlace } from './place.ts'
import { useRefreshOf } from './refresh.ts'

export function NewBusiness({ onClose }: { onClose: () => void }) {
  const refreshOf = useRefreshOf()
  const navigate = useNavigate()
  const { environment } = usePlace()
  return (
    <Dialog
      title="New business"
      says="It has its own money, keys, customers and people. You will be its owner."
      onClose={onClose}
    >
      <Form
        submit="Create business"
        onCancel={onClose}
        onSubmit={async ({ name = '' }) => {
          const { id } = await createBusiness(name)
          await refreshOf(meQuery.queryKey)
          onClose()
          void navigate({ to: paths.home({ businessId: id, environment }) })
        }}
      >
        <TextField name="name" label="Name" autoComplete="organization" />
      </Form>
    </Dialog>
  )
}
