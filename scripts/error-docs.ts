// Writes docs/errors.md: every error code, with its meaning and what a developer should do.

import { errorStatus, type ErrorCode, fieldErrorCodes } from '#platform/errors.ts'

/** `isDashboardOnly`: only the dashboard's own API returns this code, so integrators never get it. */
type Explanation = { meaning: string; action: string; isDashboardOnly?: true }

// The compiler refuses a code without an explanation.
const explanations: Record<ErrorCode, Explanation> = {
  PARSE_ERROR: {
    meaning:
      'The request or its body could not be read: no `Content-Type: application/json`, not JSON, not an object, empty, or not valid HTTP.',
    action: 'Send one JSON object in UTF-8 with `Content-Type: application/json`.',
  },
  VALIDATION_ERROR: {
    meaning: 'Fields are missing or wrong. `error.details` names all of them at once.',
    action: 'Correct each field that `details` names.',
  },
  UNSUPPORTED_API_VERSION: {
    meaning: '`X-API-Version` asks for a version that does not exist.',
    action: 'Send `v1`, or leave the header out.',
  },
  TRANSFER_NOT_FOUND: {
    meaning: 'No bank or mobile-money transfer of this business has that reference.',
    action:
      'After a timeout or a 5xx this means that the transfer is not accepted yet: send it again with the same reference.',
  },
  COLLECTION_NOT_FOUND: {
    meaning: 'No mobile-money collection of this business has that reference.',
    action:
      'After a timeout or a 5xx this means that the collection is not accepted yet: send it again with the same reference.',
  },
  INVALID_BANK: {
    meaning:
      'No bank in the list has this slug or code, several banks have this code, or the bank offers no virtual accounts here.',
    action: 'Take the slug from `GET /v1/banks`.',
  },
  ACCOUNT_NOT_RESOLVED: {
    meaning: 'The bank knows no account with that number.',
    action: 'Check the number and the bank with the person who gave them.',
  },
  INSUFFICIENT_BALANCE: {
    meaning:
      'The available balance does not cover the amount and the fee. `details` has the available and the required amount. Nothing was recorded.',
    action: 'Fund the balance, or wait until reserved money is released. Then send the same reference again.',
  },
  LIMIT_EXCEEDED: {
    meaning:
      'The amount exceeds the limit of this business for one payout or for one day in Lagos time. `details` has the amount that is left. Nothing was recorded.',
    action:
      'Send a smaller amount, or send the same reference again on the next day. The operator of the service sets the limits.',
  },
  INVALID_OPERATOR: {
    meaning: 'The mobile-money operator is unknown, or does not support this kind of request.',
    action: 'Take the operator from `GET /v1/momo/operators`.',
  },
  PHONE_NOT_RESOLVED: {
    meaning: 'No operator has that phone number.',
    action: 'Check the number. If it was ported to another operator, send that `operator`.',
  },
  INVALID_OTP: {
    meaning:
      'The one-time code is wrong. The message says how many attempts are left. After the third wrong code, the collection is FAILED.',
    action: 'Ask the payer for the code again.',
  },
  OTP_EXPIRED: {
    meaning: 'The one-time code was sent after its time, and the collection is FAILED.',
    action: 'Start a new collection with a new reference.',
  },
  UNAUTHORIZED: {
    meaning: 'The key is missing, wrong, revoked, expired, or belongs to the other environment.',
    action: 'Send `Authorization: Bearer <API_KEY>` with a key of the environment that the base address belongs to.',
  },
  FORBIDDEN: {
    meaning:
      'The key is valid but may not do this: it lacks the scope that the message names, or it may not be used from this address. Or the request is for the simulator in production, or for metrics from another machine.',
    action:
      'Use a key with that scope, from an allowed address. Use the simulator on staging. To read metrics from another machine, the operator sets `METRICS_PORT`.',
  },
  PAYOUTS_PAUSED: {
    meaning:
      'Payouts are paused, by the business in its dashboard or by the operator of the service. Nothing was recorded.',
    action: 'Wait until payouts are resumed. Then send the same reference again.',
  },
  STEP_UP_REQUIRED: {
    meaning: 'This action needs a second factor that was entered in the last 10 minutes.',
    action: 'Send a code to `POST /dashboard/api/step-up`, then send the same request again.',
    isDashboardOnly: true,
  },
  SECOND_FACTOR_REQUIRED: {
    meaning:
      'A user without a second factor cannot change anything in production, and cannot use a business at all if it requires a second factor for the role of the user.',
    action: 'Set up a second factor under “My profile”.',
    isDashboardOnly: true,
  },
  APPROVAL_REQUIRED: {
    meaning: 'The approval policy of the business requires approval. Nothing was sent.',
    action: 'Create a draft of the payout, which other people approve.',
    isDashboardOnly: true,
  },
  SECOND_PAYOUT: {
    meaning:
      'Another payout of the last 24 hours, which `details` names, has the same amount and account. Nothing was recorded.',
    action:
      'To confirm the payout, send the same request again with the reference of the other payout in the header `X-Manilla-Second`.',
    isDashboardOnly: true,
  },
  NOT_FOUND: {
    meaning: 'This business has no such record in this environment.',
    action: 'Check the reference or id, and whether the record belongs to the environment of your key.',
  },
  ROUTE_NOT_FOUND: {
    meaning: 'This path does not exist.',
    action: 'Compare the path with the API reference. The address begins with the base address of the environment.',
  },
  METHOD_NOT_ALLOWED: {
    meaning: 'The path does not support this method. The header `Allow` lists the methods that it supports.',
    action: 'Use one of these methods.',
  },
  CONFLICT: {
    meaning:
      'The request contradicts an existing record: the reference belongs to another request, or the state of the record does not allow this.',
    action: 'Read the existing record, or use another reference. The same request will get the same answer.',
  },
  PAYLOAD_TOO_LARGE: {
    meaning: 'The body is larger than 100 KiB, or larger than 1 MiB for a bulk request.',
    action: 'Send a smaller body, for example with less `metadata` or fewer items.',
  },
  MISDIRECTED: {
    meaning: 'The request has another host name than `DASHBOARD_URL`.',
    action: 'Use the address of `DASHBOARD_URL`.',
    isDashboardOnly: true,
  },
  RATE_LIMIT_EXCEEDED: {
    meaning: 'Too many requests in this minute. Nothing was recorded.',
    action: 'Wait for as many seconds as `Retry-After` says, then send the same request again.',
  },
  INTERNAL_ERROR: {
    meaning: 'An internal error, logged under the request id. It is not known whether the request took effect.',
    action: 'Read the record by its reference. If it does not exist, wait and send the same request again.',
  },
  SERVICE_UNAVAILABLE: {
    meaning:
      'The database or a rail cannot be reached, a queue is full, a setting is missing, or the service is stopping.',
    action:
      'Wait for as many seconds as `Retry-After` says. After a write, read the record by its reference first. If it does not exist, send the same request again.',
  },
}

const introduction = `<!-- Generated from src/platform/errors.ts and scripts/error-docs.ts by \`npm run generate\`. Do not edit. -->

# Errors

Every error has the same body:

\`\`\`json
{
  "success": false,
  "error": {
    "code": "VALIDATION_ERROR",
    "message": "…",
    "details": [{ "field": "reference", "message": "…", "code": "too_long", "params": { "max": 100 } }]
  },
  "requestId": "…",
  "timestamp": "2026-01-15T09:30:00.000Z"
}
\`\`\`

\`code\` is for programs. The list below has all codes, and the changelog announces new ones. \`message\` is for people and may
change. \`details\` names the wrong fields, each with its own [code](#codes-of-fields). Send the \`requestId\` when you report a
problem: the operator finds the request in the log by this id.

| Status | Did something happen? | What to do |
| --- | --- | --- |
| Any other 4xx | No | Correct the request. The same one is refused again. |
| 409 | Not by this request | Read the record that exists, or use another reference. |
| 429 | No | Wait as long as \`Retry-After\` says, then send the same request. |
| 5xx | Not known | Wait, then send the same request with the same reference. |

## Codes
`

const ofFields = `## Codes of fields

Each item of \`details\` has a \`code\`, and \`params\` if the code is about a limit or an amount. Amounts are in the minor unit of
\`params.currency\`, or of the currency of the request. New codes can be added: treat a code that you do not know as \`invalid\`.

| Code | Meaning |
| --- | --- |
`

export function errorDocs(): string {
  const codes = Object.entries(errorStatus) as [ErrorCode, number][]
  const groupOf = ([code, status]: [ErrorCode, number]): string =>
    explanations[code].isDashboardOnly === true ? 'Only in the dashboard' : String(status)
  const rows = [...Map.groupBy(codes, groupOf)]
    .toSorted(([left], [right]) => left.localeCompare(right))
    .map(
      ([group, list]) => `| ${group} | ${list.map(([code]) => `[\`${code}\`](#${code.toLowerCase()})`).join(', ')} |`,
    )
  const sections = codes.map(([code, status]) => {
    const { meaning, action, isDashboardOnly } = explanations[code]
    const where = isDashboardOnly === true ? ', only in the dashboard' : ''
    return `## \`${code}\`\n\nStatus ${status}${where}. ${meaning}\n\n**What to do:** ${action}\n`
  })
  const fields = Object.entries(fieldErrorCodes).map(([code, meaning]) => `| \`${code}\` | ${meaning} |`)
  return `${introduction}\n| Status | Codes |\n| --- | --- |\n${rows.join('\n')}\n\n${sections.join('\n')}\n${ofFields}${fields.join('\n')}\n`
}
