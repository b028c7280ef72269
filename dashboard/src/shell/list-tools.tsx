// The tools of a list: saved views, columns, export. They call the API; the components in table/ do not.

import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { addressOf, ask, under, type Query } from '#api/client.ts'
import { failureOf } from '#api/failure.ts'
import { deleteView, saveView, viewsQuery } from '#api/finder.ts'
import { ColumnPicker } from '#table/column-picker.tsx'
import type { Column } from '#table/columns.tsx'
import type { ExportColumn } from '#table/export-columns.ts'
import type { Filter, Filters } from '#table/filters.ts'
import { SavedViews } from '#table/saved-views.tsx'
import { parseSearch, printSearch } from '#table/search.ts'
import { Button } from '#ui/button.tsx'
import { useKeys } from '#ui/keys.ts'
import { useSay } from '#ui/say.ts'
import { ExportDialog } from './export-dialog.tsx'
import { usePlace, useRefusal } from './place.ts'
import { useRefreshOf } from './refresh.ts'

type ListToolsProps<Row> = {
  noun: string
  columns: readonly Column<Row>[]
  state: Filters
  exported?: Exported
}

/** `period`: the days that the rows cover, if no filter of the list chooses them. */
type Exported = { noun: string; columns: readonly ExportColumn[]; filters?: readonly Filter[]; period?: string }

export function ListTools<Row>({ noun, columns, state, exported }: ListToolsProps<Row>) {
  return (
    <>
      <Views noun={noun} state={state} />
      <ColumnPicker columns={columns} state={state} />
      {exported === undefined ? null : <Export {...exported} state={state} />}
    </>
  )
}

function Views({ noun, state }: { noun: string; state: Filters }) {
  const place = usePlace()
  const refreshOf = useRefreshOf()
  const say = useSay()
  const navigate = useNavigate()
  const options = viewsQuery(place, noun)
  const { data = [] } = useQuery(options)
  const refresh = (): Promise<void> => refreshOf(options.queryKey)
  const { page: _page, createdUntil: _createdUntil, ...kept } = state.search
  const remove = async (id: string): Promise<void> => {
    await deleteView(place, id).catch((error: unknown) => say(failureOf(error).message))
    await refresh()
  }
  return (
    <SavedViews
      views={data}
      onOpen={({ query }) => void navigate({ to: '.', search: parseSearch(query) })}
      onSave={(name, isShared) => saveView(place, { noun, name, isShared, query: printSearch(kept) }).then(refresh)}
      onDelete={({ id }) => void remove(id)}
    />
  )
}

function Export({ noun, columns, filters = [], period, state }: Exported & { state: Filters }) {
  const place = usePlace()
  const refusal = useRefusal('export')
  const [isOpen, setOpen] = useState(false)
  useKeys({ e: () => setOpen(refusal === undefined) })
  async function fetchFile(query: Query, format: string): Promise<void> {
    const path = under(place, `export/${noun}.${format}`)
    // Asks for the second factor now if the export is large, because the browser downloads the file itself, and a
    // download cannot ask.
    await ask(path, { query: { ...query, check: 1 } })
    location.assign(addressOf(path, query))
    setOpen(false)
  }
  return (
    <>
      <Button disabledReason={refusal} onClick={() => setOpen(true)}>
        Export
      </Button>
      {isOpen ? (
        <ExportDialog
          columns={columns}
          filters={filters}
          state={state}
          hasPdf={noun === 'statement'}
          period={period}
          onExport={fetchFile}
          onClose={() => setOpen(false)}
        />
      ) : null}
    </>
  )
}
