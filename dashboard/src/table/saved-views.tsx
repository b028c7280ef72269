// Saves the filters and columns of a list under a name, for one person or for the business.

import { useMemo, useRef, useState } from 'react'
import { Button } from '#ui/button.tsx'
import { Dialog, useHolder } from '#ui/dialog.tsx'
import { Checkbox, Field, Input } from '#ui/field.tsx'
import { Icon } from '#ui/icons.tsx'
import { Row, Stack } from '#ui/layout.tsx'
import { Menu } from '#ui/menu.tsx'
import { Notice } from '#ui/states.tsx'

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

type SaveViewProps = Pick<SavedViewsProps, 'onSave'> & { onClose: () => void }

function SaveView(props: SaveViewProps) {
  return (
    <Dialog title="Save view" says="The filters and columns on screen, under a name." onClose={props.onClose}>
      <NameView {...props} />
    </Dialog>
  )
}

function NameView({ onSave, onClose }: SaveViewProps) {
  const [name, setName] = useState('')
  const [isShared, setShared] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [wrong, setWrong] = useState<string>()
  const sending = useRef(false)
  useHolder(useMemo(() => ({ hasInput: () => false, isSending: () => sending.current }), []))
  async function save(): Promise<void> {
    sending.current = true
    setBusy(true)
    setWrong(undefined)
    try {
      await onSave(name.trim(), isShared)
      onClose()
    } catch (error) {
      setWrong(error instanceof Error ? error.message : String(error))
      setBusy(false)
      sending.current = false
    }
  }
  return (
    <Stack>
      <Field label="Name">
        {(ties) => <Input {...ties} value={name} onChange={(event) => setName(event.target.value)} />}
      </Field>
      <Checkbox checked={isShared} onChange={(event) => setShared(event.target.checked)}>
        Share with all people of this business
      </Checkbox>
      {wrong === undefined ? null : <Notice tone="failed">{wrong}</Notice>}
      <Row>
        <Button
          tone="primary"
          isBusy={isBusy}
          disabledReason={name.trim() === '' ? 'Give it a name first.' : undefined}
          onClick={() => void save()}
        >
          Save view
        </Button>
      </Row>
    </Stack>
  )
}
