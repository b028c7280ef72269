// What waits for a person. Closing one takes a note, which the audit log keeps.

import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { closeFinding, operationsQuery, type Finding } from '#api/operations.ts'
import { LongTextField } from '#form/fields.tsx'
import { Form } from '#form/form.tsx'
import { moneyColumn, timeColumn, textColumn, type Column } from '#table/columns.tsx'
import { DataTable } from '#table/data-table.tsx'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'

type List = 'exceptions' | 'breaks'

const labels: Record<List, string> = { exceptions: 'Exceptions', breaks: 'Breaks' }

export function Findings({ list, findings }: { list: List; findings: readonly Finding[] }) {
  const [closing, setClosing] = useState<Finding>()
  return (
    <>
      <DataTable
        label={labels[list]}
        columns={columnsWith(setClosing)}
        rows={findings}
        keyOf={({ id }) => id}
        empty={<p>Nothing waits.</p>}
      />
      {closing === undefined ? null : (
        <CloseFinding list={list} finding={closing} onClose={() => setClosing(undefined)} />
      )}
    </>
  )
}

function columnsWith(onClose: (finding: Finding) => void): Column<Finding>[] {
  return [
    { id: 'kind', head: 'What', cell: ({ kind, rail }) => nameOf(kind, rail), isOnPhone: true },
    { id: 'subject', head: 'Of', cell: ({ reference, subject }) => reference ?? subject, isOnPhone: true },
    textColumn('says', 'Says', ({ says }) => says),
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

function nameOf(kind: string, rail: string | undefined): string {
  const words = kind.replaceAll('-', ' ')
  return rail === undefined ? words : `${rail}: ${words}`
}

function CloseFinding({ list, finding, onClose }: { list: List; finding: Finding; onClose: () => void }) {
  const queries = useQueryClient()
  return (
    <Dialog title={`Close ${nameOf(finding.kind, finding.rail)}`} says={finding.says} onClose={onClose}>
      <Form
        submit="Close with this note"
        onCancel={onClose}
        onSubmit={async ({ note = '' }) => {
          await closeFinding(list, finding.id, note)
          await queries.invalidateQueries({ queryKey: operationsQuery.queryKey })
          onClose()
        }}
      >
        <LongTextField name="note" label="Note" hint="What was found and done. The audit log keeps it." />
      </Form>
    </Dialog>
  )
}
