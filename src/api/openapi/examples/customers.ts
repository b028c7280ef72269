import type { Example } from '#api/openapi/example.ts'

export const customer = {
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
const params = { reference: 'CUSTOMER-1' }
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
        details: [{ field: 'reference', message: 'reference is that of another customer' }],
      },
    },
  },
  listCustomers: { answer: { customers: [customer] } },
  getCustomer: { params, answer: customer, refusals },
  updateCustomer: {
    params,
    request: { email: 'ada.obi@example.com' },
    answer: corrected,
    refusals: { ...refusals, CONFLICT: { message: 'This customer has been erased' } },
  },
}
