// What the API description says of each group of operations.

const descriptions: Record<string, string> = {
  Deposits: 'What arrives: payments into virtual accounts, and mobile-money collections that succeeded.',
  Customers: 'The people who pay you, under references of yours.',
  'Virtual accounts': 'Account numbers to pay into: static ones of a customer, dynamic ones for a single payment.',
  Transfers: 'Payouts to bank accounts. Safe to repeat: the `reference` makes it one transfer.',
  'Mobile money': 'Payouts to wallets, and collections from them.',
  Banks: 'The banks of Nigeria, and whose account a number is.',
  Balance: 'What the business has, what moved it, and what a payout costs.',
  Webhooks: 'Who is told of what, and the log of how each telling went.',
  Simulator: 'Staging only: plays the banks, the operators and the payers. In production these paths answer 403.',
  Events: 'What is sent to your subscriptions, signed.',
}

export function describeTags(names: string[]): { name: string; description?: string | undefined }[] {
  return [...new Set(names)].map((name) => ({ name, description: descriptions[name] }))
}
