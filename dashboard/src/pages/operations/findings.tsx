// What waits for a person. Closing one takes a note, which the audit log keeps.

import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { closeFinding, operationsQuery, type Finding } from '#api/operations.ts'
import { LongTextField } from '#form/fields.tsx'
import { Form } from '#form/form.tsx'
import { timeColumn, type Column } from '#table/columns.tsx'
import { DataTable } from '#table/data-table.tsx'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'

type FindingsProps = { kind: 'exceptions' | 'breaks'; findings: readonly Finding[] }

export function Findings({ kind, findings }: FindingsProps) {
  const [closing, setClosing] = useState<Finding>()
  return (
    <>
      <DataTable
        label={kind === 'exceptions' ? 'Exceptions' : 'Breaks'}
        columns={columnsWith(setClosing)}
        rows={findings}
        keyOf={({ id }) => id}
        empty={<p>Nothing waits.</p>}
      />
      {closing === undefined ? null : (
        <CloseFinding kind={kind} finding={closing} onClose={() => setClosing(undefined)} />
      )}
    </>
  )
}

function columnsWith(onClose: (finding: Finding) => void): Column<Finding>[] {
  return [
    { id: 'kind', head: 'What', cell: ({ kind }) => kind, isOnPhone: true },
    { id: 'subject', head: 'Of', cell: ({ subject }) => subject, isOnPhone: true },
    { id: 'says', head: 'Says', cell: ({ says }) => <span title={says}>{says}</span> },
    timeColumn('openedAt', 'Since', ({ openedAt }) => openedAt),
    {
      id: 'close',
      head: 'Close',
      cell: (finding) => (
        <Button isSmall aria-label={`Close ${finding.kind} of ${finding.subject}`} onClick={() => onClose(finding)}>
          Close
        </Button>
      ),
      align: 'end',
      isOnPhone: true,
    },
  ]
}

type CloseProps = { kind: 'exceptions' | 'breaks'; finding: Finding; onClose: () => void }

function CloseFinding({ kind, finding, onClose }: CloseProps) {
  const queries = useQueryClient()
  return (
    <Dialog title={`Close ${finding.kind}`} says={finding.says} onClose={onClose}>
      <Form
        submit="Close with this note"
        onCancel={onClose}
        onSubmit={async ({ note = '' }) => {
          await closeFinding(kind, finding.id, note)
          await queries.invalidateQueries({ queryKey: operationsQuery.queryKey })
          onClose()
        }}
      >
        <LongTextField name="note" label="Note" hint="What was found and done. The audit log keeps it." />
      </Form>
    </Dialog>
  )
}
