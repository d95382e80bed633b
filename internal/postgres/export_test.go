package postgres

// For the tests that read its plan, or run it in a transaction of their own.
var (
	ClaimSQL  = claimSQL
	ClaimArgs = claimArgs
)
