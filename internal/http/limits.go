package http

import "time"

// The limits of a request's body.
const (
	maxJSONBytes   = 1 << 20
	maxFieldBytes  = 64 << 10 // one field of a form
	maxFormParts   = 64
	lingerTime     = 5 * time.Second
	lingerBytes    = 1 << 30
	maxBearerBytes = 4096
	copies         = 3        // of a document in a URL-encoded form, while it is decoded
	firstBuffer    = 64 << 10 // bytes of a buffer that grows as a document arrives
)
