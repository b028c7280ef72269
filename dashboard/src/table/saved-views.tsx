// Saves the filters and columns of a list under a name, for one person or for the business.

import { useState } from 'react'
import { TextField } from '#form/fields.tsx'
import { Form } from '#form/form.tsx'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { Checkbox } from '#ui/field.tsx'
import { Icon } from '#ui/icons.tsx'
import { Menu } from '#ui/menu.tsx'

export type SavedView = { id: string; name: string; query: string; isShared: boolean; isYours: boolean }

type SavedViewsProps = {
  views: readonly SavedView[]
  onOpen: (view: SavedView) => void
  onSave: (name: string, isShared: boolean) => Promise<unknown>
  onDelete: (view: SavedView) => void
}

export function SavedViews({ views, onOpen, onSave, onDelete }: SavedViewsProps) {
  const [isSaving, setSaving] = useState(false)
  const own = views.filter(({ isYours }) => isYours)
  return (
    <>
      <Menu
        trigger={
          <Button tone="quiet">
            Views <Icon name="chevronDown" size={14} />
          </Button>
        }
        groups={[
          {
            heading: views.length === 0 ? 'No view is saved yet' : 'Views',
            actions: views.map((view) => ({
              label: view.name,
              hint: view.isShared ? 'shared' : undefined,
              onSelect: () => onOpen(view),
            })),
          },
          {
            actions: [
              { label: 'Save this view', onSelect: () => setSaving(true) },
              ...own.map((view) => ({ label: `Delete “${view.name}”`, onSelect: () => onDelete(view) })),
            ],
          },
        ]}
      />
      {isSaving ? <SaveView onSave={onSave} onClose={() => setSaving(false)} /> : null}
    </>
  )
}

function SaveView({ onSave, onClose }: Pick<SavedViewsProps, 'onSave'> & { onClose: () => void }) {
  const [name, setName] = useState('')
  const [isShared, setShared] = useState(false)
  return (
    <Dialog title="Save view" says="The filters and columns on screen, under a name." onClose={onClose}>
      <Form
        submit="Save view"
        asksToLeave={false}
        disabledReason={name.trim() === '' ? 'Give it a name first.' : undefined}
        onSubmit={async () => {
          await onSave(name.trim(), isShared)
          onClose()
        }}
      >
        <TextField
          name="name"
          label="Name"
          value={name}
          onChange={(event) => setName(event.target.value)}
          autoComplete="off"
        />
        <Checkbox checked={isShared} onChange={(event) => setShared(event.target.checked)}>
          Share with all people of this business
        </Checkbox>
      </Form>
    </Dialog>
  )
}
