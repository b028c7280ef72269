// Payouts that become a draft of one row: those that need approval or a schedule, and all to wallets and tills.

import { useNavigate } from '@tanstack/react-router'
import { useState, type ReactNode } from 'react'
import { duplicatesOf, type NewDraft } from '#api/drafts.ts'
import type { Currency, TransferRequest } from '#api/schema.ts'
import { formatAmount } from '#format/money.ts'
import { unsent } from '#form/form.tsx'
import { useCreateDraft } from '#shell/create-draft.ts'
import { paths } from '#shell/paths.ts'
import { usePlace } from '#shell/place.ts'
import { useRefresh } from '#shell/refresh.ts'
import { Confirm } from '#ui/confirm.tsx'

/** For a wallet, `bankSlug` is the slug of the operator. `currency`: naira if it is absent. */
export type Asked = Omit<TransferRequest, 'currency'> & { currency?: Currency }

type Propose = {
  /** Resolves with `unsent` if the payout may repeat another one: `question` then asks the person. */
  propose: (asked: Asked) => Promise<unknown>
  /** Makes a draft to schedule. */
  prepare: (asked: Asked) => Promise<void>
  question: ReactNode
}

export function usePropose(): Propose {
  const place = usePlace()
  const refresh = useRefresh()
  const navigate = useNavigate()
  const createDraft = useCreateDraft()
  const [doubtful, setDoubtful] = useState<NewDraft>()

  async function send(draft: NewDraft): Promise<void> {
    const { id } = await createDraft(draft)
    void refresh()
    await navigate({ to: paths.draft(place, id), ignoreBlocker: true })
  }

  return {
    async prepare(asked) {
      const { id } = await createDraft(draftOf(asked))
      void refresh()
      await navigate({ to: paths.draft(place, id), search: { schedule: 'new' } })
    },
    async propose(asked) {
      const draft = { ...draftOf(asked), submit: true }
      try {
        return await send(draft)
      } catch (error) {
        if (duplicatesOf(error) === undefined) throw error
        setDoubtful({ ...draft, confirmedDuplicates: 1 })
        return unsent
      }
    },
    question:
      doubtful === undefined ? null : (
        <Confirm
          title="Submit a second payout?"
          verb="Submit a second payout"
          isStaging={place.environment === 'staging'}
          onConfirm={() => send(doubtful)}
          onClose={() => setDoubtful(undefined)}
        >
          <p>
            Another payout of the last 24 hours, or one that waits for approval, pays the same amount to this account.
          </p>
        </Confirm>
      ),
  }
}

function draftOf(asked: Asked): NewDraft {
  const { reference, amount, bankSlug, accountNumber, accountName, narration, currency = 'NGN' } = asked
  const row = {
    amount: formatAmount(amount, currency),
    bank: bankSlug,
    account: accountNumber,
    name: accountName,
    narration: narration ?? '',
    reference,
  }
  return { title: `Payout to ${accountName}`.slice(0, 100), currency, rows: [row] }
}
