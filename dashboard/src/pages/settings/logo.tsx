// The logo of the business on its receipts and statements.

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { changeLogo, logoQuery, type Settings } from '#api/settings.ts'
import { useFault, faultIn, Form } from '#form/form.tsx'
import { useRefusal } from '#shell/place.ts'
import { useRefreshOf } from '#shell/refresh.ts'
import { Button } from '#ui/button.tsx'
import { Field, Input } from '#ui/field.tsx'
import { Section, Stack } from '#ui/layout.tsx'
import { ErrorState } from '#ui/states.tsx'
import { useSay } from '#ui/say.ts'
import styles from './settings.module.css'

export function LogoSection({ settings: { id } }: { settings: Settings }) {
  const refreshOf = useRefreshOf()
  const say = useSay()
  const refusal = useRefusal('settings.change')
  const { data, error, refetch } = useQuery(logoQuery(id))
  const [file, setFile] = useState<File>()
  const image = data?.image ?? null

  async function change(to: string | null): Promise<void> {
    await changeLogo(id, to)
    setFile(undefined)
    say(to === null ? 'Logo removed' : 'Logo saved')
    await refreshOf(logoQuery(id).queryKey)
  }

  if (data === undefined && error !== null) return <ErrorState failure={error} onRetry={() => void refetch()} />
  return (
    <Section title="Logo">
      <Stack>
        {image === null ? null : <img className={styles.logo} src={image} alt="Logo on receipts and statements" />}
        <Form
          key={image}
          submit={image === null ? 'Add logo' : 'Replace logo'}
          disabledReason={refusal}
          onSubmit={async () => {
            if (file === undefined) throw faultIn('image', 'Choose a file first.')
            await change(await readAsBase64(file))
          }}
        >
          <FileField onChoose={setFile} />
        </Form>
        {image === null ? null : <RemoveButton refusal={refusal} onRemove={() => change(null)} />}
      </Stack>
    </Section>
  )
}

function FileField({ onChoose }: { onChoose: (file: File | undefined) => void }) {
  const { wrong, forgive } = useFault('image')
  return (
    <Field
      label="Image file"
      hint="On receipts and statements. PNG or JPEG, at most 200 KB and 1,000 × 1,000 pixels. Transparent parts become white."
      wrong={wrong}
    >
      {(ties) => (
        <Input
          {...ties}
          name="image"
          type="file"
          accept="image/png,image/jpeg"
          onChange={(event) => {
            forgive()
            onChoose(event.target.files?.[0])
          }}
        />
      )}
    </Field>
  )
}

function RemoveButton({ refusal, onRemove }: { refusal: string | undefined; onRemove: () => Promise<void> }) {
  const say = useSay()
  const remove = (): Promise<void> => onRemove().catch((error: Error) => say(error.message))
  return (
    <div>
      <Button tone="quiet" disabledReason={refusal} onClick={() => void remove()}>
        Remove logo
      </Button>
    </div>
  )
}

/** The server enforces the limit of 200 KB. This limit only avoids a long upload that the server would refuse. */
const sentBytesMax = 250 * 1024

async function readAsBase64(file: File): Promise<string> {
  if (file.size > sentBytesMax) throw faultIn('image', 'The file must have at most 200 KB.')
  const bytes = new Uint8Array(await file.arrayBuffer())
  return btoa(Array.from(bytes, (byte) => String.fromCodePoint(byte)).join(''))
}
