// "Why did it fail?": the usual failures of a receiver, the cause of each, and what to do about it.

type Failure = { statusCode: number | null; error: string | null }

/** Responses that often mean that the signature did not verify. */
export const refusesSignature = [400, 401, 403]

/** Undefined: an unusual failure, about which the error says everything that is known. */
export function whyItFailed({ statusCode, error }: Failure): string | undefined {
  if (statusCode === null) return ofNoAnswer(error ?? '')
  if (statusCode >= 300 && statusCode < 400) {
    return 'Your receiver redirected the delivery. Redirects are not followed, so that a signed body goes to no other address. Give the subscription the final address, often the one with https or without a trailing slash.'
  }
  if (statusCode === 401 || statusCode === 403) {
    return 'Your receiver refused the signature or asked for a sign-in. First check that it verifies the raw body with the current secret of this subscription. If a gateway in front of it asks for a sign-in, exempt this path: the signature proves the sender.'
  }
  if (statusCode === 404 || statusCode === 405) {
    return 'A server answered, but nothing there takes a POST at this path. Compare the path with the routes of your receiver.'
  }
  if (statusCode === 410) {
    return 'Your receiver said that it is gone, so the subscription was disabled. Enable it again when there is a receiver, then retry what it missed.'
  }
  if (statusCode === 400) {
    return 'A receiver usually answers 400 when the signature does not verify. Compare the secret, and verify the raw bytes: a body that was parsed and written again differs.'
  }
  if (statusCode === 413) {
    return 'Something in front of your receiver limits the size of a body. Allow it 200 KiB.'
  }
  if (statusCode === 429)
    return 'Your receiver asked for fewer calls. It is called again later, as its Retry-After says.'
  if (statusCode === 502 || statusCode === 503 || statusCode === 504) {
    return 'A proxy answered in place of your receiver, which did not run or was too slow. It is called again on the schedule.'
  }
  if (statusCode >= 500) return 'Your receiver failed while it worked on the event. Its own log says why.'
  return undefined
}

// These texts come from src/platform/http-client/addresses.ts and the files beside it;
// tests/dashboard/texts.test.ts compares them.
const ofWords: [RegExp, string][] = [
  [
    /^TLS|TLS connection/i,
    'A secure connection could not be made. The certificate is often expired, issued for another name, or sent without its intermediate certificate. Check it with: openssl s_client -connect HOST:443',
  ],
  [
    /within \d+ ms|made in time/i,
    'Your receiver took longer than 30 seconds. Store the event, answer 200, and do the work afterwards.',
  ],
  [/was not resolved/i, 'The name of the host is not known to the public DNS. Check its spelling and its records.'],
  [
    /not a public one|no public address/i,
    'The address belongs to a private network, which is never called. For a receiver on your machine use: npx manilla listen',
  ],
  [
    /no connection was made/i,
    'Nothing accepts connections there: the server does not run, or a firewall keeps us out.',
  ],
  [
    /closed before the answer/i,
    'The connection ended in the middle. The receiver probably crashed or was restarted. The event is sent again.',
  ],
]

function ofNoAnswer(error: string): string | undefined {
  return ofWords.find(([words]) => words.test(error))?.[1]
}
