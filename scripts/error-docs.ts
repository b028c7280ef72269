// docs/errors.md: the closed list of error codes, with an explanation for developers.

import { errorStatus, type ErrorCode, fieldErrorCodes } from '#platform/errors.ts'

type Explanation = { meaning: string; action: string }

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
      'After a timeout or a 5xx this means that nothing was accepted: send the transfer again with the same reference.',
  },
  COLLECTION_NOT_FOUND: {
    meaning: 'No mobile-money collection of this business has that reference.',
    action:
      'After a timeout or a 5xx this means that nothing was accepted: send the collection again with the same reference.',
  },
  INVALID_BANK: {
    meaning: 'The bank slug or code names no bank of the list.',
    action: 'Take the slug from `GET /v1/banks`.',
  },
  ACCOUNT_NOT_RESOLVED: {
    meaning: 'The bank knows no account with that number.',
    action: 'Check the number and the bank with the person who gave them.',
  },
  INSUFFICIENT_BALANCE: {
    meaning: 'The available balance does not cover amount and fee. `details` names both sums. Nothing was recorded.',
    action: 'Fund the balance or wait for what is reserved; then send the same reference again.',
  },
  LIMIT_EXCEEDED: {
    meaning:
      'The amount is over what this business may pay out in one payment or in one day of Lagos. `details` says how much is left. Nothing was recorded.',
    action:
      'Send less, or the same reference again when a new day begins; the operator of the service sets the limits.',
  },
  INVALID_OPERATOR: {
    meaning: 'The mobile-money operator is unknown, or does not do what was asked.',
    action: 'Take the operator from `GET /v1/momo/operators`.',
  },
  PHONE_NOT_RESOLVED: {
    meaning: 'No operator knows that phone number.',
    action: 'Check the number; name the `operator` if the number was ported.',
  },
  INVALID_OTP: {
    meaning:
      'The one-time code is wrong. The message says how many attempts are left; after the third the collection has failed.',
    action: 'Ask the payer for the code again.',
  },
  OTP_EXPIRED: {
    meaning: 'The one-time code came too late, and the collection has failed.',
    action: 'Start a new collection with a new reference.',
  },
  UNAUTHORIZED: {
    meaning: 'The key is missing, wrong, revoked, expired or of the other environment.',
    action: 'Send `Authorization: Bearer <API_KEY>` with a key of the environment that the base address belongs to.',
  },
  FORBIDDEN: {
    meaning:
      'The key is valid, but not for this: it lacks a scope, which the message names, or may not be used from this address; the simulator in production; or metrics from another machine.',
    action:
      'Use a key that may do this, from an address that it allows; staging for the simulator; give metrics a port with `METRICS_PORT`.',
  },
  PAYOUTS_PAUSED: {
    meaning: 'The operator of the service has paused payouts. Nothing was recorded.',
    action: 'Wait until they go on; then send the same reference again.',
  },
  STEP_UP_REQUIRED: {
    meaning: 'In the dashboard alone: this wants the second factor of the last 10 minutes.',
    action: 'Give a code to `POST /dashboard/api/step-up`, then send the same request again.',
  },
  SECOND_FACTOR_REQUIRED: {
    meaning: 'In the dashboard alone: a user without a second factor can read production and change nothing there.',
    action: 'Set up a second factor under “My profile”.',
  },
  APPROVAL_REQUIRED: {
    meaning: 'In the dashboard alone: the policy of the business asks for approval. Nothing was sent.',
    action: 'Send it as a draft, which other people approve.',
  },
  SECOND_PAYOUT: {
    meaning:
      'In the dashboard alone: a payout of the last 24 hours, named in the details, pays the same amount to the same account. Nothing was recorded.',
    action:
      'Confirm it: send the same request again, with the reference of that payout in the header `X-Manilla-Second`.',
  },
  NOT_FOUND: {
    meaning: 'This business has no such record in this environment.',
    action: 'Check the reference or id, and whether key and base address are of the environment that holds it.',
  },
  ROUTE_NOT_FOUND: {
    meaning: 'There is no such path.',
    action: 'Compare the address with the API reference; it begins with the base address of the environment.',
  },
  METHOD_NOT_ALLOWED: {
    meaning: 'The path exists, the method does not. `Allow` lists those that do.',
    action: 'Use one of them.',
  },
  CONFLICT: {
    meaning:
      'The request contradicts a record that exists: a reference used for something else, or a record that is past this step.',
    action: 'Permanent: read the existing record, or use another reference. Sending the same again does not help.',
  },
  PAYLOAD_TOO_LARGE: {
    meaning: 'The body is larger than 100 KiB, or 1 MiB where many items are taken.',
    action: 'Send less, usually less `metadata`.',
  },
  MISDIRECTED: {
    meaning: 'In the dashboard alone: it was called by a host name that is not its own.',
    action: 'Call it by the address of `DASHBOARD_URL`.',
  },
  RATE_LIMIT_EXCEEDED: {
    meaning: 'Too many requests in this minute. Nothing was executed and no reference was used up.',
    action: 'Wait for as many seconds as `Retry-After` says, then send the same request again.',
  },
  INTERNAL_ERROR: {
    meaning: 'A fault of ours, logged under the request id. Whether the request took effect is not known.',
    action: 'Read the record by its reference. If there is none, send the same reference again, with backoff.',
  },
  SERVICE_UNAVAILABLE: {
    meaning:
      'The database or a rail cannot be reached, a queue is full, a setting is missing, or the service is stopping.',
    action:
      'Wait for as many seconds as `Retry-After` says. After a write, read the record by its reference first, then send the same reference again.',
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

\`code\` is for programs. It comes from the list below, and the changelog announces a new one. \`message\` is for people and may
change. \`details\` names the fields that are wrong, each with a code [of its own](#codes-of-fields). Quote the \`requestId\` when you report a problem: the operator's log is
searched by it.

| Status | Did something happen? | What to do |
| --- | --- | --- |
| 4xx | No | Correct the request. The same one is refused again. |
| 409 | Not by this request | Read the record that exists, or use another reference. |
| 429 | No | Wait as long as \`Retry-After\` says, then send the same request. |
| 5xx | Not known | Wait, then send the same request with the same reference. |

## Codes
`

const ofFields = `## Codes of fields

Each of \`details\` has a \`code\`, and \`params\` where the code speaks of a limit or a sum. Amounts are in the minor unit of
\`params.currency\`, or of the currency of the request. A code may be added: treat one that you do not know as \`invalid\`.

| Code | Meaning |
| --- | --- |
`

export function errorDocs(): string {
  const codes = Object.entries(errorStatus) as [ErrorCode, number][]
  // The codes of the dashboard's own API have a section of their own, because integrators never get them.
  const groupOf = ([code, status]: [ErrorCode, number]): string =>
    explanations[code].meaning.startsWith('In the dashboard alone') ? 'Only in the dashboard' : String(status)
  const rows = [...Map.groupBy(codes, groupOf)]
    .toSorted(([left], [right]) => left.localeCompare(right))
    .map(
      ([group, list]) => `| ${group} | ${list.map(([code]) => `[\`${code}\`](#${code.toLowerCase()})`).join(', ')} |`,
    )
  const sections = codes.map(([code, status]) => {
    const { meaning, action } = explanations[code]
    return `## \`${code}\`\n\nStatus ${status}. ${meaning}\n\n**What to do:** ${action}\n`
  })
  const fields = Object.entries(fieldErrorCodes).map(([code, meaning]) => `| \`${code}\` | ${meaning} |`)
  return `${introduction}\n| Status | Codes |\n| --- | --- |\n${rows.join('\n')}\n\n${sections.join('\n')}\n${ofFields}${fields.join('\n')}\n`
}
