package corpus

// Span is a half-open range of byte offsets. text[Start:End] is what it marks.
type Span struct {
	Start int `json:"start_byte"`
	End   int `json:"end_byte"`
}
