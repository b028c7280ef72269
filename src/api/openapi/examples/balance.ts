import type { Example } from '#api/openapi/example.ts'

const opening = 100_000_000_000

export const balanceExamples: Record<string, Example> = {
  getBalance: { answer: { balances: [{ currency: 'NGN', available: opening, reserved: 0, ledger: opening }] } },
  listLedgerEntries: {
    answer: {
      entries: [
        {
          id: 'mov_01m80rygp9e01s9fqgfq9nzmth',
          type: 'opening',
          reference: 'opening balance',
          amount: opening,
          balanceAfter: opening,
          currency: 'NGN',
          createdAt: '2026-01-15T09:30:00.000Z',
        },
      ],
    },
  },
  getFee: {
    query: { type: 'transfer', amount: 150_000 },
    answer: { amount: 150_000, fee: 1_000, totalDebit: 151_000 },
  },
  fundBalance: {
    request: { amount: 5_000_000 },
    answer: { amount: 5_000_000, available: opening + 5_000_000, currency: 'NGN' },
  },
}
