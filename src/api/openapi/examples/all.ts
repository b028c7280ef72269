// The examples of all operations, by operationId. Those of the balance, and of the directory of banks and mobile-money
// operators, are written here. The files beside this one have the others.

import { type Example, commonRefusals } from './example.ts'
import { accountExamples, customerExamples, depositExamples } from './deposits.ts'
import { momoExamples } from './mobile-money.ts'
import { transferExamples } from './transfers.ts'
import { webhookExamples } from './webhooks.ts'

const opening = 100_000_000_000

const balanceExamples: Record<string, Example> = {
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

const nigerian = { country: 'NG', currency: 'NGN' }
const operator = {
  ...nigerian,
  decimals: 2,
  recipient: 'phone',
  supports: { transfer: true, collection: true },
  minAmount: 1,
  maxAmount: 9_007_199_254_740_991,
  status: 'active',
}

const prefixes = {
  mtn: '7025 7026 703 704 706 707 803 806 810 813 814 816 903 906 913 916'.split(' '),
  airtel: '701 708 802 808 812 901 902 904 907 911 912'.split(' '),
  nineMobile: '809 817 818 908 909'.split(' '),
  glo: '705 805 807 811 815 905 915'.split(' '),
}

const directoryExamples: Record<string, Example> = {
  listBanks: {
    query: { search: 'gtbank' },
    answer: {
      banks: [
        {
          name: 'Guaranty Trust Bank',
          slug: 'guaranty-trust-bank',
          code: '058',
          nipCode: '000013',
          type: 'commercial',
          ...nigerian,
          active: true,
        },
      ],
    },
  },
  resolveBankAccount: {
    query: { accountNumber: '0123456789', bankSlug: 'guaranty-trust-bank' },
    answer: {
      accountNumber: '0123456789',
      accountName: 'ESSIEN IMEH',
      bankSlug: 'guaranty-trust-bank',
      bankName: 'Guaranty Trust Bank',
      bankCode: '058',
    },
    refusals: {
      INVALID_BANK: {
        message: commonRefusals.INVALID_BANK.message,
        details: [{ field: 'bankSlug', message: 'bankSlug does not name one bank', code: 'not_allowed' }],
      },
    },
  },
  listMomoOperators: {
    query: { country: 'NG' },
    answer: {
      operators: [
        { name: 'MTN MoMo PSB', slug: 'mtn-momo', prefixes: prefixes.mtn, requiresOtp: false, ...operator },
        {
          name: 'Airtel SmartCash PSB',
          slug: 'airtel-smartcash',
          prefixes: prefixes.airtel,
          requiresOtp: false,
          ...operator,
        },
        { name: '9PSB (9mobile)', slug: '9psb', prefixes: prefixes.nineMobile, requiresOtp: true, ...operator },
        { name: 'MoneyMaster PSB (Glo)', slug: 'moneymaster', prefixes: prefixes.glo, requiresOtp: true, ...operator },
      ],
    },
  },
  resolvePhoneNumber: {
    query: { phoneNumber: '08030000000' },
    answer: {
      phoneNumber: '+2348030000000',
      operator: 'mtn-momo',
      operatorName: 'MTN MoMo PSB',
      accountName: 'OSAGIE TEGA AKPOR',
      currency: 'NGN',
    },
  },
}

export const examples: Record<string, Example> = {
  ...depositExamples,
  ...customerExamples,
  ...accountExamples,
  ...transferExamples,
  ...momoExamples,
  ...directoryExamples,
  ...balanceExamples,
  ...webhookExamples,
}
