// What waits for a person. Closing one takes a note, which the audit log keeps.

import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { closeException, operationsQuery, type Finding } from '#api/operations.ts'
import { countOf } from '#format/ids.ts'
import { LongTextField } from '#form/fields.tsx'
import { Form } from '#form/form.tsx'
import { moneyColumn, timeColumn, type Column } from '#table/columns.tsx'
import { DataTable } from '#table/data-table.tsx'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'

export function Exceptions({ exceptions, total }: { exceptions: readonly Finding[]; total: number }) {
  const [closing, setClosing] = useState<Finding>()
  return (
    <>
      <DataTable
        label="Exceptions"
        columns={columnsWith(setClosing)}
        rows={exceptions}
        keyOf={({ id }) => id}
        empty={<p>Nothing waits.</p>}
      />
      {total > exceptions.length ? <p>{countOf(total, 'exception')} wait in all: these are the oldest.</p> : null}
      {closing === undefined ? null : <CloseException finding={closing} onClose={() => setClosing(undefined)} />}
    </>
  )
}

function columnsWith(onClose: (finding: Finding) => void): Column<Finding>[] {
  return [
    { id: 'kind', head: 'What', cell: ({ kind }) => kind.replaceAll('-', ' '), isOnPhone: true },
    { id: 'subject', head: 'Of', cell: ({ reference, subject }) => reference ?? subject, isOnPhone: true },
    { id: 'says', head: 'Says', cell: ({ says }) => <span title={says}>{says}</span> },
    moneyColumn('amount', 'Amount', ({ amount }) => amount),
    { id: 'environment', head: 'Environment', cell: ({ environment }) => environment },
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

function CloseException({ finding, onClose }: { finding: Finding; onClose: () => void }) {
  const queries = useQueryClient()
  return (
    <Dialog title={`Close ${finding.kind.replaceAll('-', ' ')}`} says={finding.says} onClose={onClose}>
      <Form
        submit="Close with this note"
        onCancel={onClose}
        onSubmit={async ({ note = '' }) => {
          await closeException(finding.id, note)
          await queries.invalidateQueries({ queryKey: operationsQuery.queryKey })
          onClose()
        }}
      >
        <LongTextField name="note" label="Note" hint="What was found and done. The audit log keeps it." />
      </Form>
    </Dialog>
  )
}
