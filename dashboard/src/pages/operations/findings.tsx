// Review items that wait for an operator.

import { useState } from 'react'
import type { Finding } from '#api/operations.ts'
import { moneyColumn, timeColumn, textColumn, type Column } from '#table/columns.tsx'
import { DataTable } from '#table/data-table.tsx'
import { Button } from '#ui/button.tsx'
import { meaningOf } from './meanings.ts'
import { ReviewDialog, type List } from './review-dialog.tsx'

const labels: Record<List, string> = { exceptions: 'Exceptions', breaks: 'Reconciliation mismatches' }

export function Findings({ list, findings }: { list: List; findings: readonly Finding[] }) {
  const [reviewed, setReviewed] = useState<Finding>()
  return (
    <>
      <DataTable
        label={labels[list]}
        columns={columnsWith(setReviewed)}
        rows={findings}
        keyOf={({ id }) => id}
        empty={<p>Nothing to review.</p>}
      />
      {reviewed === undefined ? null : (
        <ReviewDialog list={list} finding={reviewed} onClose={() => setReviewed(undefined)} />
      )}
    </>
  )
}

function columnsWith(onReview: (finding: Finding) => void): Column<Finding>[] {
  return [
    { id: 'kind', head: 'What', cell: ({ kind }) => meaningOf(kind).title, isOnPhone: true },
    { id: 'subject', head: 'Reference', cell: ({ reference, subject }) => nameOf(reference, subject), isOnPhone: true },
    textColumn('says', 'Details', ({ says, rail }) => (rail === undefined ? says : `${rail}: ${says}`)),
    moneyColumn('amount', 'Amount', ({ amount }) => amount),
    { id: 'environment', head: 'Environment', cell: ({ environment }) => environment },
    timeColumn('openedAt', 'Since', ({ openedAt }) => openedAt),
    {
      id: 'review',
      head: 'Review',
      cell: (finding) => (
        <Button
          isSmall
          aria-label={`Review ${meaningOf(finding.kind).title}, ${nameOf(finding.reference, finding.subject)}`}
          onClick={() => onReview(finding)}
        >
          Review
        </Button>
      ),
      align: 'end',
      isOnPhone: true,
    },
  ]
}

function nameOf(reference: string | null, subject: string): string {
  return reference === null || reference === '' ? subject : reference
}
