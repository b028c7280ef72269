<?php

declare(strict_types=1);

namespace Manilla;

/**
 * Every error that a call throws.
 *
 * @phpstan-import-type BulkTransferResult from Types
 */
class ManillaException extends \RuntimeException
{
    /**
     * @param list<array<string, mixed>> $details
     * @param string $kind argument, authentication, permission, not_found, conflict, rate_limit, invalid_request,
     *     server, timeout, connection or unreadable
     * @param int $status the HTTP status; 0 if no answer came
     * @param array<string, string> $headers the headers of the answer, with names in lower case; empty if no answer came
     */
    final public function __construct(
        public readonly string $kind,
        /** The code of the service, such as INSUFFICIENT_BALANCE. */
        public readonly string $errorCode,
        string $message,
        public readonly int $status = 0,
        public readonly array $details = [],
        /** Quote it when you report a problem. */
        public readonly string $requestId = '',
        /** The value of Retry-After. */
        public readonly ?int $retryAfterSeconds = null,
        ?\Throwable $cause = null,
        public readonly array $headers = [],
    ) {
        parent::__construct($message, 0, $cause);
    }

    /** True if the outcome of a write is unknown: it may have taken effect. Read the record by its reference first. */
    public bool $unclear = false;

    /**
     * For a bulk call that failed in a later part: the results of the earlier parts.
     *
     * @var list<BulkTransferResult>
     */
    public array $results = [];

    /**
     * @internal
     * @param list<array<string, mixed>> $details
     * @param array<string, string> $headers
     */
    public static function of(
        string $kind,
        string $code,
        string $message,
        int $status = 0,
        array $details = [],
        string $requestId = '',
        ?int $retryAfterSeconds = null,
        ?\Throwable $cause = null,
        array $headers = [],
    ): self {
        $class = match ($kind) {
            'authentication' => AuthenticationException::class,
            'permission' => PermissionDeniedException::class,
            'not_found' => NotFoundException::class,
            'conflict' => ConflictException::class,
            'rate_limit' => RateLimitException::class,
            'invalid_request' => InvalidRequestException::class,
            'server' => ServerException::class,
            'timeout' => TimeoutException::class,
            'connection' => ConnectionException::class,
            'unreadable' => UnreadableAnswerException::class,
            default => ArgumentException::class,
        };
        return new $class($kind, $code, $message, $status, $details, $requestId, $retryAfterSeconds, $cause, $headers);
    }

    /** @internal */
    public static function argument(string $message): self
    {
        return self::of('argument', 'INVALID_ARGUMENT', $message);
    }

    /** @internal */
    public static function kindOf(int $status, string $code): string
    {
        return match (true) {
            $status >= 500 => 'server',
            $status === 401 => 'authentication',
            $status === 403 => 'permission',
            $status === 404, $code === 'TRANSFER_NOT_FOUND', $code === 'COLLECTION_NOT_FOUND' => 'not_found',
            $status === 409 => 'conflict',
            $status === 429 => 'rate_limit',
            default => 'invalid_request',
        };
    }

    /** @internal */
    public function isUnclear(): bool
    {
        return in_array($this->kind, ['server', 'timeout', 'connection', 'unreadable'], true);
    }
}

/** The arguments are invalid; nothing was sent. */
final class ArgumentException extends ManillaException {}

/** 401: the key is missing, wrong, revoked, expired, or of the other environment. */
final class AuthenticationException extends ManillaException {}

/** 403: the key may not do this, or payouts are paused. */
final class PermissionDeniedException extends ManillaException {}

final class NotFoundException extends ManillaException {}

/** 409: a record contradicts the request, for instance another payment with the same reference. */
final class ConflictException extends ManillaException {}

/** 429: wait retryAfterSeconds, then send the same request again. */
final class RateLimitException extends ManillaException {}

/** Any other 3xx or 4xx: correct the request. The details name the invalid fields. */
final class InvalidRequestException extends ManillaException {}

final class ServerException extends ManillaException {}

/** No complete answer arrived in time, or a payment was still pending when waitFor ended. */
final class TimeoutException extends ManillaException {}

/** The connection failed, or broke before the answer was complete. */
final class ConnectionException extends ManillaException {}

/** The answer is a success, but its body is not JSON with data: it may be the page of a proxy. */
final class UnreadableAnswerException extends ManillaException {}
