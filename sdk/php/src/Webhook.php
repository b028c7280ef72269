<?php

declare(strict_types=1);

namespace Manilla;

/** The delivery is not genuine, or too old. Answer 400. */
final class WebhookException extends \RuntimeException
{
    private const SENTENCES = [
        'missing_header' => 'There is no X-Webhook-Signature header.',
        'malformed_header' => 'The X-Webhook-Signature header has no t or no v1.',
        'no_match' => 'No signature matches. Pass the bytes that arrived as the body, and the secret of this subscription.',
        'too_old' => 'The signature is too old. Does the clock of this machine follow a time server?',
        'unreadable' => 'The signature is valid, but the body is not an event.',
    ];

    /** @param key-of<self::SENTENCES> $reason */
    public function __construct(public readonly string $reason)
    {
        parent::__construct(self::SENTENCES[$reason]);
    }
}

/**
 * Verifies deliveries of webhooks.
 *
 * @phpstan-import-type WebhookEvent from Types
 */
final class Webhook
{
    public const SIGNATURE_HEADER = 'X-Webhook-Signature';

    /**
     * Returns the event of a delivery. $rawBody must be the bytes that arrived, because a body that is parsed and written
     * again may differ. While a secret is being replaced, pass both. An event that this version does not know is returned
     * unchanged.
     *
     * @param string|list<string> $secrets
     * @param float $tolerance the maximum age of a signature, in seconds
     * @param ?int $now Unix seconds, for tests
     * @return WebhookEvent
     * @throws WebhookException
     */
    public static function verify(
        string $rawBody,
        ?string $header,
        #[\SensitiveParameter] string|array $secrets,
        float $tolerance = 300,
        ?int $now = null,
    ): array {
        $keys = (array) $secrets;
        if ($keys === [] || in_array('', $keys, true)) {
            throw new \InvalidArgumentException('A webhook secret is empty.');
        }
        [$sent, $given] = self::parseHeader($header ?? '');
        $agrees = false;
        // Tries all keys, so that the duration does not show which one matches.
        foreach ($keys as $key) {
            $expected = hash_hmac('sha256', "$sent.$rawBody", $key);
            foreach ($given as $one) {
                $agrees = hash_equals($expected, $one) || $agrees;
            }
        }
        if (!$agrees) {
            throw new WebhookException('no_match');
        }
        if (($now ?? time()) - (int) $sent > $tolerance) {
            throw new WebhookException('too_old');
        }
        $event = Sender::fieldsOf($rawBody);
        if (!is_string($event['event'] ?? null) || !is_string($event['id'] ?? null)) {
            throw new WebhookException('unreadable');
        }
        /** @var WebhookEvent */
        return $event;
    }

    /**
     * Returns the status to answer: 200 when $onEvent has handled the event, 400 when the delivery is not genuine. $onEvent
     * stores the event; do the work for it afterwards. An error of $onEvent is thrown; answer it with 500, and the service
     * sends the event again. An event may arrive again: do nothing for an id that you have.
     *
     * @param string|list<string> $secrets
     * @param callable(WebhookEvent): mixed $onEvent
     */
    public static function receive(
        string $rawBody,
        ?string $header,
        #[\SensitiveParameter] string|array $secrets,
        callable $onEvent,
    ): int {
        try {
            $event = self::verify($rawBody, $header, $secrets);
        } catch (WebhookException) {
            return 400;
        }
        $onEvent($event);
        return 200;
    }

    /** Returns the signature header of a delivery, for tests of your own endpoint. */
    public static function sign(string $rawBody, #[\SensitiveParameter] string $secret, ?int $now = null): string
    {
        $sent = $now ?? time();
        return "t=$sent,v1=" . hash_hmac('sha256', "$sent.$rawBody", $secret);
    }

    /** @return array{string, list<string>} */
    private static function parseHeader(string $header): array
    {
        if ($header === '') {
            throw new WebhookException('missing_header');
        }
        $times = $given = [];
        foreach (explode(',', $header) as $part) {
            [$name, $value] = [...explode('=', trim($part), 2), ''];
            if ($name === 't') {
                $times[] = $value;
            } elseif ($name === 'v1') {
                $given[] = $value;
            }
        }
        if (count($times) !== 1 || preg_match('/^[0-9]{1,12}$/D', $times[0]) !== 1 || $given === []) {
            throw new WebhookException('malformed_header');
        }
        return [$times[0], $given];
    }
}
