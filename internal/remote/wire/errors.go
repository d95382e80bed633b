package wire

import "fmt"

// Kinds of errors. A worker treats one that it does not know as retryable.
const (
	KindRetryable = "retryable" // the same again, after RetryMS
	KindTerminal  = "terminal"  // give this request up, and the run that it names
	KindFatal     = "fatal"     // cancel all runs
)

// Error is the response of an error reply in the extended profile.
type Error struct {
	Kind    string `json:"kind"`
	Code    Code   `json:"code"`
	Message string `json:"message"`
	RetryMS int64  `json:"retry_ms,omitempty"`
	Acked   *int64 `json:"acked,omitempty"` // of out_of_order: what is stored
}

// Error returns the code and the message.
func (e *Error) Error() string { return fmt.Sprintf("%s: %s", e.Code, e.Message) }

// Code says what kind of failure an Error is, more closely than its kind.
type Code string

// The codes.
const (
	CodeUnavailable Code = "unavailable"
	CodeBusy        Code = "busy"
	CodeRateLimited Code = "rate_limited"
	CodeOutOfOrder  Code = "out_of_order"

	CodeStaleClaim   Code = "stale_claim"
	CodeUnknownRun   Code = "unknown_run"
	CodeAlreadyEnded Code = "already_ended"
	CodeTooLarge     Code = "too_large"
	CodeBadPayload   Code = "bad_payload"
	CodeBadResult    Code = "bad_result"
	CodeUnknownEvent Code = "unknown_event"

	CodeLeaseExpired       Code = "lease_expired"
	CodeUnsupportedProfile Code = "unsupported_profile"
	CodeUnknownType        Code = "unknown_type"
	CodeBadGroups          Code = "bad_groups"
	CodeIdentityInUse      Code = "identity_in_use"
	CodeBlocked            Code = "blocked"
)

// NewError returns an error of a code, whose kind follows from it.
func NewError(code Code, format string, args ...any) *Error {
	e := &Error{Kind: KindTerminal, Code: code, Message: fmt.Sprintf(format, args...)}
	switch code {
	case CodeUnavailable, CodeBusy, CodeRateLimited, CodeOutOfOrder:
		e.Kind, e.RetryMS = KindRetryable, 2000
	case CodeLeaseExpired, CodeUnsupportedProfile, CodeUnknownType, CodeBadGroups, CodeIdentityInUse, CodeBlocked:
		e.Kind = KindFatal
	}
	return e
}

// Refusal is the response of an error reply in the compatible profile.
type Refusal struct {
	Reason string `json:"reason"`
}
