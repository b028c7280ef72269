package manilla

import (
	"errors"
	"fmt"
	"net/http"
)

// Kind is the kind of an error, for a switch.
type Kind string

const (
	KindArgument       Kind = "argument"       // The arguments are invalid; nothing was sent.
	KindAuthentication Kind = "authentication" // The key is unknown, revoked or expired.
	KindPermission     Kind = "permission"     // The key may not do this.
	KindNotFound       Kind = "not_found"
	KindConflict       Kind = "conflict"   // The reference belongs to another payment.
	KindRateLimit      Kind = "rate_limit" // Wait RetryAfterSeconds, then send the same request again.
	KindInvalidRequest Kind = "invalid_request"
	KindServer         Kind = "server"
	KindTimeout        Kind = "timeout"    // No complete answer arrived in time, or a payment was still pending.
	KindConnection     Kind = "connection" // The connection failed, or broke before the answer was complete.
	KindUnreadable     Kind = "unreadable" // A success whose body is not JSON with data, such as the page of a proxy.
)

// Codes of the client, for calls without a usable answer.
const (
	ErrorCodeAborted          ErrorCode = "ABORTED" // The context of the call ended.
	ErrorCodeConnectionFailed ErrorCode = "CONNECTION_FAILED"
	ErrorCodeInvalidArgument  ErrorCode = "INVALID_ARGUMENT"
	ErrorCodeStillPending     ErrorCode = "STILL_PENDING" // The payment was not final when the wait was over.
	ErrorCodeTimeout          ErrorCode = "TIMEOUT"
	ErrorCodeUnreadableAnswer ErrorCode = "UNREADABLE_ANSWER"
)

// Error is every error that a call returns.
type Error struct {
	Kind Kind
	// Code is a code of the service, or of the client, such as ErrorCodeTimeout.
	Code    ErrorCode
	Message string
	// Status is the HTTP status; 0 if no answer came.
	Status int
	// Header has the headers of the answer; nil if no answer came.
	Header  http.Header
	Details []FieldError
	// RequestID identifies the request. Quote it when you report a problem.
	RequestID string
	// RetryAfterSeconds is the value of Retry-After; nil without one.
	RetryAfterSeconds *int
	// Unclear is true if the outcome of a write is unknown: it may have taken effect. Read the record by its reference
	// before you do anything else about it.
	Unclear bool
	// Results has, for a bulk call that failed in a later part, the results of the earlier parts.
	Results []BulkTransferResult
	// Cause is the error of the connection, if there was one.
	Cause error
}

func (e *Error) Error() string {
	if e.RequestID == "" {
		return fmt.Sprintf("manilla: %s: %s", e.Code, e.Message)
	}
	return fmt.Sprintf("manilla: %s: %s (request %s)", e.Code, e.Message, e.RequestID)
}

func (e *Error) Unwrap() error { return e.Cause }

// IsKind returns whether err is an error of this kind.
func IsKind(err error, kind Kind) bool {
	var e *Error
	return errors.As(err, &e) && e.Kind == kind
}

func argumentError(format string, values ...any) *Error {
	return &Error{Kind: KindArgument, Code: ErrorCodeInvalidArgument, Message: fmt.Sprintf(format, values...)}
}

func kindOf(status int, code ErrorCode) Kind {
	switch {
	case status >= 500:
		return KindServer
	case status == 401:
		return KindAuthentication
	case status == 403:
		return KindPermission
	case status == 404, code == ErrorCodeTransferNotFound, code == ErrorCodeCollectionNotFound:
		return KindNotFound
	case status == 409:
		return KindConflict
	case status == 429:
		return KindRateLimit
	}
	return KindInvalidRequest
}
