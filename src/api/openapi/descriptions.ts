// Descriptions of fields whose schema has none: by the name of the field, or by record and field if a name has several
// meanings. So every field of the document has a description or a named type.

import type { Json } from './schemas.ts'

const meanings: Record<string, string> = {
  accepted: 'How many items were accepted by this request.',
  accountName: 'The name of the holder, as the bank or operator writes it.',
  'InitiateMomoTransferRequest.accountName': 'The name of the recipient, as `GET /v1/momo/resolve` returns it.',
  'VirtualAccount.accountName': 'The name that a payer sees.',
  'VirtualAccountDetails.accountName': 'The name that a payer sees.',
  'MomoTransfer.accountName': 'The name of the recipient that you gave. Null if you gave none.',
  'Transfer.accountName': 'The name of the recipient that you gave.',
  'TransferRequest.accountName': 'The name of the recipient, as `GET /v1/bank/resolve` returns it.',
  accountNumber: 'The ten digits of the account.',
  active: 'True if transfers to this bank are accepted.',
  'VirtualAccount.amount': 'The amount that a dynamic account expects. Null for a static account.',
  'VirtualAccountDetails.amount': 'The amount that a dynamic account expects. Null for a static account.',
  amountPolicy:
    'Which payments a dynamic account accepts: only the exact amount, or any amount. Null for a static account.',
  attempt: 'The number of the attempt; the first is 1.',
  attempts: 'How many attempts were made.',
  available: 'The amount that can be spent now.',
  balances: 'One for each currency.',
  bankCode: 'The code of the bank, from the list of banks.',
  bankName: 'The name of the bank.',
  bankSlug: 'The slug of the bank, from the list of banks.',
  banks: 'All banks that transfers reach.',
  collection: 'True if collections from its wallets are accepted.',
  collections: 'The latest first.',
  completedAt: 'When it reached its final status. Null until then.',
  country: 'The two letters of the country (ISO 3166-1).',
  currency: 'The three letters of the currency (ISO 4217).',
  customer: 'The customer that a static account belongs to. Null for a dynamic account.',
  customerReference: 'Your reference of the customer.',
  customers: 'The latest first.',
  deleted: 'Always true: the subscription was deleted.',
  delivered: 'True if the receiver answered with 2xx.',
  deliveredAt: 'When the receiver answered with 2xx. Null while the event is not delivered.',
  deposits: 'The latest first.',
  durationMs: 'How long the attempt took, in milliseconds.',
  email: 'The e-mail address of the customer. Null if you gave none.',
  entries: 'The latest first.',
  error: 'Why the attempt failed without a usable response. Null if there was one.',
  event: 'The name of the event.',
  events: 'The names of the events that the subscription receives.',
  'EventPage.events': 'In the order in which they happened.',
  'TriggerWebhookEventResult.events': 'One for each subscription that gets the event.',
  'WebhookDeliveryList.events': 'The latest first.',
  exists: 'True if the deposit is known.',
  expiresAt: 'When a dynamic account stops accepting payments. Null for a static account.',
  failureReason: 'Why it failed, for programs. Null if it did not fail.',
  field: 'The name of the field, with its place in lists and objects: `transfers.3.amount`.',
  firstName: 'The first name of the customer.',
  hasNext: 'True if there is a page after this one.',
  hasPrev: 'True if there is a page before this one.',
  id: 'The id that the service assigned.',
  lastAttemptAt: 'When the last attempt began. Null before the first.',
  lastError: 'Why the last attempt failed. Null if it did not.',
  lastName: 'The last name of the customer.',
  limit: 'The largest number of records on a page.',
  max: 'The most that is allowed.',
  message: 'What is wrong and what to do next, for people.',
  'DepositMissing.message': 'Says that there is no such deposit.',
  'WebhookTest.message': 'A sentence that says that this is a test.',
  metadata: 'The metadata that you sent. Null if there is none.',
  min: 'The least that is allowed.',
  name: 'The name, for people.',
  narration: 'What the payment is for, as the parties see it.',
  operator: 'The operator, by its slug from the list of operators.',
  operatorName: 'The name of the operator.',
  operators: 'All operators that can be used in this environment.',
  otp: 'The one-time code that the payer got from the operator.',
  otpExpiresAt: 'When the one-time code expires. Null if the payer gets none.',
  page: 'The number of this page; the first is 1.',
  phoneNumber: 'The phone number with its country code: `+2348031234567`.',
  recipientAccountName: 'The name of the account that received the payment.',
  recipientAccountNumber: 'The number of the account that received the payment.',
  recipientBankName: 'The bank of the account that received the payment.',
  reference: 'Your reference.',
  'DepositFound.reference': 'The reference of the deposit.',
  'DepositMissing.reference': 'The reference that you sent.',
  'WebhookDelivery.reference': 'The reference of the record that the event is about.',
  'WebhookDeliveryDetail.reference': 'The reference of the record that the event is about.',
  refused: 'How many items were refused.',
  replayed: 'How many items an earlier request with the same fields had accepted.',
  requestId: 'The id of the request, also in the header `X-Request-ID`. Include it when you report a problem.',
  required: 'The amount that is needed, fee included.',
  results: 'One for each item, in the order of the request.',
  senderAccountName: 'The name of the account that the payment came from.',
  senderAccountNumber: 'The number of the account that the payment came from.',
  senderBankName: 'The bank that the payment came from.',
  status: '`active` if it can be used.',
  step: 'The amount must be a multiple of this.',
  success: 'True: the request was carried out.',
  total: 'How many records there are in all.',
  totalPage: 'How many pages there are.',
  transfer: 'True if transfers to its wallets are accepted.',
  transfers: 'The latest first.',
  'InitiateTransfersRequest.transfers': 'Up to 1,000 transfers, each with a reference of its own.',
  type: 'The kind of bank.',
  url: 'The URL to which events are sent.',
  virtualAccounts: 'The latest first.',
  webhooks: 'The latest first.',
}

/** Adds the description of each field that has neither a description nor a named type, also in inner objects. */
export function withDescriptions(name: string, schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map((part) => withDescriptions(name, part))
  if (typeof schema !== 'object' || schema === null) return schema
  const described = Object.entries(schema as Json).map(([key, value]) =>
    key === 'properties'
      ? [
          key,
          Object.fromEntries(
            Object.entries(value as Json).map(([field, one]) => [field, describe(name, field, one as Json)]),
          ),
        ]
      : [key, withDescriptions(name, value)],
  )
  return Object.fromEntries(described) as Json
}

function describe(name: string, field: string, schema: Json): Json {
  const inner = withDescriptions(name, schema) as Json
  if ('description' in schema || '$ref' in schema) return inner
  const description = meanings[`${name}.${field}`] ?? meanings[field]
  return description === undefined ? inner : { ...inner, description }
}
