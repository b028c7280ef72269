package manilla

import (
	"errors"
	"fmt"
	"net/http"
)

// Kind says what went wrong, for a switch.
type Kind string

const (
	KindArgument       Kind = "argument"       // Nothing was sent: what was asked for makes no sense.
	KindAuthentication Kind = "authentication" // The key is unknown, revoked or expired.
	KindPermission     Kind = "permission"     // The key may not do this.
	KindNotFound       Kind = "not_found"
	KindConflict       Kind = "conflict"   // The reference belongs to another payment.
	KindRateLimit      Kind = "rate_limit" // RetryAfterSeconds says when to come back.
	KindInvalidRequest Kind = "invalid_request"
	KindServer         Kind = "server"
	KindTimeout        Kind = "timeout"    // No whole answer came in time, or a payment was still pending.
	KindConnection     Kind = "connection" // No answer came, or it broke off.
	KindUnreadable     Kind = "unreadable" // A success that is no JSON with data, such as the page of a proxy.
)

// Codes of calls that got no answer of the service that can be used.
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
	// Code is that of the service, or one of the client: ErrorCodeTimeout, ErrorCodeAborted and their likes.
	Code    ErrorCode
	Message string
	// Status is the HTTP status; 0 if no answer came.
	Status int
	// Header is that of the answer; nil if none came.
	Header  http.Header
	Details []FieldError
	// RequestID is to be quoted when you report a problem.
	RequestID string
	// RetryAfterSeconds is what Retry-After said; nil if it said nothing.
	RetryAfterSeconds *int
	// Unclear is true if a write may have been carried out all the same. Read the record by its reference before you
	// do anything else about it.
	Unclear bool
	// Results are, of a bulk call that failed in a later part, the results of the parts before it.
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

// IsKind tells whether err is an error of this kind.
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
