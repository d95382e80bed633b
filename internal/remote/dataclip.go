package remote

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// dataclip returns the body of a dataclip, which travels as JSON in a string, and
// whether it is JSON.
func dataclip(raw json.RawMessage) (string, bool) {
	body := string(raw)
	var text string
	if json.Unmarshal(raw, &text) == nil {
		body = text
	}
	return storableBody(body), json.Valid([]byte(body))
}

// storableBody returns a text without what the database cannot store.
func storableBody(s string) string {
	if utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 {
		return s // as nearly all are, and some have megabytes
	}
	clean := make([]byte, 0, len(s))
	for _, r := range s { // what is no UTF-8 becomes the replacement character
		if r != 0 {
			clean = append(clean, string(r)...)
		}
	}
	return string(clean)
}
