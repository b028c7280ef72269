<?php

declare(strict_types=1);

namespace Manilla;

/** The metadata of an answer. */
final class Meta
{
    /** @param array<string, string> $headers names in lower case, such as x-ratelimit-remaining */
    public function __construct(
        public readonly string $requestId,
        public readonly int $status,
        public readonly array $headers,
        /** True if an earlier request with this reference took effect (Idempotent-Replayed: true). */
        public readonly bool $replayed,
        /** True if the answer to the payment was lost, and this is the record, read by its reference. */
        public readonly bool $recovered,
        /** How often the request was sent, without the reads in between. */
        public readonly int $attempts,
    ) {}
}

/**
 * The data of an answer, and its metadata. The fields of the data can be read as in an array: $transfer['status'].
 *
 * @template-covariant T of array<array-key, mixed>
 * @implements \ArrayAccess<string, mixed>
 */
final class Answer implements \ArrayAccess
{
    /** @param T $data */
    public function __construct(public readonly array $data, public readonly Meta $lastResponse) {}

    public function offsetExists(mixed $offset): bool
    {
        return isset($this->data[$offset]);
    }

    public function offsetGet(mixed $offset): mixed
    {
        return $this->data[$offset] ?? null;
    }

    public function offsetSet(mixed $offset, mixed $value): void
    {
        throw new \LogicException('An answer does not change.');
    }

    public function offsetUnset(mixed $offset): void
    {
        throw new \LogicException('An answer does not change.');
    }
}

final class CallOptions
{
    public function __construct(
        /** Your own id of this request, for logs: 1 to 128 visible ASCII characters. The default is a UUID. */
        public readonly ?string $requestId = null,
        /** The limit of one attempt, in seconds. */
        public readonly ?float $timeout = null,
        /** The limit of all attempts and waits together, in seconds. */
        public readonly ?float $totalTimeout = null,
    ) {}
}

/** @internal */
final class Ask
{
    /**
     * @param list<string> $path
     * @param array<string, mixed> $query
     * @param ?array<array-key, mixed> $body
     * @param bool $replays the service replays what it has accepted, so the same bytes may be sent again
     * @param ?list<string> $lookUpPath how a payment is read before it is sent again
     * @param ?\Closure(array<string, mixed>): bool $isSame whether the record has the requested values
     */
    public function __construct(
        public readonly string $method,
        public readonly array $path,
        public readonly array $query = [],
        public readonly ?array $body = null,
        public readonly bool $replays = false,
        public readonly ?array $lookUpPath = null,
        public readonly ?\Closure $isSame = null,
    ) {}
}

/** @internal */
final class Sent
{
    /**
     * @param array<string, mixed> $data
     * @param array<string, mixed> $whole
     */
    public function __construct(
        public readonly array $data,
        public readonly array $whole,
        public readonly Meta $meta,
    ) {}
}

/** @internal */
final class Found
{
    /**
     * @param array<string, mixed> $data
     * @param array<string, mixed> $whole
     * @param array<string, string> $headers
     */
    public function __construct(
        public readonly array $data,
        public readonly array $whole,
        public readonly int $status,
        public readonly array $headers,
    ) {}
}

/**
 * Sends requests, and retries where that is safe. sdk/vectors/README.md states the rules.
 *
 * @internal
 */
final class Sender
{
    private const ATTEMPTS_MAX = 4;

    public function __construct(
        private readonly string $apiKey,
        private readonly string $baseUrl,
        private readonly float $timeout,
        private readonly float $totalTimeout,
        private readonly Transport $transport,
        public readonly Clock $clock,
    ) {}

    /** Returns the delay after attempt n, counted from 0, in seconds. */
    public static function delayAfter(int $turn): float
    {
        return (float) min(2 ** min($turn, 5), 30);
    }

    /** @return Answer<array<string, mixed>> */
    public function call(Ask $ask, ?CallOptions $options): Answer
    {
        $sent = $this->send($ask, $options);
        return new Answer($sent->data, $sent->meta);
    }

    public function send(Ask $ask, ?CallOptions $options): Sent
    {
        $id = $options?->requestId ?? self::newId();
        if (preg_match('/^[!-~]{1,128}$/D', $id) !== 1) {
            throw ManillaException::argument('A request id is 1 to 128 visible ASCII characters.');
        }
        $limit = $options?->timeout ?? $this->timeout;
        $deadline = $this->clock->now() + ($options?->totalTimeout ?? $this->totalTimeout);
        // Made once, so that each attempt has the same bytes.
        [$url, $body] = [$this->urlOf($ask->path, $ask->query), $ask->body === null ? null : self::bytesOf($ask->body)];
        $readUrl = $ask->lookUpPath === null ? null : $this->urlOf($ask->lookUpPath, []);
        $isWrite = $ask->method !== 'GET';
        $maySendAgain = !$isWrite || $ask->replays || $readUrl !== null;
        $attempts = 0;
        $unclear = false;
        // The failure of the request itself, and the latest failure, which may be that of a read in between.
        $failure = $last = null;
        $succeed = function (Found $found, bool $recovered) use (&$attempts, $id): Sent {
            $replayed = ($found->headers['idempotent-replayed'] ?? '') === 'true';
            $name = self::stringIn($found->whole, 'requestId') ?? $id;
            $meta = new Meta($name, $found->status, $found->headers, $replayed, $recovered, $attempts);
            return new Sent($found->data, $found->whole, $meta);
        };
        for ($turn = 0; ; $turn++) {
            if ($failure !== null && $last !== null) {
                $wait = max(self::delayAfter($turn - 1), (float) ($last->retryAfterSeconds ?? 0));
                if ($turn === self::ATTEMPTS_MAX || $this->clock->now() + $wait >= $deadline) {
                    throw self::told($failure, $unclear);
                }
                $this->clock->wait($wait);
                if ($readUrl !== null) {
                    $read = $this->sendOnce('GET', $readUrl, null, $id, $limit, $deadline);
                    if ($read instanceof Found) {
                        if ($ask->isSame !== null && ($ask->isSame)($read->data)) {
                            return $succeed($read, true);
                        }
                        throw self::anotherPayment($read);
                    }
                    $last = $read;
                    if ($read->isUnclear()) {
                        continue;
                    }
                    if ($read->kind !== 'not_found' && $read->status !== 403) {
                        throw self::told($failure, $unclear);
                    }
                }
            }
            $attempts++;
            $outcome = $this->sendOnce($ask->method, $url, $body, $id, $limit, $deadline);
            if ($outcome instanceof Found) {
                return $succeed($outcome, false);
            }
            $failure = $last = $outcome;
            $unclear = $unclear || ($isWrite && $outcome->isUnclear());
            if (!$outcome->isUnclear() || !$maySendAgain) {
                throw self::told($outcome, $unclear);
            }
        }
    }

    private static function told(ManillaException $error, bool $unclear): ManillaException
    {
        $error->unclear = $unclear;
        return $error;
    }

    private static function anotherPayment(Found $found): ManillaException
    {
        $reference = self::stringIn($found->data, 'reference') ?? '';
        $message = "The reference $reference belongs to another payment. Use a new reference.";
        $id = self::stringIn($found->whole, 'requestId') ?? '';
        return ManillaException::of('conflict', 'CONFLICT', $message, 409, requestId: $id, headers: $found->headers);
    }

    private function sendOnce(
        string $method,
        string $url,
        ?string $body,
        string $id,
        float $limit,
        float $deadline,
    ): Found|ManillaException {
        $limit = min($limit, max(0.001, $deadline - $this->clock->now()));
        $headers = [
            'Accept' => 'application/json',
            'Authorization' => "Bearer $this->apiKey",
            'User-Agent' => 'manilla-php/' . Manilla::VERSION,
            'X-Request-ID' => $id,
        ];
        if ($body !== null) {
            $headers['Content-Type'] = 'application/json';
        }
        try {
            $response = $this->transport->send(new HttpRequest($method, $url, $headers, $body, $limit));
        } catch (TransportTimeout $cause) {
            $message = "No complete answer arrived within $limit s.";
            return ManillaException::of('timeout', 'TIMEOUT', $message, requestId: $id, cause: $cause);
        } catch (\Exception $cause) {
            $message = "The connection to $this->baseUrl failed, or broke before the answer was complete.";
            return ManillaException::of('connection', 'CONNECTION_FAILED', $message, requestId: $id, cause: $cause);
        }
        return self::outcomeOf($response, $id);
    }

    private static function outcomeOf(HttpResponse $response, string $sentId): Found|ManillaException
    {
        $status = $response->status;
        $whole = self::fieldsOf($response->body) ?? [];
        $data = $whole['data'] ?? null;
        if ($status >= 200 && $status < 300) {
            $object = self::decode($response->body, false);
            if (is_array($data) && $object instanceof \stdClass && ($object->data ?? null) instanceof \stdClass) {
                /** @var array<string, mixed> $data */
                return new Found($data, $whole, $status, $response->headers);
            }
            $message = 'The answer is a success that cannot be read.';
            return ManillaException::of(
                'unreadable',
                'UNREADABLE_ANSWER',
                $message,
                $status,
                requestId: $sentId,
                headers: $response->headers,
            );
        }
        $error = $whole['error'] ?? null;
        $error = is_array($error) ? $error : [];
        $code = self::stringIn($error, 'code') ?? "HTTP_$status";
        $text = self::stringIn($error, 'message') ?? "The answer was $status.";
        $details = $error['details'] ?? null;
        /** @var list<array<string, mixed>> $details */
        $details = is_array($details) && array_is_list($details) ? array_values(array_filter($details, is_array(...))) : [];
        $named = self::stringIn($whole, 'requestId');
        $after = $response->headers['retry-after'] ?? '';
        return ManillaException::of(
            ManillaException::kindOf($status, $code),
            $code,
            $text,
            $status,
            $details,
            $named ?? $response->headers['x-request-id'] ?? $sentId,
            preg_match('/^[0-9]{1,9}$/D', $after) === 1 ? (int) $after : null,
            headers: $response->headers,
        );
    }

    /** @param array<array-key, mixed> $fields */
    public static function stringIn(array $fields, string $name): ?string
    {
        $value = $fields[$name] ?? null;
        return is_string($value) ? $value : null;
    }

    /**
     * Returns the JSON object in a text. Null if there is none. A whole number that is too large for an integer stays text.
     *
     * @return ?array<string, mixed>
     */
    public static function fieldsOf(string $text): ?array
    {
        /** @var ?array<string, mixed> $fields one that is no object is not returned */
        $fields = self::decode($text, true);
        return is_array($fields) && str_starts_with(ltrim($text), '{') ? $fields : null;
    }

    /** Half of a surrogate pair, which JSON allows and PHP refuses, becomes U+FFFD. All other escapes stay as they are. */
    private static function decode(string $text, bool $associative): mixed
    {
        $value = json_decode($text, $associative, 512, JSON_BIGINT_AS_STRING);
        if (json_last_error() !== JSON_ERROR_UTF16) {
            return $value;
        }
        $other = '\\\\(?:[^u]|u[dD][89abAB][0-9a-fA-F]{2}\\\\u[dD][c-fC-F][0-9a-fA-F]{2})(*SKIP)(*FAIL)';
        $mended = preg_replace("/$other|\\\\u[dD][89a-fA-F][0-9a-fA-F]{2}/", '\ufffd', $text);
        return json_decode($mended ?? '', $associative, 512, JSON_BIGINT_AS_STRING);
    }

    /** @param array<array-key, mixed> $body */
    public static function bytesOf(array $body): string
    {
        $body = self::withObjects($body);
        try {
            return json_encode((object) $body, JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE);
        } catch (\JsonException $cause) {
            throw ManillaException::argument("The request cannot be written as JSON: {$cause->getMessage()}");
        }
    }

    /**
     * Makes metadata an object, because PHP would write an empty array as a list.
     *
     * @param array<array-key, mixed> $fields
     * @return array<array-key, mixed>
     */
    private static function withObjects(array $fields): array
    {
        foreach ($fields as $name => $value) {
            if (is_array($value)) {
                $fields[$name] = $name === 'metadata' ? (object) $value : self::withObjects($value);
            }
        }
        return $fields;
    }

    /**
     * @param list<string> $path
     * @param array<string, mixed> $query
     */
    private function urlOf(array $path, array $query): string
    {
        $words = [];
        foreach ($query as $name => $value) {
            if ($value !== null) {
                $words[] = $name . '=' . rawurlencode(self::textOf($value));
            }
        }
        $parts = array_map(self::segmentOf(...), $path);
        return "$this->baseUrl/v1/" . implode('/', $parts) . ($words === [] ? '' : '?' . implode('&', $words));
    }

    private static function textOf(mixed $value): string
    {
        return match (true) {
            $value instanceof \DateTimeInterface => \DateTimeImmutable::createFromInterface($value)
                ->setTimezone(new \DateTimeZone('UTC'))
                ->format('Y-m-d\TH:i:s.v\Z'),
            is_bool($value) => $value ? 'true' : 'false',
            is_scalar($value) => (string) $value,
            default => throw ManillaException::argument('A query holds texts, numbers and times.'),
        };
    }

    /** Throws for a dot segment, because clients and proxies resolve it in the path, even encoded. */
    private static function segmentOf(string $text): string
    {
        if (in_array($text, ['', '.', '..'], true) || preg_match('//u', $text) !== 1) {
            throw ManillaException::argument("\"$text\" cannot be a part of a path.");
        }
        return rawurlencode($text);
    }

    /**
     * The parts of /v1/transfers/PAYOUT-1001, decoded: they are encoded again, and held to the same rules.
     *
     * @return list<string>
     */
    public static function partsOfPath(string $path): array
    {
        if (!str_starts_with($path, '/v1/') || preg_match('/%(?![0-9a-fA-F]{2})/', $path) === 1) {
            throw ManillaException::argument("A path is like /v1/transfers/PAYOUT-1001, not \"$path\".");
        }
        return array_map(rawurldecode(...), explode('/', substr($path, strlen('/v1/'))));
    }

    private static function newId(): string
    {
        $bytes = random_bytes(16);
        $bytes[6] = chr(ord($bytes[6]) & 0x0f | 0x40);
        $bytes[8] = chr(ord($bytes[8]) & 0x3f | 0x80);
        return vsprintf('%s%s-%s-%s-%s-%s%s%s', str_split(bin2hex($bytes), 4));
    }
}
