// The examples of customers, virtual accounts and deposits.

import type { Example, Refusal } from './example.ts'

const customer = {
  id: 'cus_01m80ryjwbe009pce6f5a8p4e7',
  reference: 'CUSTOMER-1',
  firstName: 'Ada',
  lastName: 'Obi',
  email: 'ada@example.com',
  phoneNumber: '+2348030000000',
  status: 'ACTIVE',
  bvnVerified: false,
  metadata: null,
  createdAt: '2026-01-15T09:30:02.242Z',
  updatedAt: '2026-01-15T09:30:02.242Z',
}

const corrected = { ...customer, email: 'ada.obi@example.com', updatedAt: '2026-01-15T09:30:02.294Z' }
const customerParams = { reference: 'CUSTOMER-1' }
const refusals = { NOT_FOUND: { message: 'Customer not found' } }

export const customerExamples: Record<string, Example> = {
  createCustomer: {
    request: {
      reference: 'CUSTOMER-1',
      firstName: 'Ada',
      lastName: 'Obi',
      email: 'ada@example.com',
      phoneNumber: '08030000000',
    },
    answer: customer,
    refusals: {
      CONFLICT: {
        message: 'A customer with this reference already exists',
        details: [{ field: 'reference', message: 'reference belongs to another customer', code: 'in_use' }],
      },
    },
  },
  listCustomers: { answer: { customers: [customer] } },
  getCustomer: { params: customerParams, answer: customer, refusals },
  updateCustomer: {
    params: customerParams,
    request: { email: 'ada.obi@example.com' },
    answer: corrected,
    refusals: { ...refusals, CONFLICT: { message: 'This customer has been erased' } },
  },
}

const staticAccount = {
  id: 'va_01m80ryjyxe00968z5z8rxny2f',
  type: 'static',
  reference: 'CUSTOMER-1',
  accountNumber: '7389291519',
  accountName: 'Ada Obi',
  bankName: 'Wema Bank',
  bankSlug: 'wema-bank',
  currency: 'NGN',
  status: 'ACTIVE',
  amount: null,
  amountPolicy: null,
  expiresAt: null,
  customer: { id: customer.id, reference: customer.reference },
  metadata: null,
  createdAt: '2026-01-15T09:30:02.361Z',
  updatedAt: '2026-01-15T09:30:02.361Z',
}

const dynamicAccount = {
  ...staticAccount,
  id: 'va_01m80ryk0be009341g1z866hy3',
  type: 'dynamic',
  reference: 'ORDER-881',
  accountNumber: '5165121065',
  amount: 250_000,
  amountPolicy: 'exact',
  expiresAt: '2026-01-15T10:00:02.370Z',
  customer: null,
  createdAt: '2026-01-15T09:30:02.400Z',
  updatedAt: '2026-01-15T09:30:02.400Z',
}

const deposit = {
  id: 'dep_01m80ryk2he009t6ecktgmg5c4',
  amount: 250_000,
  reference: 'DEP01M80RYK2HE009T6ECKTGMG5C4',
  status: 'SUCCESSFUL',
  currency: 'NGN',
  senderAccountName: 'CHINEDU EZE',
  senderAccountNumber: '1023456785',
  senderBankName: 'Access Bank',
  recipientAccountName: 'Ada Obi',
  recipientAccountNumber: dynamicAccount.accountNumber,
  recipientBankName: 'Wema Bank',
  narration: 'Order 881',
  fee: 2_500,
  createdAt: '2026-01-15T09:30:02.440Z',
  updatedAt: '2026-01-15T09:30:02.440Z',
}

const settled = {
  ...deposit,
  id: 'dep_01m80ryk4ve00aq0zww3fgpw31',
  amount: 100_000,
  reference: 'DEP01M80RYK4VE00AQ0ZWW3FGPW31',
  senderAccountName: '',
  senderAccountNumber: '',
  senderBankName: '',
  recipientAccountNumber: staticAccount.accountNumber,
  narration: '',
  fee: 1_000,
  createdAt: '2026-01-15T09:30:02.514Z',
  updatedAt: '2026-01-15T09:30:02.534Z',
}

const mention = ({ id, type, reference, accountNumber }: typeof dynamicAccount | typeof staticAccount) => ({
  id,
  type,
  reference,
  accountNumber,
})

export const dynamicDeposit = { ...deposit, virtualAccount: mention(dynamicAccount) }
export const customerDeposit = {
  ...settled,
  virtualAccount: mention(staticAccount),
  customer: {
    id: customer.id,
    reference: customer.reference,
    firstName: customer.firstName,
    lastName: customer.lastName,
    email: customer.email,
  },
}

const blank: Refusal = {
  message: 'Reference is required',
  details: [{ field: 'reference', message: 'reference is required', code: 'required' }],
}
const depositNotFound = { message: 'Deposit not found' }
const accountNotFound = { message: 'Virtual account not found' }
const params = { reference: deposit.reference }

export const depositExamples: Record<string, Example> = {
  listDeposits: { answer: { deposits: [deposit] } },
  getDeposit: { params, answer: deposit, refusals: { VALIDATION_ERROR: blank, NOT_FOUND: depositNotFound } },
  validateDeposit: {
    params,
    answer: {
      exists: true,
      reference: deposit.reference,
      status: 'SUCCESSFUL',
      amount: 250_000,
      currency: 'NGN',
      valid: true,
    },
    others: { missing: { exists: false, reference: 'DEP00000000000000000000000000', message: 'Deposit not found' } },
    refusals: { VALIDATION_ERROR: blank },
  },
  simulateDeposit: {
    request: {
      accountNumber: dynamicAccount.accountNumber,
      amount: 250_000,
      senderAccountName: 'CHINEDU EZE',
      senderAccountNumber: '1023456785',
      senderBankName: 'Access Bank',
      narration: 'Order 881',
    },
    answer: deposit,
    refusals: { NOT_FOUND: accountNotFound },
  },
  settleDeposit: {
    params: { reference: settled.reference },
    request: { status: 'SUCCESSFUL' },
    answer: settled,
    refusals: {
      NOT_FOUND: depositNotFound,
      CONFLICT: { message: 'The deposit is SUCCESSFUL: it can no longer become FAILED.' },
    },
  },
}

export const accountExamples: Record<string, Example> = {
  openStaticAccount: {
    request: { customerReference: 'CUSTOMER-1' },
    answer: staticAccount,
    refusals: {
      NOT_FOUND: { message: 'Customer not found' },
      CONFLICT: {
        message:
          'The customer has an active account at this bank. Use it, or close it first. GET /v1/virtual-accounts with customerReference lists it.',
        details: [
          {
            field: 'customerReference',
            message: 'customerReference has an active account at this bank',
            code: 'in_use',
          },
        ],
      },
    },
  },
  openDynamicAccount: {
    request: { amount: 250_000, reference: 'ORDER-881', accountName: 'Ada Obi', expiresInMinutes: 30 },
    answer: dynamicAccount,
    refusals: {
      CONFLICT: {
        message: 'A virtual account with this reference already exists',
        details: [{ field: 'reference', message: 'reference is in use', code: 'in_use' }],
      },
    },
  },
  listVirtualAccounts: { answer: { virtualAccounts: [dynamicAccount, staticAccount] } },
  getVirtualAccount: {
    params: { accountNumber: dynamicAccount.accountNumber },
    answer: { ...dynamicAccount, lastFailure: null },
    refusals: { NOT_FOUND: accountNotFound },
  },
  closeVirtualAccount: {
    params: { accountNumber: staticAccount.accountNumber },
    answer: { ...staticAccount, status: 'CLOSED', updatedAt: '2026-01-15T09:30:02.553Z' },
    refusals: {
      NOT_FOUND: accountNotFound,
      CONFLICT: { message: 'A dynamic account cannot be closed. It completes or expires by itself.' },
    },
  },
}
