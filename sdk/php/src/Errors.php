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
     * @param array<string, string> $headers those of the answer, with names in lower case; empty if none came
     */
    final public function __construct(
        public readonly string $kind,
        /** The code of the service, such as INSUFFICIENT_BALANCE. */
        public readonly string $errorCode,
        string $message,
        public readonly int $status = 0,
        public readonly array $details = [],
        /** To be quoted when you report a problem. */
        public readonly string $requestId = '',
        /** What Retry-After said. */
        public readonly ?int $retryAfterSeconds = null,
        ?\Throwable $cause = null,
        public readonly array $headers = [],
    ) {
        parent::__construct($message, 0, $cause);
    }

    /** True if a write may have been carried out all the same: read the record by its reference before all else. */
    public bool $unclear = false;

    /**
     * The results of the parts before the one that failed, of a bulk call.
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

/** What was asked for makes no sense; nothing was sent. */
final class ArgumentException extends ManillaException {}

/** The key is unknown, revoked or expired. */
final class AuthenticationException extends ManillaException {}

/** The key may not do this. */
final class PermissionDeniedException extends ManillaException {}

final class NotFoundException extends ManillaException {}

/** The reference belongs to another payment. */
final class ConflictException extends ManillaException {}

/** Too many requests: retryAfterSeconds says when to come back. */
final class RateLimitException extends ManillaException {}

/** The details name the fields. */
final class InvalidRequestException extends ManillaException {}

final class ServerException extends ManillaException {}

/** No whole answer came in time, or a payment was still pending. */
final class TimeoutException extends ManillaException {}

/** No answer came, or it broke off. */
final class ConnectionException extends ManillaException {}

/** A success that is no JSON with data, such as the page of a proxy. */
final class UnreadableAnswerException extends ManillaException {}
